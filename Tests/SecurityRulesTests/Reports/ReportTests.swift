import DataTree
import Testing

@testable import SecurityRules

@Suite("reports for programs")
struct ReportTests {
    private let rules: CompiledRules
    private let data: Node

    init() throws {
        rules = try CompiledRules(
            Array(
                """
                {"rules": {
                  "r": {"$i": {
                    ".read": "data.child('o').val() == auth.uid || now / 0 > 1",
                    ".write": "auth != null",
                    ".validate": "newData.val().length < 3",
                    "$k": {".validate": true}
                  }}
                }}
                """.utf8))
        data = try Node(json: #"{"r": {"1": {"o": "ada"}}}"#)
    }

    private func identity(_ uid: String) throws -> RuleIdentity { try RuleIdentity(json: "{\"uid\": \"\(uid)\"}") }

    @Test("of a read that is allowed name the rule that granted it, and what its parts were")
    func allowed() throws {
        let report = rules.explainRead("r/1", by: try identity("ada"), now: 5, in: data).report(in: rules)
        let source = "data.child('o').val() == auth.uid || now / 0 > 1"
        let place = "\"rulePath\":\"/r/$i\",\"kind\":\".read\",\"line\":3,\"column\":15,\"source\":\"\(source)\""
        let expected = #"""
            {"allowed":true,"reason":null,"grantedBy":{\#(place)},"failedValidate":[],"trace":[\#
            {"path":"/r/1",\#(place),"captures":{"$i":"1"},"outcome":true,"subexpressions":[\#
            {"line":3,"column":15,"source":"data","type":"snapshot","value":"/r/1"},\#
            {"line":3,"column":15,"source":"data.child('o')","type":"snapshot","value":"/r/1/o"},\#
            {"line":3,"column":15,"source":"data.child('o').val()","type":"string","value":"ada"},\#

            """#
        #expect(report.json.hasPrefix(expected))
        #expect(report.json.contains(#"{"line":3,"column":52,"source":"now / 0","type":"skipped"}"#))
        #expect(report.json.hasSuffix(#"]}],"truncated":false}"#))
    }

    @Test("of a read that is denied say why")
    func denied() throws {
        let explanation = rules.explainRead("r/1", by: try identity("bob"), now: 5, in: data)
        let json = explanation.report(in: rules).json
        #expect(
            json.hasPrefix(
                #"{"allowed":false,"reason":"no .read rule on the way to \"/r/1\" is true","grantedBy":null,"#))
        #expect(json.contains(#""source":"now / 0","type":"number","value":"NaN"}"#))
        #expect(explanation.reasons.count == 1)
        #expect(explanation.entries(behind: explanation.denials[0]).map(\.location.place) == ["/r/$i"])
    }

    @Test("of a write that is invalid list the rules that did not hold, and their errors")
    func invalid() throws {
        let old = data
        var new = data
        new.set(try Node(json: "1"), at: "r/2")
        new.set(try Node(json: "\"long\""), at: "r/3")
        let explanation = rules.explainWrite(
            [RuleWrite("r/2"), RuleWrite("r/3")], by: try identity("ada"), now: 5, from: old, to: new)
        #expect(explanation.reasons.count == 2)
        let behind = explanation.denials.map { explanation.entries(behind: $0).map(\.path) }
        #expect(behind == [["r/2"], ["r/3"]])
        guard case .object(let members) = explanation.report(in: rules),
            case .list(let failed)? = members.first(where: { $0.name == "failedValidate" })?.value
        else { throw Unexpected() }
        #expect(
            failed == Array(repeating: explanation.entries(behind: explanation.denials[0])[0].location.report, count: 2)
        )
        let json = explanation.report(in: rules).json
        #expect(json.contains(#""outcome":"error","error":"\#(RuleFailure.Reason.notAString)""#))
        #expect(json.contains(#""type":"error","error":"\#(RuleFailure.Reason.notAString)""#))
    }

    @Test("of coverage list what was not tried")
    func coverage() throws {
        var coverage = RuleCoverage(rules)
        #expect(!coverage.report.isComplete)
        coverage.read("r/1", by: try identity("ada"), now: 5, in: data)
        let json = coverage.report.report.json
        #expect(json.hasPrefix(#"{"rules":4,"evaluated":1,"#))
        #expect(json.contains(#""neverEvaluated":[{"rulePath":"/r/$i","kind":".write","line":4,"#))
        #expect(
            json.contains(#""source":"data.child('o').val() == auth.uid","true":1,"false":0,"failed":0}"#))
        #expect(json.contains(#""neverBound":["/r/$i/$k"]"#))
    }
}

private struct Unexpected: Error {}
