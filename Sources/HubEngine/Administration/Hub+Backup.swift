import Storage

/// Backups of a hub that runs.
extension Hub {
    /// Takes everything durable of each namespace as of one moment, once all of that is durable. Namespaces that are not in memory
    /// come into it for that. The hashes of the data are computed before the reply, on a thread that may take its time.
    /// - Parameter reply: the namespaces by name; nil when one of them cannot be reached, because it is deleted meanwhile or the
    ///   hub stops: a backup has all or is none. Called once, mostly on another thread; it must not wait.
    package func backup(_ reply: @escaping @Sendable ([NamespaceBackup]?) -> Void) {
        let last = OneReply<[NamespaceBackup]?>(otherwise: nil, reply)
        let databases = state.with { state in
            state.databases.values.filter { !$0.isForgettable }.sorted { $0.name < $1.name }
        }
        let work = work
        gather(databases, otherwise: nil) { (database, own: OneReply<NamespaceBackup?>) in
            database.post([.administer(.inquire(Inquiry(own) { NamespaceBackup($0) }))])
        } then: { backups in
            work.add {
                let all = backups.compactMap { $0 }
                for backup in all { _ = backup.tree.hash() }
                last.send(all.count == backups.count ? all : nil)
            }
        }
    }
}
