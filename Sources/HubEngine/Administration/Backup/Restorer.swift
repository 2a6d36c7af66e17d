import DataTree
import Storage

/// Puts a backup into an empty or missing data directory.
///
/// ```swift
/// let restorer = try Restorer(directory: "/var/lib/hearth")
/// let reader = BackupReader { try restorer.add($0) }
/// …
/// try reader.finish()
/// try restorer.finish(verifying: true)
/// ```
///
/// Until `finish` the directory carries a mark with which no hub starts on it. A restore that was cut short is begun again in
/// the same directory.
package final class Restorer {
    /// What was restored of one namespace.
    package struct Restored: Sendable, Equatable {
        package var name: String
        package var leaves: Int
        package var rulesVersions: Int
        /// The root hash of the data.
        package var hash: String
        var settings: NamespaceSettings
        var lastSeen: LastSeenTable
    }

    private let directory: DataDirectory
    package private(set) var restored: [Restored] = []

    /// - Throws: `StorageError.notEmpty` for a directory that holds anything, and what stands in the way of using it.
    package init(directory path: String) throws(StorageError) {
        directory = try DataDirectory(restoringInto: path)
    }

    /// Writes one namespace, durably.
    package func add(_ backup: NamespaceBackup) throws {
        let place = try directory.namespace(backup.name)
        guard !place.exists else {
            throw BackupError.differs(namespace: backup.name, "the backup holds it twice")
        }
        let (log, state) = try place.open()
        _ = try state.load()
        try state.advance(from: .empty, to: backup.tree, records: Self.records(of: backup), position: log.lastPosition)
        log.start { _ in }
        log.close()
        state.close()
        restored.append(
            Restored(
                name: backup.name, leaves: backup.tree.leafCount, rulesVersions: backup.rules.versions.count,
                hash: backup.tree.hash(), settings: backup.settings, lastSeen: backup.lastSeen))
    }

    private static func records(of backup: NamespaceBackup) -> [StateRecord] {
        backup.rules.versions.map { .rules($0.number, $0) } + backup.settings.all.map { .setting($0.name, $0.text) }
            + backup.lastSeen.all.map { .lastSeen($0.uid, $0.entry) }
            // Time never goes back, not even beyond a restore.
            + [.counter("time", "\(backup.time)")]
    }

    /// Takes the mark away: from here on it is a hub's data directory.
    /// - Parameter verifying: reads everything back first, and compares it with the backup.
    package func finish(verifying: Bool) throws {
        if verifying {
            for expected in restored { try verify(expected) }
        }
        try directory.finishRestoring()
    }

    private func verify(_ expected: Restored) throws {
        let (log, state) = try directory.namespace(expected.name).open()
        var image = try DurableImage(try state.load())
        try log.replay(after: log.lastPosition) { _, bytes in image.redo(try LogEntry(decoding: bytes)) }
        log.start { _ in }
        log.close()
        state.close()
        let found = Restored(
            name: expected.name, leaves: image.tree.leafCount, rulesVersions: image.rules.versions.count,
            hash: image.tree.hash(), settings: image.settings, lastSeen: image.lastSeen)
        guard found == expected else {
            throw BackupError.differs(
                namespace: expected.name,
                "what was written reads back as \(found.leaves) leaves with hash \(found.hash), not \(expected.leaves) with "
                    + "\(expected.hash), or its rules, settings or last visits differ")
        }
    }
}
