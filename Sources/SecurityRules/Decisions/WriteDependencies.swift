import DataTree

extension CompiledRules {
    /// Decides a write, and tells which places besides the written ones the decision rests on: while none of them changes,
    /// nor what was at the written places, the same write is decided the same way (but for `now`).
    package func write(
        _ writes: [RuleWrite], by identity: RuleIdentity, now: Int64, from old: Node, to new: Node,
        dependencies: inout ReadDependencies
    ) -> Decision {
        var evaluator = Evaluator(
            self, by: identity, now: now, query: .none, old: old, new: new,
            observer: WriteRecorder(written: Set(writes.map(\.path))))
        let decision = evaluator.write(writes)
        dependencies = evaluator.observer.dependencies
        // Whether a place on the way has data afterwards decides whether its `.validate` is asked.
        for write in writes {
            for length in 0..<write.path.count { dependencies.places.insert(write.path.prefix(length)) }
        }
        return decision
    }
}

/// Notes what the decision over a write reads elsewhere than in what is written, which is as large as the write.
private struct WriteRecorder: EvaluationObserver {
    static var observesReads: Bool { true }

    let written: Set<Path>
    var dependencies = ReadDependencies()

    mutating func reads(_ path: Path, isDeep: Bool) {
        if (0...path.count).contains(where: { written.contains(path.prefix($0)) }) { return }
        if isDeep {
            dependencies.subtrees.insert(path)
        } else {
            dependencies.places.insert(path)
        }
    }
}
