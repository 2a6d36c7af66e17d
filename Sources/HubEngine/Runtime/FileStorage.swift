import Storage

/// Storage in a data directory: a log and a state file for each namespace.
package struct FileHubStorage: HubStorage {
    private let directory: DataDirectory
    private let log: LogConfiguration

    package init(directory: DataDirectory, log: LogConfiguration = LogConfiguration()) {
        self.directory = directory
        self.log = log
    }

    package func existing() throws -> [String] { try directory.namespaceNames() }

    package func namespace(_ name: String) -> any NamespaceStorage {
        FileNamespaceStorage(directory: directory, name: name, log: log)
    }
}

private struct FileNamespaceStorage: NamespaceStorage {
    let directory: DataDirectory
    let name: String
    let log: LogConfiguration

    var isPersistent: Bool { true }

    var exists: Bool { (try? directory.namespace(name).exists) ?? false }

    func open() throws -> (any CommitLog, any StateStore) {
        let opened = try directory.namespace(name).open(configuration: log)
        return (opened.log, opened.state)
    }

    func remove() throws { try directory.deleteNamespace(name) }
}
