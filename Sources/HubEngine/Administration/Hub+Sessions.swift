import Storage

/// Seeing and ending sessions from outside. Namespaces that are not in memory have none, and stay where they are.
extension Hub {
    /// Tells the open sessions that fit, by namespace and then by connection.
    /// - Parameter reply: called once, maybe before this returns, maybe on another thread; it must not wait.
    package func sessions(_ filter: SessionFilter, _ reply: @escaping @Sendable ([SessionReport]) -> Void) {
        let databases = loadedDatabases(filter.namespace)
        gather(databases, otherwise: []) { database, own in
            database.post([.administer(.inquire(Inquiry(own) { $0.sessionReports(filter) }))])
        } then: { reports in
            reply(Array(reports.joined()))
        }
    }

    /// Ends the open sessions that fit, with the reason `kicked`, and tells how many they were. What they registered runs. A
    /// filter that gives nothing ends none: that would be everybody.
    /// - Parameter reply: called once, when the ends are durable or noted to be made so; it must not wait.
    package func kick(_ filter: SessionFilter, _ reply: @escaping @Sendable (Int) -> Void) {
        let databases = filter.isEmpty ? [] : loadedDatabases(filter.namespace)
        gather(databases, otherwise: 0) { database, own in
            database.post([.administer(.kick(filter, own))])
        } then: { counts in
            reply(counts.reduce(0, +))
        }
    }

    /// Asks several databases for one thing each.
    /// - Parameters:
    ///   - otherwise: what counts for one that goes without an answer.
    ///   - ask: has a database send its answer.
    ///   - finished: told all answers, in the order of the databases, once.
    func gather<Answer: Sendable>(
        _ databases: [Database], otherwise: Answer, _ ask: (Database, OneReply<Answer>) -> Void,
        then finished: @escaping @Sendable ([Answer]) -> Void
    ) {
        if databases.isEmpty { return finished([]) }
        let gathered = Monitor((answers: databases.map { _ in otherwise }, missing: databases.count))
        for (index, database) in databases.enumerated() {
            let own = OneReply(otherwise: otherwise) { answer in
                let all = gathered.with { gathered -> [Answer]? in
                    gathered.answers[index] = answer
                    gathered.missing -= 1
                    return gathered.missing == 0 ? gathered.answers : nil
                }
                if let all { finished(all) }
            }
            ask(database, own)
        }
    }
}
