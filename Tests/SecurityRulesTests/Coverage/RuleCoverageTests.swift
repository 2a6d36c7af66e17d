import DataTree
import Testing

@testable import SecurityRules

@Suite("coverage of rules")
struct RuleCoverageTests {
    private let rules: CompiledRules

    init() throws {
        rules = try Rules.compiled(
            """
            {"a": {".read": "auth != null && data.val() == 1", ".write": true},
             "$w": {".validate": "$w.length > 2 || data.val().length > 1", "$x": {".read": false}}}
            """)
    }

    @Test("counts what each part came to")
    func counts() throws {
        var coverage = RuleCoverage(rules)
        let data = try Node(json: #"{"a": 1}"#)
        coverage.read("a", by: .signedOut, now: 0, in: data)
        coverage.read("a", by: RuleIdentity(uid: "u", provider: nil, token: .empty), now: 0, in: data)
        coverage.read("a", by: RuleIdentity(uid: "u", provider: nil, token: .empty), now: 0, in: .empty)
        let counts = Dictionary(coverage.parts.map { ($0.location.text, $0.counts) }) { first, _ in first }
        #expect(counts["auth"] == .init(evaluated: 3, wasNull: 1, other: 2))
        #expect(counts["auth != null"] == .init(evaluated: 3, wasTrue: 2, wasFalse: 1))
        #expect(counts["data.val()"] == .init(evaluated: 2, wasNull: 1, other: 1))
        #expect(counts["auth != null && data.val() == 1"] == .init(evaluated: 3, wasTrue: 1, wasFalse: 2))
        #expect(counts["true"] == nil)
    }

    @Test("counts each evaluation once, however it is done")
    func once() throws {
        let rules = try Rules.compiled(
            #"{"$u": {".read": "$u == auth.uid || $u == 'x' || data.hasChild($u) || data.child(auth.uid).exists()"}}"#)
        var coverage = RuleCoverage(rules)
        coverage.read("a", by: RuleIdentity(uid: "b", provider: nil, token: .empty), now: 0, in: .empty)
        let counts = coverage.parts.map { "\($0.location.text) \($0.counts.evaluated)" }
        #expect(coverage.parts.allSatisfy { $0.counts.evaluated == 1 }, "\(counts)")
    }

    @Test("reports what was never tried")
    func report() throws {
        var coverage = RuleCoverage(rules)
        #expect(coverage.report.neverEvaluated.map(\.place) == ["/a", "/a", "/$w", "/$w/$x"])
        #expect(coverage.report.neverMatched == ["/$w", "/$w/$x"])
        coverage.read("a", by: .signedOut, now: 0, in: .empty)
        coverage.read("b/c", by: .signedOut, now: 0, in: .empty)
        let report = coverage.report
        #expect(report.ruleCount == 4 && report.evaluatedRuleCount == 2)
        #expect(report.neverEvaluated.map(\.description) == [".write at /a (1:72)", ".validate at /$w (2:23)"])
        #expect(report.neverMatched.isEmpty)
        #expect(report.branchCount == 6 && report.seenBranchCount == 2)
        #expect(
            report.oneSided.map(\.location.text) == [
                "auth != null", "data.val() == 1", "auth != null && data.val() == 1",
            ])
    }

    @Test("counts failures of a part and of its rule")
    func failures() throws {
        let rules = try Rules.compiled(
            #"{"a": {".write": true, ".validate": "newData.val().length > 1 && true", "b": {".validate": true}}}"#)
        var coverage = RuleCoverage(rules)
        coverage.write(
            [RuleWrite("a")], by: .signedOut, now: 0, from: .empty,
            to: Node(children: [("a", Node(leaf: .string("abc")))]))
        #expect(coverage.report.neverFailed.map(\.place) == ["/a"])
        let number = Node(children: [("a", Node(leaf: .integer(1)))])
        coverage.write([RuleWrite("a")], by: .signedOut, now: 0, from: .empty, to: number)
        let counts = Dictionary(coverage.parts.map { ($0.location.text, $0.counts) }) { first, _ in first }
        #expect(counts["newData.val().length"] == .init(evaluated: 2, failed: 1, other: 1))
        #expect(coverage.wholes[1].counts == .init(evaluated: 2, wasTrue: 1, failed: 1))
        #expect(coverage.report.neverFailed.isEmpty)
    }
}
