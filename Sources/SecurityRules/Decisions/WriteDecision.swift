import DataTree

/// A place that a write names, and how much it carries there. The value is what the tree has there afterwards.
package struct RuleWrite: Equatable, Sendable {
    package enum Carried: Sendable {
        /// A value for all at and below the place, or its deletion.
        case value
        /// The priority alone; children are not carried (decision D12).
        case priority
        /// Nothing: an update without any path asks `.write` at its base and no more (decision D12).
        case nothing
    }

    package var path: Path
    package var carried: Carried

    package init(_ path: Path, carried: Carried = .value) {
        self.path = path
        self.carried = carried
    }
}

extension CompiledRules {
    /// Whether rules let `identity` change `old` to `new` by these writes, all or none.
    ///
    /// `new` is the tree with all writes applied and server values filled in; rules never see half of a write. No written
    /// path may be at or below another. Costs the rules on each way, once for ways that begin alike, and one
    /// `.validate` for each carried place that has one; places without rules cost nothing.
    package func write(
        _ writes: [RuleWrite], by identity: RuleIdentity, now: Int64, from old: Node, to new: Node
    ) -> Decision {
        var evaluator = Evaluator(
            self, by: identity, now: now, query: .none, old: old, new: new, observer: NoObserver())
        return evaluator.write(writes)
    }
}

extension Evaluator {
    mutating func write(_ writes: [RuleWrite]) -> Decision {
        var decision = Decision()
        for write in writes {
            stepsLeft += rules.limits.stepsPerPlace
            retreat(to: write.path)
            guard let grant = grant(write.path) else {
                note(.notGranted(.write, write.path), in: &decision)
                if Observer.wantsEveryReason { continue }
                break
            }
            decision.grant = grant
            if write.carried == .nothing { continue }
            validate(write, &decision)
            if !decision.isAllowed, !Observer.wantsEveryReason { break }
        }
        if !decision.isAllowed { decision.grant = nil }
        return decision
    }

    private mutating func note(_ denial: Denial, in decision: inout Decision) {
        observer.denies(denial)
        if decision.denial == nil { decision.denial = denial }
    }

    /// Goes back up to the last level that is on the way to `path`: what was decided up to there holds for it too.
    private mutating func retreat(to path: Path) {
        var common = 0
        while common < path.count, common + 1 < levels.count, levels[common + 1].key == path.keys[common] {
            common += 1
        }
        while levels.count > common + 1 { levels.removeLast() }
    }

    /// The first rule from the root down whose `.write` is true.
    private mutating func grant(_ path: Path) -> RuleReference? {
        for level in 0...path.count {
            if level == levels.count, !descend(path.keys[level - 1]) { return nil }
            guard let rule = levels[level].node.write else { continue }
            let grants = levels[level].grants ?? outcome(of: rule, at: level).isTrue
            levels[level].grants = grants
            if grants { return RuleReference(index: rule) }
        }
        return nil
    }

    /// Asks `.validate` of each place on the way that has data afterwards, and of all that the write carries.
    private mutating func validate(_ write: RuleWrite, _ decision: inout Decision) {
        for level in 0...write.path.count {
            if level == levels.count, !descend(write.path.keys[level - 1]) { return }
            if levels[level].new.isEmpty { return }
            guard validate(at: level, &decision) else { return }
        }
        if write.carried == .value { validateCarried(&decision) }
    }

    /// Asks the `.validate` of a level; false when the decision is made.
    private mutating func validate(at level: Int, _ decision: inout Decision) -> Bool {
        if levels[level].isValidated { return true }
        levels[level].isValidated = true
        guard let rule = levels[level].node.validate else { return true }
        if outcome(of: rule, at: level).isTrue { return true }
        note(.invalid(RuleReference(index: rule), path(toLevel: level)), in: &decision)
        return Observer.wantsEveryReason
    }

    /// Asks every `.validate` below the last level that stands for data. Goes down only where there are such rules, and
    /// looks at all children only where a wildcard has some.
    private mutating func validateCarried(_ decision: inout Decision) {
        let level = levels[levels.count - 1]
        let node = level.node
        guard level.new.childCount > 0 else { return }
        if let wildcard = node.wildcard, wildcard.isValidated {
            level.new.forEachChild { key, child in
                if let literal = node.literal(key) {
                    return literal.isValidated ? validateCarried(key, literal, level.old, child, &decision) : true
                }
                return validateCarried(key, wildcard, level.old, child, &decision)
            }
        } else {
            for (key, literal) in node.validatedLiterals {
                let child = level.new[key]
                if !child.isEmpty, !validateCarried(key, literal, level.old, child, &decision) { return }
            }
        }
    }

    /// Asks the rules of one carried child and below; false when the decision is made.
    private mutating func validateCarried(
        _ key: Key, _ child: RuleNode, _ old: Node, _ new: Node, _ decision: inout Decision
    ) -> Bool {
        stepsLeft += rules.limits.stepsPerPlace
        push(key, child, old: old[key], new: new)
        defer { levels.removeLast() }
        guard validate(at: levels.count - 1, &decision) else { return false }
        validateCarried(&decision)
        return decision.isAllowed || Observer.wantsEveryReason
    }
}
