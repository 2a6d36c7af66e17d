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

extension CompiledRules {
    /// What the rules say to the operation of a case, carried out on its data.
    func decision(_ ruleCase: RuleCase) throws -> Decision {
        let identity = try RuleIdentity(json: ruleCase.auth)
        let now = try #require(ruleCase.now)
        var writes: [(Path, Node)] = []
        switch ruleCase.operation {
        case .read(let path, let query):
            return read(path, query: RuleQuery(query, over: .socket), by: identity, now: now, in: ruleCase.data)
        case .set(let path, let value): writes = [(path, value)]
        case .update(let path, let changes): writes = changes.map { (path.appending($0.path), $0.value) }
        }
        var new = ruleCase.data
        for (path, value) in writes {
            let existing = ruleCase.data.node(at: path)
            new.set(try value.resolved(ServerValueContext(timestamp: now), existing: existing), at: path)
        }
        return write(writes.map { RuleWrite($0.0) }, by: identity, now: now, from: ruleCase.data, to: new)
    }
}
