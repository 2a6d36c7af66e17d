import DataTree
import Testing

@testable import SecurityRules

@Suite("the explanation of a decision")
struct ExplanationTests {
    private let rules: CompiledRules
    private let data: Node
    private let ada = RuleIdentity(
        uid: "ada", provider: "password", token: Node(children: [("team", Node(leaf: .string("red")))]))

    init() throws {
        rules = try CompiledRules(
            Array(
                """
                {"rules": {
                  "rooms": {
                    "$room": {
                      ".read": "auth != null && root.child('members').child($room).hasChild(auth.uid)",
                      ".write": "newData.exists() ? auth.token.team == 'blue' : data.val().length > 1",
                      ".validate": "newData.hasChildren(['a']) || newData.val() == auth.token.team",
                      "$key": {
                        ".validate": "$key < 'm' &&
                            newData.val() > 5"
                      }
                    }
                  }
                }}
                """.utf8))
        data = try Node(json: #"{"members": {"r1": {"bob": true}}, "rooms": {"r1": {"a": 7}}}"#)
    }

    private func explainWrite(_ path: Path, _ json: String, as identity: RuleIdentity? = nil, revealing: Bool = false)
        throws -> Explanation
    {
        var new = data
        new.set(try Node(json: json), at: path)
        return rules.explainWrite(
            [RuleWrite(path)], by: identity ?? ada, now: 0, from: data, to: new, revealing: revealing)
    }

    @Test("lists each rule with its place, what its wildcards stood for, and the value that decided it")
    func read() {
        let explanation = rules.explainRead("rooms/r1/x", by: ada, now: 0, in: data)
        #expect(
            explanation.lines() == [
                "denied: no .read rule on the way to \"/rooms/r1/x\" is true",
                "  .read at /rooms/$room (4:17) for /rooms/r1 with $room = 'r1': false",
                "    4:33 root.child('members').child($room).hasChild(auth.uid) is false",
                "      root.child('members') is (/members)",
                "      $room is 'r1'",
                "      root.child('members').child($room) is (/members/r1)",
                "      auth.uid is 'ada'",
            ])
    }

    @Test("tells a rule that is not there from one that is not true")
    func missing() {
        let explanation = rules.explainRead("other", by: ada, now: 0, in: data)
        #expect(explanation.lines() == ["denied: there is no .read rule on the way to \"/other\""])
    }

