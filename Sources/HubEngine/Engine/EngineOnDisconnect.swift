import DataTree
import WireProtocol

/// What sessions leave to be written when they end.
extension Engine {
    func registerOnDisconnect(_ session: Session, _ number: Int, _ operations: [(Path, Node)]) {
        for (path, value) in operations {
            if let objection = objection(to: path, by: session.identity) {
                return respond(session, number, objection.status, objection.reason)
            }
            if path.last == WritePath.priorityKey && WritePath.priority(from: value) == nil {
                return respond(session, number, .invalidData, "\(PriorityError.notAPriority)")
            }
        }
        if let refusal { return respond(session, number, .unavailable, refusal) }
        var tree = session.onDisconnect
        for (path, value) in operations { tree.set(value, at: path) }
        guard tree.operationCount <= limits.onDisconnectOperationsPerSession else {
            return respond(
                session, number, .limitExceeded,
                "This connection has its maximum of \(limits.onDisconnectOperationsPerSession) onDisconnect operations."
                    + " Cancel some, or register one higher up.")
        }
        record(session)
        batch.undo.append(.onDisconnect(session, session.onDisconnect))
        session.onDisconnect = tree
        for (path, value) in operations { batch.entry.records.append(.onDisconnectSet(session.id, path, value)) }
        unsaved.sessions.insert(session.id)
        respond(session, number)
    }

    func cancelOnDisconnect(_ session: Session, _ number: Int, _ path: Path) {
        if let refusal { return respond(session, number, .unavailable, refusal) }
        var tree = session.onDisconnect
        tree.cancel(at: path)
        if tree != session.onDisconnect {
            batch.undo.append(.onDisconnect(session, session.onDisconnect))
            session.onDisconnect = tree
            batch.entry.records.append(.onDisconnectCancelled(session.id, path))
            unsaved.sessions.insert(session.id)
        }
        respond(session, number)
    }

    /// Runs what a session registered, once: one by one in path order, each judged on the tree that the one before left; what
    /// is allowed is one commit. A session that the log never heard of leaves no trace in it.
    func runOnDisconnect(_ session: Session, _ reason: LeaveReason) {
        guard session.isRecorded else { return }
        batch.requests.append(.owed(.end(session, reason)))
        batch.holdsEnd = true
        let identity = session.lastVerifiedIdentity
        var commit = LogEntry.Commit(
            time: now, session: session.id, author: identity.userID, writeID: nil, mutations: [])
        var effects: [WriteEffect] = []
        var ran = 0
        session.onDisconnect.forEach { path, value in
            guard objection(to: path, by: identity) == nil else {
                metrics.denied["on_disconnect"].add()
                log.info("ondisconnect.denied", ["path": LogValue(path), "session": LogValue(session.connection)])
                return
            }
            var draft = Draft()
            do {
                try draft.add(WritePath(path), value, to: self)
            } catch {
                log.info("ondisconnect.invalid", ["path": LogValue(path), "error": "\(error)"])
                return
            }
            effects += carryOut(draft, into: &commit)
            ran += 1
        }
        if !commit.mutations.isEmpty { batch.entry.records.append(.commit(commit)) }
        batch.entry.records.append(.sessionEnded(session.id, reason: reason.rawValue))
        unsaved.sessions.insert(session.id)
        if ran > 0 { metrics.onDisconnectRuns[reason.metricLabel].add(ran) }
        publish(effects)
    }
}
