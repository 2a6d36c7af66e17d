import DataTree
import TestSupport
import Testing

@testable import SecurityRules

/// Decides writes on a tree, given as JSON of values by path; `null` deletes.
private func decide(
    _ rules: CompiledRules, _ values: [(Path, String)], on data: Node = .empty, carried: RuleWrite.Carried = .value
) throws -> Decision {
    var new = data
    for (path, json) in values {
        if carried == .value { new.set(try Node(json: json), at: path) }
        if carried == .priority { new.setPriority(.number(Double(json) ?? 0), at: path) }
    }
    let writes = values.map { RuleWrite($0.0, carried: carried) }
    return rules.write(writes, by: .signedOut, now: 0, from: data, to: new)
}

@Suite("deciding a write")
struct WriteDecisionTests {
    @Test("names the first location without a grant, or the first rule that does not validate, and where")
    func denials() throws {
        let rules = try Rules.compiled(
            """
            {"a": {".write": true, ".validate": "newData.isNumber() || newData.hasChildren()",
                   "$k": {".validate": "newData.isNumber()"}}, "b": {".write": "newData.exists()"}}
            """)
        #expect(try decide(rules, [("a", "1"), ("b", "2")]).isAllowed)
        #expect(try decide(rules, [("a", "1"), ("c", "2"), ("d", "2")]).denial == .notGranted(.write, "c"))
        #expect(try decide(rules, [("b", "null")]).denial == .notGranted(.write, "b"))
        let invalid = try decide(rules, [("a", #"{"x": 1, "y": true, "z": true}"#)])
        guard case .invalid(let reference, "a/y")? = invalid.denial else { throw Unexpected(decision: invalid) }
        #expect(rules.rules[Int(reference.index)].kind == .validate && invalid.grant == nil)
        #expect(invalid.denial?.description == "the .validate rule for \"/a/y\" is not true")
    }

    @Test("a priority alone is validated at its node and above, not below")
    func priorities() throws {
        let rules = try Rules.compiled(
            """
            {"a": {".write": true, ".validate": "newData.hasChild('b')",
                   "b": {".validate": "newData.getPriority() == 1", "$c": {".validate": false}}}}
            """)
        let data = try Node(json: #"{"a": {"b": {"c": 1}}}"#)
        #expect(try decide(rules, [("a/b", "1")], on: data, carried: .priority).isAllowed)
        #expect(try !decide(rules, [("a/b", "2")], on: data, carried: .priority).isAllowed)
        #expect(try !decide(rules, [("a/b", #"{"c": 1}"#)], on: data).isAllowed)
    }

    @Test("an update of nothing needs a grant at its base, and nothing else")
    func nothing() throws {
        let rules = try Rules.compiled(#"{"a": {".write": "data.exists()", ".validate": false}}"#)
        #expect(try decide(rules, [("a", "")], on: try Node(json: #"{"a": 1}"#), carried: .nothing).isAllowed)
        #expect(try !decide(rules, [("a", "")], carried: .nothing).isAllowed)
    }

    @Test("validates exactly the carried places that have data and rules")
    func carried() throws {
        let rules = try Rules.compiled(
            """
            {".write": true, "a": {"plain": {}, "$w": {"deep": {"$x": {".validate": "$w + $x == 'oknow'"}},
             "other": {}}}, "b": {"$x": {}, "c": {".validate": false}}}
            """)
        #expect(try decide(rules, [("a", #"{"plain": {"deep": {"x": 1}}, "ok": {"deep": {"now": 1}}}"#)]).isAllowed)
        #expect(try !decide(rules, [("a", #"{"ok": {"deep": {"now": 1, "later": 2}}}"#)]).isAllowed)
        #expect(try decide(rules, [("a/ok/other", #"{"deep": {"x": 1}}"#)]).isAllowed)
        #expect(try decide(rules, [("b", #"{"d": {"c": 1}}"#)]).isAllowed)
        #expect(try !decide(rules, [("b", #"{"c": 1}"#)]).isAllowed)
        #expect(try decide(rules, [("b/d", "3")], on: try Node(json: #"{"b": {"c": 1, "d": 2}}"#)).isAllowed)
    }

    @Test("decides many locations as it decides each alone, all with the same trees before and after")
    func locations() throws {
        let rules = try Rules.compiled(
            """
            {"a": {".write": "newData.child('n').val() == 1", ".validate": "newData.hasChild('n')",
               "b": {".write": "true", "$k": {".validate": "newData.isNumber()", ".write": false}},
               "$o": {".write": "$o == newData.val()"}},
             "$p": {"$q": {".write": "$p == $q", ".validate": "$p != 'z'"}}}
            """)
        var random = SeededRandom(3)
        let keys: [Key] = ["a", "b", "n", "z"]
        let values = ["1", "\"b\"", "\"z\"", "null", "{\"n\": 1}", "{\"b\": {\"n\": 1, \"z\": \"b\"}, \"n\": 1}"]
        for round in 0..<TestScale.pick(2000, short: 300) {
            var old = Node.empty
            for _ in 0..<3 { old.set(try Node(json: values.randomElement(using: &random) ?? "1"), at: path()) }
            var paths: [Path] = []
            for _ in 0..<4 {
                let path = path()
                if !paths.contains(where: { $0.hasPrefix(path) || path.hasPrefix($0) }) { paths.append(path) }
            }
            var new = old
            for path in paths { new.set(try Node(json: values.randomElement(using: &random) ?? "1"), at: path) }
            let together = rules.write(
                paths.map { RuleWrite($0) }, by: .signedOut, now: 0, from: old, to: new)
            let alone = paths.map {
                rules.write([RuleWrite($0)], by: .signedOut, now: 0, from: old, to: new)
            }
            #expect(together.isAllowed == alone.allSatisfy(\.isAllowed), "round \(round)")
            #expect(together.denial == alone.first { !$0.isAllowed }?.denial, "round \(round)")
        }
        func path() -> Path {
            Path(
                keys: (0..<Int.random(in: 1...3, using: &random)).map { _ in keys.randomElement(using: &random) ?? "a" }
            )
        }
    }

    @Test("costs steps for carried places that have rules, and its limit grows with them")
    func cost() throws {
        var limits = RulesLimits()
        limits.steps = 100
        let rules = try Rules.compiled(
            #"{"list": {".write": true, "$item": {".validate": "newData.child('n').val() >= 0"}}}"#, limits: limits)
        func list(_ count: Int) -> Node {
            Node(children: (0..<count).map { (Key("\($0)"), Node(children: [("n", Node(leaf: .integer(1)))])) })
        }
        let new = Node(children: [("list", list(5000))])
        #expect(rules.write([RuleWrite("list")], by: .signedOut, now: 0, from: .empty, to: new).isAllowed)
        limits.stepsPerPlace = 0
        let tight = try Rules.compiled(
            #"{"list": {".write": true, "$item": {".validate": "newData.child('n').val() >= 0"}}}"#, limits: limits)
        #expect(!tight.write([RuleWrite("list")], by: .signedOut, now: 0, from: .empty, to: new).isAllowed)
    }

    @Test("does not let a single rule take what many places add to the limit")
    func costOfOneRule() throws {
        var limits = RulesLimits()
        limits.steps = 1000
        let rules = try Rules.compiled(
            """
            {"list": {".write": true, "$item": {".validate": true}},
             "last": {".write": "\(Array(repeating: "newData.val() != null", count: 400).joined(separator: " && "))"}}
            """, limits: limits)
        let list = Node(children: (0..<5000).map { (Key("\($0)"), Node(leaf: .bool(true))) })
        let new = Node(children: [("list", list), ("last", Node(leaf: .bool(true)))])
        #expect(rules.write([RuleWrite("list")], by: .signedOut, now: 0, from: .empty, to: new).isAllowed)
        let both = rules.write([RuleWrite("list"), RuleWrite("last")], by: .signedOut, now: 0, from: .empty, to: new)
        #expect(both.denial == .notGranted(.write, "last"))
    }

    @Test("an update of many places is limited by their number")
    func manyPlaces() throws {
        var limits = RulesLimits()
        limits.steps = 1000
        let rules = try Rules.compiled(
            #"{"list": {"$item": {".write": "newData.val() > 0 && newData.val() < 5"}}}"#, limits: limits)
        let list = Node(children: (0..<2000).map { (Key("\($0)"), Node(leaf: .integer(1))) })
        let writes = (0..<2000).map { RuleWrite(Path(keys: ["list", Key("\($0)")])) }
        let new = Node(children: [("list", list)])
        #expect(rules.write(writes, by: .signedOut, now: 0, from: .empty, to: new).isAllowed)
    }

    private struct Unexpected: Error { let decision: Decision }
}
