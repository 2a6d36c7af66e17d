import DataTree

/// A small durable fact beside the tree: an open session, an onDisconnect operation, a setting, a write id.
package struct StateRecord: Hashable, Sendable {
    /// What sort of fact; the engine gives the numbers.
    package var kind: UInt8
    /// Unique within its kind.
    package var key: [UInt8]
    /// Nil deletes the record.
    package var value: [UInt8]?

    package init(kind: UInt8, key: [UInt8], value: [UInt8]?) {
        self.kind = kind
        self.key = key
        self.value = value
    }
}

/// What a state store holds when a database starts.
package struct LoadedState: Sendable {
    /// The log up to here is in `tree` and `records`; what comes after must be redone.
    package var position: LogPosition
    /// May already hold parts of later entries: redoing them in order repairs that, because logged mutations are
    /// absolute.
    package var tree: Node
    /// Priorities of objects that have no children in `tree`, which only a pass that a crash ended leaves. The objects may
    /// get children back when the log is redone, and then their priorities too.
    package var orphanPriorities: [(path: Path, priority: Priority)]
    /// In order of kind and key, each with a value.
    package var records: [StateRecord]

    package init(
        position: LogPosition, tree: Node, records: [StateRecord],
        orphanPriorities: [(path: Path, priority: Priority)] = []
    ) {
        self.position = position
        self.tree = tree
        self.records = records
        self.orphanPriorities = orphanPriorities
    }

    /// A database without anything.
    package static let empty = LoadedState(position: .none, tree: .empty, records: [])
}

/// The cache of the log: a tree and records as of a position, so that a start need not redo the whole log.
///
/// One thread at a time; the work happens on the caller's thread.
package protocol StateStore: AnyObject, Sendable {
    /// Once, before the first `advance`.
    /// - Throws: `StorageError` if the store is damaged, from a newer release, or belongs to another log.
    func load() throws -> LoadedState

    /// Brings the store from one tree to another, at a cost that follows their difference, and notes `position` last.
    /// When it returns, everything is durable and the log through `position` may be trimmed.
    ///
    /// A pass that throws, or that a crash ends, leaves rows of both trees under the old position. After one that threw,
    /// call again with a `from` as before; the store remembers what the failed pass may have touched.
    /// - Parameters:
    ///   - from: the tree of the last `advance` that returned, or of `load`.
    ///   - records: what changed since then; written together with the position.
    func advance(from: Node, to: Node, records: [StateRecord], position: LogPosition) throws

    func close()
}
