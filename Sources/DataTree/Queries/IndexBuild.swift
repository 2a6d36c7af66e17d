/// The work of building one index from a snapshot, to be run on any thread while commits go on.
package struct IndexBuild: Sendable {
    package let index: Query.Index
    let number: UInt64
    let snapshot: Node

    /// Builds the index: O(n log n). Hand the outcome to ``QueryGroup/install(_:node:)``.
    package func run() -> FinishedIndex {
        FinishedIndex(build: self, content: ChildIndex(of: snapshot, by: index))
    }
}

/// An index as of the snapshot that its build started from.
package struct FinishedIndex: Sendable {
    let build: IndexBuild
    var content: ChildIndex

    package var index: Query.Index { build.index }
}
