import Storage

/// Where one namespace keeps its log and its state.
package protocol NamespaceStorage: Sendable {
    /// Whether it outlives the process.
    var isPersistent: Bool { get }
    /// Whether something is there already.
    var exists: Bool { get }
    func open() throws -> (any CommitLog, any StateStore)
    /// Removes all of it for good, while nothing has it open. Wherever a crash ends this, it is there whole or not at all.
    func remove() throws
}

/// Where a hub keeps its namespaces.
package protocol HubStorage: Sendable {
    /// The names of those that are there.
    func existing() throws -> [String]
    func namespace(_ name: String) -> any NamespaceStorage
}
