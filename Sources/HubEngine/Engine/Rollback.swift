import DataTree
import Storage
import WireProtocol

/// Something durable that has happened and that the log refused: it is proposed again until the log takes it.
enum Owed {
    /// A session's end with what it registered; that has not run yet.
    case end(Session, LeaveReason)
    case lastSeen(LastSeen)
    /// Whom a session acts for.
    case identity(Session)
    case incarnation
    /// That the rules of the configuration are the namespace's.
    case configuredRules
    /// The greeting of a session that took over from one whose end is owed.
    case greeting(Session, after: Session)
}

/// Taking back what the log refused.
extension Engine {
    /// The log refused `position` and everything behind it: takes all of that back, newest first, and answers its
    /// requests again, the writes among them with `unavailable`. What was still being worked out begins anew, since it may
    /// have seen what never was.
    package func rollBack(from position: LogPosition, reason: String) {
        let first = unsettled.firstIndex { ($0.position ?? .none) >= position } ?? unsettled.count
        var refused = Array(unsettled[first...])
        refused.append(batch)
        unsettled.removeSubrange(first...)
        batch = Batch()
        _ = outbox.take()
        let interrupted = interruptWaiting()
        let calls = interruptCalls()
        for batch in refused.reversed() {
            for step in batch.undo.reversed() { undo(step) }
        }
        // What permissions rested on may have been taken back.
        if rules.areWritten { rejudgeEverything(canBeTakenBack: false) }
        lastRefusal = "The hub cannot store writes now (\(reason)). Try again later."
        refusal = lastRefusal
        for batch in refused {
            for answerable in batch.requests { answerAgain(answerable) }
        }
        forgetVoidLeases()
        for call in calls { receive(call) }
        // Under the refusal too: taking back leaves nothing behind that would have to be stored.
        for (session, backlog) in interrupted where !session.isClosed {
            session.backlog += backlog
            if !session.isWaiting { resume(session) }
        }
        refusal = nil
    }

    /// Ends all waiting, and tells what was not answered, by session.
    private func interruptWaiting() -> [(Session, [Session.Deferred])] {
        var interrupted: [(Session, [Session.Deferred])] = []
        for session in sessions.values.sorted(by: { $0.connection.packed < $1.connection.packed }) {
            // One whose greeting waits goes on waiting.
            guard session.isWaiting, let request = session.waitingFor else { continue }
            stopWaiting(session)
            interrupted.append((session, [.request(request)] + session.backlog))
            session.backlog = []
        }
        return interrupted
    }

    private func undo(_ step: Batch.Undo) {
        switch step {
        case .tree(let change):
            refreshWindows(tree.set(change.old, at: change.path), scope: .tree)
        case .presence(let change):
            if let reverted = presence?.undo(change) { refreshWindows(reverted, scope: .presence) }
        case .writeID(let id): writeIDs.remove(id)
        case .forgottenWriteID(let id, let time): writeIDs.restoreForgotten(id, time: time)
        case .recorded(let session): session.isRecorded = false
        case .identity(let session): session.isIdentityRecorded = false
        case .onDisconnect(let session, let tree): session.onDisconnect = tree
        case .listened(let session, let path, let query): removeListen(of: session, at: path, query)
        case .lastSeen(let uid, let entry): lastSeen.restore(uid, entry)
        case .forgottenLastSeen(let uid, let entry): lastSeen.restoreForgotten(uid, entry)
        case .rules(let history, let former):
            rulesHistory = history
            rules = former
        case .settings(let former): settings = former
        case .leaseBegun(let session): undoBeginning(of: session)
        case .lease(let key, let lease): undoRenewal(lease, at: key)
        case .leaseIdentity(let session, let identity, let expired):
            session.identity = identity
            session.expired = expired
        case .revoked(let session, let listen): restoreRevoked(listen, of: session)
        }
    }

    private func answerAgain(_ answerable: Batch.Answerable) {
        switch answerable {
        case .opened(let session, let superseded):
            if session.isClosed { return }
            if let superseded, owesEnd(of: superseded) {
                session.state = .waiting(ticket: nextTicket())
                owe(.greeting(session, after: superseded))
            } else {
                greet(session, after: nil)
            }
        case .notice(let session, let frame):
            if session.isClosed { return }
            if session.isWaiting { session.backlog.append(.notice(frame)) } else { notify(session, frame) }
        case .closing(let connection, let reason):
            close(connection, reason)
        case .request(let session, let request):
            if !session.isClosed { take(request, from: session) }
        case .presence(let effects):
            publishPresenceAgain(effects)
        case .owed(let owed):
            owe(owed)
        case .rules(let change):
            self.change(change)
        case .administrative(let request):
            administer(request)
        case .told(let body):
            batch.requests.append(.told(body))
            outbox.reply(body)
        case .call(let pending):
            receive(pending)
        }
    }

    // MARK: - What is owed

    /// Whether something is still to be stored that the log refused.
    package var owesEnds: Bool { !owed.isEmpty }

    func owe(_ item: Owed) {
        owed.append(item)
        if owedRetry == .max { owedRetry = now + Self.owedInterval }
    }

    /// How long after a refusal something owed is proposed again, in milliseconds.
    private static let owedInterval: Int64 = 500

    private func owesEnd(of session: Session) -> Bool { sessionWithOwedEnd(session.id) === session }

    /// A session that has ended, if its end is still to be stored.
    func sessionWithOwedEnd(_ id: SessionID) -> Session? {
        for case .end(let session, _) in owed where session.id == id { return session }
        return nil
    }

    /// Up to so much is proposed again with every write; more waits for its time, and writes are refused meanwhile.
    private static let owedAtOnce = 64

    private var mayPayOwed: Bool { owed.count <= Self.owedAtOnce || owedRetry <= now }

    /// Does something that may want to be stored, behind what is owed.
    func withOwedPaid(_ body: () -> Void) {
        if owed.isEmpty || refusal != nil { return body() }
        if mayPayOwed {
            payOwed()
            return body()
        }
        refusal = lastRefusal
        body()
        refusal = nil
    }

    /// Greets a session whose client had another one, if the end of that one is stored or about to be; otherwise it waits.
    func greetBehindOwedEnd(_ session: Session, _ superseded: Session) {
        if mayPayOwed { payOwed() }
        if owesEnd(of: superseded) {
            session.state = .waiting(ticket: nextTicket())
            owe(.greeting(session, after: superseded))
        } else {
            greet(session, after: superseded)
        }
    }

    /// Proposes again what the log refused.
    func payOwed() {
        guard !owed.isEmpty, refusal == nil else { return }
        let items = owed
        owed = []
        owedRetry = .max
        for item in items {
            switch item {
            case .end(let session, let reason): runOnDisconnect(session, reason)
            case .lastSeen(let seen): publishPresence([], along: noteLastSeen(seen))
            case .identity(let session):
                // Without presence, a session that the log does not know need not be known.
                if !session.isClosed && (session.isRecorded || session.presence != nil) { record(session) }
            case .incarnation: noteIncarnation()
            case .configuredRules: enactConfiguredRules(time: now)
            case .greeting(let session, let superseded):
                if session.isClosed { continue }
                session.state = .open
                greet(session, after: superseded)
                resume(session)
            }
        }
    }
}

extension Request {
    /// Whether it wants to make something durable.
    var isWrite: Bool {
        switch action {
        case .put, .merge, .onDisconnectPut, .onDisconnectMerge, .onDisconnectCancel: true
        default: false
        }
    }

    var isAuthentication: Bool {
        switch action {
        case .authenticate, .unauthenticate: true
        default: false
        }
    }
}
