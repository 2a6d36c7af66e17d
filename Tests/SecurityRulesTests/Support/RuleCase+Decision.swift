import SecurityRules

extension CompiledRules {
    /// What the rules say to the operation of a case, carried out on its data.
    func decision(_ ruleCase: RuleCase) throws -> Decision { try RuleOperation(ruleCase, now: 0).decide(self) }
}
