import DataTree

/// The places that the decision over a read has looked at (decision D13): a commit that changes one of them may change
/// the decision.
package struct ReadDependencies: Equatable, Sendable {
    /// Places of which existence, kind, value or priority were asked. What happens below one of them matters only as far
    /// as the place itself appears, vanishes or turns from leaf to object.
    package var places: Set<Path> = []
    /// Places that were compared with all below them.
    package var subtrees: Set<Path> = []

    package init() {}

    package var isEmpty: Bool { places.isEmpty && subtrees.isEmpty }

    /// Whether a change may matter. `change` is the highest node that came into being, vanished, or turned from leaf to
    /// object or back, else the written node: what `Node.set` reports.
    package func mayBeAffected(byChangeAt change: Path) -> Bool {
        places.contains { $0.hasPrefix(change) }
            || subtrees.contains { $0.hasPrefix(change) || change.hasPrefix($0) }
    }
}

/// Notes what a decision reads.
struct ReadRecorder: EvaluationObserver {
    static var observesReads: Bool { true }

    var dependencies = ReadDependencies()

    mutating func reads(_ path: Path, isDeep: Bool) {
        if isDeep {
            dependencies.subtrees.insert(path)
        } else {
            dependencies.places.insert(path)
        }
    }
}
