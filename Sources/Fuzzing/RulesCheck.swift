import DataTree
import SecurityRules

/// Rules files and decisions over them, made of anything.
enum RulesCheck {
    /// Any bytes as a rules file: refused with places that are in the file, or compiled, and then its expressions read the
    /// same when they are printed.
    static func fileDisagreement(_ bytes: UnsafeRawBufferPointer) -> String? {
        let text = Array(bytes)
        let source = SourceText(text)
        do throws(RulesRefusal) {
            let rules = try CompiledRules(text)
            for location in rules.ruleLocations {
                guard let printed = CompiledRules.printedExpression(location.text) else {
                    return "a rule was compiled that cannot be read: \(location.text)"
                }
                guard CompiledRules.printedExpression(printed) == printed else {
                    return "\(location.text) is printed as \(printed), which is printed otherwise"
                }
            }
        } catch {
            guard !error.problems.isEmpty else { return "refused without a problem" }
            for (problem, next) in zip(error.problems, error.problems.dropFirst())
            where problem.position < next.position {
                return "\(next) stands behind \(problem)"
            }
            for problem in error.problems {
                guard let line = source.line(problem.position.line),
                    (1...line.utf16.count + 2).contains(problem.position.column)
                else { return "\(problem) is not in the file" }
            }
        }
        return nil
    }

    /// Rules, the data before, what is written, where, and by whom, with a byte between them that no UTF-8 has. However
    /// a decision is watched, it must be the same.
    static func decisionDisagreement(_ bytes: UnsafeRawBufferPointer) -> String? {
        let parts = bytes.split(separator: 0xFF, maxSplits: 4, omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count == 5, let path = String(validating: parts[3], as: UTF8.self),
            let auth = String(validating: parts[4], as: UTF8.self), let old = node(parts[1]),
            let value = node(parts[2]), let identity = try? RuleIdentity(json: auth)
        else { return nil }
        var limits = RulesLimits()
        limits.steps = 5000
        limits.stringBytes = 100_000
        limits.traceEntries = 100
        guard let rules = try? CompiledRules(parts[0], limits: limits) else { return nil }
        let place = Path(path)
        guard let resolved = try? value.resolved(ServerValueContext(timestamp: 5), existing: old.node(at: place)) else {
            return nil
        }
        var new = old
        new.set(resolved, at: place)
        return read(rules, place, identity, old) ?? write(rules, place, identity, old, new)
    }

    private static func node(_ bytes: [UInt8]) -> Node? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        return try? Node(json: text, limits: JSONLimits(depth: 32))
    }

    private static func read(_ rules: CompiledRules, _ path: Path, _ identity: RuleIdentity, _ root: Node) -> String? {
        let plain = rules.read(path, by: identity, now: 5, in: root)
        var dependencies = ReadDependencies()
        var coverage = RuleCoverage(rules)
        let others = [
            rules.read(path, by: identity, now: 5, in: root, dependencies: &dependencies),
            rules.explainRead(path, by: identity, now: 5, in: root).decision,
            coverage.read(path, by: identity, now: 5, in: root),
        ]
        return disagreement(plain, others)
    }

    private static func write(
        _ rules: CompiledRules, _ path: Path, _ identity: RuleIdentity, _ old: Node, _ new: Node
    ) -> String? {
        for carried in [RuleWrite.Carried.value, .priority, .nothing] {
            let writes = [RuleWrite(path, carried: carried)]
            let plain = rules.write(writes, by: identity, now: 5, from: old, to: new)
            let explanation = rules.explainWrite(writes, by: identity, now: 5, from: old, to: new)
            _ = explanation.lines()
            var coverage = RuleCoverage(rules)
            let counted = coverage.write(writes, by: identity, now: 5, from: old, to: new)
            if let disagreement = disagreement(plain, [explanation.decision, counted]) { return disagreement }
        }
        return nil
    }

    private static func disagreement(_ plain: Decision, _ others: [Decision]) -> String? {
        for other in others where other.denial != plain.denial || other.grant != plain.grant {
            return "decided \(plain), but \(other) when it is watched"
        }
        return nil
    }
}
