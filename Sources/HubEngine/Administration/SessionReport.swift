import WireProtocol

/// An open session, as an administrator sees it.
package struct SessionReport: Sendable, Equatable {
    /// The connection in its text form.
    package var id: String
    package var namespace: String
    package var transport: Transport
    /// The user whom it acts for, or acted for until the token ended.
    package var uid: String?
    package var isAdministrator: Bool
    /// When it opened, milliseconds since 1970.
    package var since: Int64
    /// The peer's numeric address.
    package var remoteAddress: String
    /// The `User-Agent` that the client sent.
    package var agent: String
    package var listens: Int
    /// Places that are to be written when it ends.
    package var onDisconnectOperations: Int

    package init(
        id: String, namespace: String, transport: Transport, uid: String?, isAdministrator: Bool, since: Int64,
        remoteAddress: String, agent: String, listens: Int, onDisconnectOperations: Int
    ) {
        self.id = id
        self.namespace = namespace
        self.transport = transport
        self.uid = uid
        self.isAdministrator = isAdministrator
        self.since = since
        self.remoteAddress = remoteAddress
        self.agent = agent
        self.listens = listens
        self.onDisconnectOperations = onDisconnectOperations
    }
}

extension Engine {
    /// The open sessions that fit, in the order of their connections.
    package func sessionReports(_ filter: SessionFilter) -> [SessionReport] {
        chosen(filter).map { session in
            SessionReport(
                id: session.connection.description, namespace: configuration.namespace,
                transport: session.opening.transport, uid: session.lastVerifiedIdentity.userID,
                isAdministrator: session.identity.isAdministrator, since: session.since,
                remoteAddress: session.opening.remoteAddress, agent: session.opening.userAgent,
                listens: session.listens.count, onDisconnectOperations: session.onDisconnect.operationCount)
        }
    }

    /// Ends the sessions that fit, and tells how many they were.
    func kick(_ filter: SessionFilter, _ reason: LeaveReason = .kicked) -> Int {
        let kicked = chosen(filter)
        for session in kicked {
            log.info("session.kicked", ["session": LogValue(session.connection)])
            close(session.connection, reason)
            end(session, reason)
        }
        return kicked.count
    }

    /// Forgets all sessions and what they hold, and tells their connections. For a database that is to be deleted.
    func abandonSessions() -> [ConnectionID] {
        let abandoned = chosen(SessionFilter())
        for session in abandoned {
            stopWaiting(session)
            session.state = .closed(.kicked)
            removeAllListens(of: session)
            leaseEnded(session)
        }
        sessions = [:]
        sessionsByID = [:]
        return abandoned.map(\.connection)
    }

    private func chosen(_ filter: SessionFilter) -> [Session] {
        if let namespace = filter.namespace, namespace != configuration.namespace { return [] }
        return sessions.values.filter(filter.fits).sorted { $0.connection.packed < $1.connection.packed }
    }
}
