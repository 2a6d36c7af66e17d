import DataTree
import WireProtocol

/// What sessions leave to be written when they end.
extension Engine {
    /// - Parameter base: where an `om` was sent, which may name no place.
    func registerOnDisconnect(
        _ session: Session, _ number: Int, _ operations: [(Path, Node)], base: Path? = nil
    ) {
        for (path, value) in operations {
            if let objection = objection(to: path) {
                return respond(session, number, objection.status, objection.reason)
            }
            if path.last == WritePath.priorityKey && WritePath.priority(from: value) == nil {
                return respond(session, number, .invalidData, "\(PriorityError.notAPriority)")
            }
        }
        if let refusal { return respond(session, number, .unavailable, refusal) }
        // Judged as if it were done now, and once more when it is done.
        if isSubjectToRules(session.identity) {
            guard let draft = try? draft(operations) else {
                return respond(
                    session, number, .invalidData, "The operation cannot be carried out on what is there now.")
            }
            guard trial(draft, base: base, session.acting).isAllowed else {
                metrics.denied["on_disconnect"].add()
                explainWrite(session, draft, base: base)
                return respond(session, number, .permissionDenied, "Permission denied")
            }
        }
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
        let identity = ActingIdentity(session.lastVerifiedIdentity)
        var commit = LogEntry.Commit(
            time: now, session: session.id, author: identity.identity.userID, writeID: nil, mutations: [])
        var effects: [WriteEffect] = []
        var ran = 0
        session.onDisconnect.forEach { path, value in
            do {
                let draft = try draft([(path, value)])
                guard objection(to: path) == nil, let performed = perform(draft, as: identity) else {
                    explainOnDisconnect(session, draft)
                    metrics.denied["on_disconnect"].add()
                    log.info("ondisconnect.denied", ["path": LogValue(path), "session": LogValue(session.connection)])
                    return
                }
                effects += note(performed, in: &commit)
                ran += 1
            } catch {
                log.info("ondisconnect.invalid", ["path": LogValue(path), "error": "\(error)"])
            }
        }
        if !commit.mutations.isEmpty { batch.entry.records.append(.commit(commit)) }
        batch.entry.records.append(.sessionEnded(session.id, reason: reason.rawValue))
        unsaved.sessions.insert(session.id)
        if ran > 0 { metrics.onDisconnectRuns[reason.metricLabel].add(ran) }
        rejudgeListens(after: effects)
        publish(effects)
    }
}
