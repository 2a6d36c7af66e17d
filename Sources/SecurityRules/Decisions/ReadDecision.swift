import DataTree

extension CompiledRules {
    /// Whether rules let `identity` read `path` as `root` is now.
    ///
    /// Costs one evaluation for each `.read` from the root down until one is true.
    package func read(
        _ path: Path, query: RuleQuery = .none, by identity: RuleIdentity, now: Int64, in root: Node
    ) -> Decision {
        var evaluator = Evaluator(
            self, by: identity, now: now, query: query, old: root, new: .empty, observer: NoObserver())
        return evaluator.read(path)
    }

    /// The same, and which places the decision rests on: while none of them changes, and neither rules nor identity do,
    /// the same read is decided the same way (but for `now`).
    package func read(
        _ path: Path, query: RuleQuery = .none, by identity: RuleIdentity, now: Int64, in root: Node,
        dependencies: inout ReadDependencies
    ) -> Decision {
        var evaluator = Evaluator(
            self, by: identity, now: now, query: query, old: root, new: .empty, observer: ReadRecorder())
        let decision = evaluator.read(path)
        dependencies = evaluator.observer.dependencies
        return decision
    }
}

extension Evaluator {
    /// Asks each `.read` from the root down; the first that is true grants all below it. Every one of them sees the
    /// query of the request (decision D11).
    mutating func read(_ path: Path) -> Decision {
        for level in 0...path.count {
            if let rule = levels[level].node.read, outcome(of: rule, at: level).isTrue {
                return Decision(grant: RuleReference(index: rule))
            }
            guard level < path.count, descend(path.keys[level]) else { break }
        }
        let denial = Denial.notGranted(.read, path)
        observer.denies(denial)
        return Decision(denial: denial)
    }

    /// Goes one level down, if rules go on there.
    mutating func descend(_ key: Key) -> Bool {
        let last = levels.count - 1
        guard let child = levels[last].node.child(key) else { return false }
        push(key, child, old: levels[last].old[key], new: levels[last].new[key])
        return true
    }

    mutating func push(_ key: Key, _ child: RuleNode, old: Node, new: Node) {
        if Observer.observesRules, child.isWildcard { observer.wildcardMatches(child.index) }
        levels.append(Level(key: key, node: child, old: old, new: new))
    }
}
