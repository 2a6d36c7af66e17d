import Storage

/// Storage that forgets everything with the process: `--memory`, and tests.
package struct MemoryHubStorage: HubStorage {
    package init() {}

    package func existing() throws -> [String] { [] }

    package func namespace(_ name: String) -> any NamespaceStorage { MemoryNamespaceStorage() }
}

private struct MemoryNamespaceStorage: NamespaceStorage {
    var isPersistent: Bool { false }
    var exists: Bool { false }

    func remove() {}

    func open() throws -> (any CommitLog, any StateStore) { (MemoryLog(keepsEntries: false), MemoryState()) }
}
