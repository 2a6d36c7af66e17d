import DataTree
import Testing

@testable import SecurityRules

@Suite("deciding a read")
struct ReadDecisionTests {
    private let rules: CompiledRules
    private let data: Node

    init() throws {
        rules = try Rules.compiled(
            """
            {"rooms": {"$room": {".read": "root.child('members').child($room).hasChild(auth.uid)",
                                 "open": {".read": "data.val() == true"},
                                 "deep": {".read": "data.val() == root.child('copy').val()"}}},
             "status": {".read": "data.parent().child('on').val() == 1 || data.child('x').isString()"}}
            """)
        data = try Node(
            json: """
                {"members": {"r": {"ada": true}}, "rooms": {"r": {"open": true, "deep": {"a": 1}}}, "copy": {"a": 1}}
                """)
    }

    private func dependencies(_ path: Path, _ uid: String) -> (Decision, ReadDependencies) {
        var dependencies = ReadDependencies()
        let identity = RuleIdentity(uid: uid, provider: nil, token: .empty)
        let decision = rules.read(path, by: identity, now: 0, in: data, dependencies: &dependencies)
        return (decision, dependencies)
    }

    @Test("names the granting rule, or what was asked for in vain")
    func outcome() throws {
        let (granted, _) = dependencies("rooms/r/open", "ada")
        let grant = try #require(granted.grant)
        #expect(rules.location(of: grant).position == SourcePosition(line: 1, column: 42))
        let (denied, _) = dependencies("rooms/none/x", "bob")
        #expect(denied.denial == .notGranted(.read, "rooms/none/x") && denied.grant == nil)
        #expect(denied.denial?.description == "no .read rule on the way to \"/rooms/none/x\" is true")
    }

    @Test("tells the places it has looked at, of all rules that were asked")
    func dependencies() {
        let (ada, places) = dependencies("rooms/r/open", "ada")
        #expect(ada.isAllowed && places.places == ["members/r/ada"] && places.subtrees.isEmpty)
        let (bob, more) = dependencies("rooms/r/open", "bob")
        #expect(bob.isAllowed && more.places == ["members/r/bob", "rooms/r/open"])
        let (_, compared) = dependencies("rooms/r/deep", "bob")
        #expect(compared.subtrees == ["rooms/r/deep", "copy"])
        let (_, status) = dependencies("status", "bob")
        #expect(status.places == ["on", "status/x"])
    }

    @Test(
        "rests on a whole subtree only where a rule compares it with another",
        arguments: [
            ("data.val() != null", false), ("data.val() == 'x' || data.val() == now", false),
            ("data.val() == root.child('copy').val()", true), ("data.val() != auth.token", true),
            ("(now > 0 ? data.val() : null) == null", true), ("data.val() + '' == 'x'", false),
            ("data.val().length > 1", false), ("root.child(data.val()).exists()", false),
        ])
    func depth(expression: String, isDeep: Bool) throws {
        let rules = try CompiledRules(Rules.text([".read": expression]))
        var dependencies = ReadDependencies()
        _ = rules.read(.root, by: .signedOut, now: 1, in: data, dependencies: &dependencies)
        #expect(dependencies.subtrees.contains(.root) == isDeep)
        #expect(dependencies.places.contains(.root) == !isDeep)
    }

    @Test("may change when one of these places changes")
    func changes() {
        var dependencies = ReadDependencies()
        dependencies.places = ["a/b"]
        dependencies.subtrees = ["c/d"]
        for path in ["", "a", "a/b", "c", "c/d", "c/d/e"] as [Path] {
            #expect(dependencies.mayBeAffected(byChangeAt: path))
        }
        for path in ["a/b/c", "a/x", "c/x", "x"] as [Path] {
            #expect(!dependencies.mayBeAffected(byChangeAt: path))
        }
    }

    @Test("is the same with and without a record of what was read")
    func same() {
        for path in ["", "rooms", "rooms/r", "rooms/r/open", "rooms/r/deep/a", "status"] as [Path] {
            for uid in ["ada", "bob"] {
                let plain = rules.read(path, by: RuleIdentity(uid: uid, provider: nil, token: .empty), now: 0, in: data)
                let (recorded, _) = dependencies(path, uid)
                #expect(plain.grant == recorded.grant && plain.denial == recorded.denial)
            }
        }
    }

    @Test("locked rules deny, open rules allow")
    func constants() {
        #expect(!CompiledRules.locked.read("a", by: .signedOut, now: 0, in: .empty).isAllowed)
        #expect(CompiledRules.open.read("a", by: .signedOut, now: 0, in: .empty).isAllowed)
        #expect(CompiledRules.open.write([RuleWrite("a")], by: .signedOut, now: 0, from: .empty, to: .empty).isAllowed)
        #expect(String(decoding: CompiledRules.locked.source.bytes, as: UTF8.self) == #"{"rules": {}}"#)
    }
}
