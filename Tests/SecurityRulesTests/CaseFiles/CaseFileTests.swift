import DataTree
import SecurityRules
import Testing

@Suite("the case files of this project")
struct CaseFileTests {
    @Test("hold the 244 numbered cases, 47 of them refusals")
    func conformance() throws {
        let cases = try ConformanceCase.all()
        #expect(cases.map(\.number) == Array(1...244))
        let refusals = cases.filter { if case .refusal = $0.expectation { true } else { false } }
        #expect(refusals.count == 47)
        #expect(Set(cases.map(\.section)).count == 12)
    }

    @Test("keep the texts of rules, values and callers as they are")
    func texts() throws {
        let cases = try ConformanceCase.all()
        #expect(cases[2].rules == #"{".read": "false || true && false"}"#)
        #expect(cases[125].rules == #"{".read": "data.val().matches(/^\\d+\\.\\d\\d$/)"}"#)
        guard case .verdict(let breaking) = cases[127].expectation else { throw ConformanceCase.Malformed(number: 128) }
        #expect(breaking.data == Node(leaf: .string("a\nc")) && breaking.now == 1_700_000_000_000)
        guard case .verdict(let claim) = cases[57].expectation else { throw ConformanceCase.Malformed(number: 58) }
        #expect(claim.identity.auth?.node(at: "token/org/tier") == Node(leaf: .string("gold")))
        #expect(claim.caller == "alice" && claim.expectation == .allow)
    }

    @Test(
        "hold eight sets of rules with all their operations",
        arguments: zip(CaseFiles.ruleSetNames, [14, 16, 10, 14, 9, 11, 13, 11]))
    func ruleSets(name: String, count: Int) throws {
        let set = try CaseFiles.ruleSet(name)
        #expect(set.cases.count == count)
        #expect(set.rules.hasPrefix("//"))
        #expect(set.cases.allSatisfy { $0.now == 1_700_000_000_000 && !$0.data.isEmpty })
    }
}
