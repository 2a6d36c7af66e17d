import Storage

/// A namespace, as an administrator sees it.
package struct NamespaceReport: Sendable, Equatable {
    package var name: String
    /// Leaves of its tree; nil when it is not in memory.
    package var leaves: Int?
    /// Open sessions; nil when it is not in memory.
    package var sessions: Int?

    package var isLoaded: Bool { leaves != nil }

    package init(name: String, leaves: Int? = nil, sessions: Int? = nil) {
        self.name = name
        self.leaves = leaves
        self.sessions = sessions
    }
}

/// Making, deleting and listing namespaces while the hub runs.
extension Hub {
    /// Makes a namespace with its files.
    /// - Parameter reply: told why it was not made, or nil. Called once; it must not wait.
    package func createNamespace(_ name: String, _ reply: @escaping @Sendable (NamespaceFailure?) -> Void) {
        if let refusal = Self.refusal(of: name) { return reply(.refused(refusal)) }
        let found = state.with { state -> Result<(database: Database, isNew: Bool), NamespaceRefusal> in
            if state.isStopping { return .failure(.stopping) }
            if state.leaving.contains(name) { return .failure(.leaving(name)) }
            if let database = state.databases[name] { return .success((database, false)) }
            return add(name, to: &state).map { ($0, true) }
        }
        switch found {
        case .failure(let refusal): reply(.refused(refusal))
        case .success(let (database, isNew)):
            let (log, work) = (log, work)
            let last = OneReply<NamespaceFailure?>(otherwise: .refused(.stopping), reply)
            let made = OneReply<NamespaceFailure?>(otherwise: .refused(.stopping)) { [weak self] failure in
                if failure == nil { log.info("namespace.created", ["namespace": LogValue(name)]) }
                guard failure != nil, isNew, let self, !mayAppearByItself else { return last.send(failure) }
                // What could not be made is not there, so that nobody's first write makes it after all. Elsewhere, because this
                // is called with locks held.
                work.add {
                    self.remove(database)
                    last.send(failure)
                }
            }
            database.post([.create(made)])
        }
    }

    /// Deletes a namespace for good. Its sessions end with the reason `kicked`: an administrator ended them, and clients that come
    /// back learn that it is gone. What they had registered does not run, since what it would change is gone too. One that the
    /// hub is told to have by `--namespace` is made anew at the next start.
    /// - Parameter reply: told why it was not deleted, or nil. Called once, on another thread.
    package func deleteNamespace(_ name: String, _ reply: @escaping @Sendable (NamespaceFailure?) -> Void) {
        let found = state.with { state -> Result<Database, NamespaceRefusal> in
            if state.isStopping { return .failure(.stopping) }
            if state.leaving.contains(name) { return .failure(.leaving(name)) }
            guard let database = state.databases[name], !database.isForgettable else { return .failure(.unknown(name)) }
            state.databases[name] = nil
            state.leaving.insert(name)
            return .success(database)
        }
        guard case .success(let database) = found else {
            if case .failure(let refusal) = found { reply(.refused(refusal)) }
            return
        }
        let isStarted = startThread { reply(self.remove(name, database)) }
        if isStarted { return }
        state.update { state in
            state.databases[name] = database
            state.leaving.remove(name)
        }
        reply(.unavailable("no thread can be started"))
    }

    /// Ends a namespace and removes what it has stored.
    private func remove(_ name: String, _ database: Database) -> NamespaceFailure? {
        database.beginDiscarding()
        database.waitUntilStopped()
        var failure: NamespaceFailure?
        do {
            try storage.namespace(name).remove()
            log.info("namespace.deleted", ["namespace": LogValue(name)])
        } catch {
            log.error("namespace.delete_failed", ["namespace": LogValue(name), "error": "\(error)"])
            failure = .unavailable("\(error)")
        }
        state.update { state in
            state.leaving.remove(name)
            // It is there still: whoever tries again must find it.
            if failure != nil && storage.namespace(name).exists { state.databases[name] = makeDatabase(name) }
        }
        return failure
    }

    /// Takes a namespace that has no files off the list.
    private func remove(_ database: Database) {
        state.with { state in
            if state.databases[database.name] === database { state.databases[database.name] = nil }
        }
        database.beginDiscarding()
    }

    /// Tells all namespaces, by name. Those that exist in name only, because somebody asked for them in `--dev`, are left out.
    /// - Parameter reply: called once, maybe before this returns; it must not wait.
    package func describeNamespaces(_ reply: @escaping @Sendable ([NamespaceReport]) -> Void) {
        let databases = state.with { state in
            state.databases.values.filter { !$0.isForgettable }.sorted { $0.name < $1.name }
        }
        gather(databases, otherwise: NamespaceReport(name: "")) { database, own in
            let name = database.name
            guard database.isInMemory else { return own.send(NamespaceReport(name: name)) }
            database.post([
                .administer(
                    .inquire(
                        Inquiry(own) { engine in
                            NamespaceReport(name: name, leaves: engine.tree.leafCount, sessions: engine.sessionCount)
                        }))
            ])
        } then: { reports in
            reply(reports.filter { !$0.name.isEmpty })
        }
    }
}
