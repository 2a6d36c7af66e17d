import DataTree
import SecurityRules
import Testing

@Suite("rules decide as the official service does")
struct ConformanceTests {
    @Test("in each numbered case", arguments: try ConformanceCase.all())
    func conformance(_ conformanceCase: ConformanceCase) throws {
        switch conformanceCase.expectation {
        case .verdict(let expected):
            let rules = try CompiledRules(Array(conformanceCase.document.utf8))
            #expect(try rules.decision(expected).isAllowed == (expected.expectation == .allow))
        case .refusal(let message):
            let refusal = #expect(throws: RulesRefusal.self) {
                try CompiledRules(Array(conformanceCase.document.utf8))
            }
            let texts = try #require(refusal).problems.map(\.text)
            if message.hasPrefix("unsupported") {
                #expect(texts.count == 1 && texts[0].hasPrefix(message))
            } else {
                #expect(texts == [message])
            }
        }
    }

    @Test("in each operation on a set of rules", arguments: try CaseFiles.ruleSetNames.map(CaseFiles.ruleSet))
    func ruleSets(_ ruleSet: CaseFiles.RuleSet) throws {
        let rules = try CompiledRules(Array(ruleSet.rules.utf8))
        for ruleCase in ruleSet.cases {
            let decision = try rules.decision(ruleCase)
            #expect(decision.isAllowed == (ruleCase.expectation == .allow), "\(ruleCase.name): \(ruleCase.operation)")
        }
    }
}
