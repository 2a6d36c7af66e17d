import DataTree
import WireProtocol

/// The beginning and the end of sessions.
extension Engine {
    func open(_ connection: ConnectionID, _ opening: SessionOpening, _ id: SessionID) {
        var superseded: Session?
        let last = opening.lastSession.flatMap { SessionID($0) }
        if let last, let old = sessionsByID[last] {
            // The old session's operations run before the new one is greeted, so that what they write never undoes what the
            // new one is about to write (firebase-js-sdk, `Connection` constructor, `lastSessionId`).
            log.info("session.superseded", ["old": LogValue(old.connection), "new": LogValue(connection)])
            close(old.connection, .superseded)
            end(old, .superseded)
            superseded = old
        }
        let session = Session(id: id, connection: connection, opening: opening, since: now)
        if let credential = opening.credential {
            return open(session, credential)
        }
        sessions[connection] = session
        sessionsByID[id] = session
        if let last, superseded == nil, let owing = sessionWithOwedEnd(last) {
            greetBehindOwedEnd(session, owing)
        } else {
            greet(session, after: superseded)
        }
    }

    /// Opens a session that is not greeted: it acts for whom it came with, or does not open at all.
    private func open(_ session: Session, _ credential: CallCredential) {
        do throws(CallRefusal) {
            let identity = try configuration.authenticator.identity(
                of: credential, now: now, isAdministrative: session.opening.isAdministrative)
            session.identity = identity
            if let expiry = identity.expiry { earliestExpiry = min(earliestExpiry, expiry) }
        } catch {
            metrics.denied["auth"].add()
            outbox.answer(.refused(error), to: session.connection)
            return
        }
        sessions[session.connection] = session
        sessionsByID[session.id] = session
        batch.requests.append(.opened(session, after: nil))
        joinPresence(session)
    }

    /// - Parameter superseded: the session that this one took over from; should its end be refused, the greeting waits until
    ///   that is stored after all.
    func greet(_ session: Session, after superseded: Session?) {
        batch.requests.append(.opened(session, after: superseded))
        guard session.opening.credential == nil else { return }
        let hello = ServerMessage.hello(
            timestamp: now, host: configuration.publicHost ?? session.opening.host, session: session.id.description,
            writeIDs: true)
        outbox.send(hello, to: session.connection)
    }

    /// Ends a session: its listens go, what it registered runs, presence follows. Nothing is accepted from it afterwards.
    func end(_ session: Session, _ reason: LeaveReason) {
        guard !session.isClosed else { return }
        stopWaiting(session)
        session.state = .closed(reason)
        session.backlog = []
        sessions[session.connection] = nil
        sessionsByID[session.id] = nil
        removeAllListens(of: session)
        leaseEnded(session)
        leavePresence(session, reason)
        runOnDisconnect(session, reason)
    }

    /// Ends every session, as at the end of the hub's life.
    package func endAll(_ reason: LeaveReason, time: Int64) {
        now = max(now, time)
        for session in sessions.values.sorted(by: { $0.connection.packed < $1.connection.packed }) {
            close(session.connection, reason)
            end(session, reason)
        }
    }

    /// Ends the sessions that the last run of the hub left open, as found in the durable image.
    package func endLeftOver(_ recorded: [SessionID: DurableImage.RecordedSession], time: Int64) {
        now = max(now, time)
        let left = recorded.sorted { ($0.value.since, $0.key.description) < ($1.value.since, $1.key.description) }
        for (id, recorded) in left {
            let opening = SessionOpening(transport: Transport(rawValue: recorded.transport) ?? .webSocket, host: "")
            let session = Session(
                id: id, connection: ConnectionID(loop: 0, slot: .max, generation: 0), opening: opening,
                since: recorded.since)
            session.identity = recorded.identity
            session.onDisconnect = recorded.onDisconnect
            session.isRecorded = true
            session.isIdentityRecorded = true
            session.state = .closed(.hubRestarted)
            if let uid = recorded.identity.userID {
                publishPresence(
                    [], along: noteLastSeen(LastSeen(uid: uid, at: now, reason: LeaveReason.hubRestarted.rawValue)))
            }
            runOnDisconnect(session, .hubRestarted)
        }
    }

    /// Makes sure that the log knows the session and whom it acts for, before something durable depends on it.
    func record(_ session: Session) {
        guard refusal == nil else { return owe(.identity(session)) }
        if session.isRecorded && session.isIdentityRecorded { return }
        batch.requests.append(.owed(.identity(session)))
        if !session.isRecorded {
            session.isRecorded = true
            batch.undo.append(.recorded(session))
            batch.entry.records.append(
                .sessionStarted(
                    session.id, transport: session.opening.transport.rawValue, agent: session.opening.userAgent,
                    since: session.since))
            session.isIdentityRecorded = session.identity == .anonymous
            unsaved.sessions.insert(session.id)
        }
        if !session.isIdentityRecorded {
            session.isIdentityRecorded = true
            batch.undo.append(.identity(session))
            batch.entry.records.append(.signedIn(session.id, session.identity))
            unsaved.sessions.insert(session.id)
        }
    }
}