    @Test("names the place that failed, and why")
    func failures() throws {
        let explanation = try explainWrite("rooms/r1", "null")
        let entry = try #require(explanation.entries.first)
        #expect(entry.outcome == .failed(.notAString))
        #expect(entry.decisive?.location.text == "data.val().length")
        #expect(
            explanation.lines().dropFirst().prefix(2) == [
                "  .write at /rooms/$room (5:18) for /rooms/r1 with $room = 'r1': "
                    + "error, the value is not a string; test it with isString() or != null first",
                "    5:65 data.val().length is "
                    + "(error: the value is not a string; test it with isString() or != null first)",
            ])
    }

    @Test("tells every rule that does not validate, with lines inside a rule that has several")
    func validation() throws {
        let blue = RuleIdentity(
            uid: "ada", provider: nil, token: Node(children: [("team", Node(leaf: .string("blue")))]))
        let explanation = try explainWrite("rooms/r2", #"{"b": 1, "x": 9}"#, as: blue)
        #expect(explanation.denials.count == 3)
        #expect(explanation.denials.first == explanation.decision.denial)
        #expect(explanation.entries.map(\.outcome) == [.granted, .refused, .refused, .refused])
        let places = explanation.entries.compactMap {
            $0.decisive.map { "\($0.location.position) \($0.location.text)" }
        }
        #expect(
            places == [
                "6:21 newData.hasChildren(['a']) || newData.val() == auth.token.team",
                "9:13 newData.val() > 5", "8:23 $key < 'm'",
            ])
    }

    @Test("leaves out what the token holds unless it is asked for, but not verdicts over it")
    func secrets() throws {
        func values(revealing: Bool) throws -> [String: String] {
            let explanation = try explainWrite("rooms/r1", #""red""#, revealing: revealing)
            let parts = explanation.entries.flatMap(\.parts)
            return Dictionary(parts.map { ($0.location.text, $0.value.description) }) { first, _ in first }
        }
        let hidden = try values(revealing: false)
        #expect(hidden["auth"] == "(hidden)" && hidden["auth.token"] == "(hidden)")
        #expect(hidden["auth.token.team"] == "(hidden)" && hidden["auth.token.team == 'blue'"] == "false")
        #expect(try values(revealing: true)["auth.token.team"] == "'red'")
        #expect(try !explainWrite("rooms/r1", "1").lines().joined().contains("red"))
    }

    @Test("leaves out what is made of the token")
    func derivedSecrets() throws {
        let rules = try Rules.compiled(
            """
            {".read": "root.child('x/' + auth.token.team.toUpperCase()).val() == (true ? auth['token']['team'] : 'b')"}
            """)
        let explanation = rules.explainRead(.root, by: ada, now: 0, in: data)
        #expect(explanation.entries.first?.parts.isEmpty == false)
        for part in explanation.entries.flatMap(\.parts) {
            #expect(!part.value.description.lowercased().contains("red"), "\(part.location.text)")
        }
    }

    @Test("cuts long texts and says what laziness skipped")
    func values() throws {
        let rules = try Rules.compiled(#"{".read": "true || data.val() == 1", "a": {".read": "data.val() == 'x'"}}"#)
        let long = String(repeating: "é", count: 300)
        let skipped = rules.explainRead(.root, by: ada, now: 0, in: .empty)
        #expect(skipped.entries.first?.parts.map(\.value) == [.skipped, .skipped, .skipped, .bool(true)])
        let text = rules.explainRead("a", by: ada, now: 0, in: .empty)
        #expect(text.decision.isAllowed)
        #expect(TraceValue(.text(Text(long))) == .text(String(repeating: "é", count: 256), isWhole: false))
        #expect(TraceValue(.text("short")).description == "'short'")
    }

    @Test("stops listing after a number of rules")
    func truncation() throws {
        var limits = RulesLimits()
        limits.traceEntries = 10
        let rules = try Rules.compiled(
            #"{".write": true, "l": {"$i": {".validate": "newData.isNumber()"}}}"#, limits: limits)
        let list = Node(children: (0..<100).map { (Key("\($0)"), Node(leaf: .integer(1))) })
        let explanation = rules.explainWrite(
            [RuleWrite("l")], by: ada, now: 0, from: .empty, to: Node(children: [("l", list)]))
        #expect(explanation.decision.isAllowed && explanation.isTruncated && explanation.entries.count == 10)
        #expect(explanation.lines(limit: 3).count == 5)
        #expect(explanation.lines(limit: 3).last == "  … and more rules")
    }

    @Test("stops listing after a number of reasons, as after one of rules")
    func manyReasons() throws {
        let places = (0..<100).map { Path("rooms/r\($0)") }
        var new = data
        for place in places { new.set(Node(leaf: .integer(1)), at: place) }
        let explanation = rules.explainWrite(
            places.map { RuleWrite($0) }, by: ada, now: 0, from: data, to: new)
        let lines = explanation.lines(limit: 3)
        #expect(explanation.denials.count == 100)
        #expect(lines.filter { $0.hasPrefix("denied: ") }.count == 4)
        #expect(lines[3] == "denied: … and for more reasons")
        #expect(lines.last == "  … and more rules")
        #expect(explanation.lines(limit: 1_000).contains { $0.contains("and for more reasons") } == false)
    }

    @Test("decides as an unexplained decision does", arguments: try CaseFiles.ruleSetNames.map(CaseFiles.ruleSet))
    func same(_ ruleSet: CaseFiles.RuleSet) throws {
        let rules = try CompiledRules(Array(ruleSet.rules.utf8))
        var coverage = RuleCoverage(rules)
        for ruleCase in ruleSet.cases {
            let plain = try rules.decision(ruleCase)
            let operation = try RuleOperation(ruleCase, now: 0)
            let explained = operation.explain(rules).decision
            let counted = operation.count(in: &coverage)
            #expect(explained.denial == plain.denial && explained.grant == plain.grant)
            #expect(counted.denial == plain.denial && counted.grant == plain.grant)
        }
    }
}
