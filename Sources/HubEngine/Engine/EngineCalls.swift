import DataTree
import SecurityRules
import WireProtocol

/// A call on its way to its answer.
struct PendingCall: Sendable {
    let connection: ConnectionID
    let call: Call
    /// For the child that a push adds.
    let key: Key
    /// How often it was judged or compared in vain, because what was looked at had changed meanwhile.
    var judgements = 0
}

/// Who makes a call, once that is proved.
struct Caller {
    let acting: ActingIdentity

    var identity: Identity { acting.identity }
}

/// Requests without a session.
extension Engine {
    func receive(_ pending: PendingCall) {
        if pending.call.isWrite {
            withOwedPaid { perform(pending) }
        } else {
            perform(pending)
        }
    }

    private func perform(_ pending: PendingCall) {
        do throws(CallRefusal) {
            let caller = try caller(of: pending)
            switch pending.call.operation {
            case .read(let read): try perform(read, pending, caller)
            case .write(let write): try perform(write, pending, caller)
            case .lease(let request): try perform(request, pending, caller)
            }
        } catch {
            if case .unauthenticated = error { metrics.denied["auth"].add() }
            answer(pending, .refused(error))
        }
    }

    /// Proves who makes a call, as of now.
    func caller(of pending: PendingCall) throws(CallRefusal) -> Caller {
        let identity = try configuration.authenticator.identity(
            of: pending.call.credential, now: now, isAdministrative: pending.call.isAdministrative)
        if let expiry = identity.expiry, expiry <= now {
            let failure = AuthenticationFailure.expired(at: expiry / 1000, now: now / 1000)
            throw .unauthenticated("Auth token is expired. \(failure.text)")
        }
        return Caller(acting: ActingIdentity(identity))
    }

    /// Answers, and remembers the call until the answer cannot be taken back any more.
    func answer(_ pending: PendingCall, _ answer: CallAnswer) {
        batch.requests.append(.call(pending))
        outbox.answer(answer, to: pending.connection)
    }

    /// Has something worked out for a call away from the engine.
    func wait(_ pending: PendingCall, for work: CallWork.Kind) {
        let ticket = nextTicket()
        callsAtWork[ticket] = pending
        requestedWork.append(EngineWork(kind: .call(CallWork(kind: work, ticket: ticket)), waiting: nil))
    }

    /// Goes on with a call whose work is done.
    func finish(_ work: CallWork, _ outcome: CallWork.Outcome) {
        // A call that was begun anew meanwhile has another ticket.
        guard let pending = callsAtWork.removeValue(forKey: work.ticket) else { return }
        switch (work.kind, outcome) {
        case (.read(let read, let snapshot), .value(let node, let hash)):
            // As a listen that had to wait: by the rules and the data as they are now.
            guard mayStillRead(pending, read.path, read.query) else { return answer(pending, .refused(.denied)) }
            answer(pending, .read(node, hash: hash, read, from: snapshot))
        case (.compare(let snapshot, _), .comparison(let hash)):
            withOwedPaid { finishComparison(pending, snapshot: snapshot, hash: hash) }
        case (.judge(let write), .judgement(let decision, let dependencies)):
            withOwedPaid { finishJudgement(pending, write, decision, dependencies) }
        case (.hash(let written, let node, let isConflict), .comparison(let hash)):
            guard isConflict else { return answer(pending, .written(written, hash: hash)) }
            // What may be read can have changed while it was hashed.
            guard case .write(let write) = pending.call.operation, mayStillRead(pending, write.path)
            else { return answer(pending, .refused(.denied)) }
            answer(pending, .conflict(node, hash: hash))
        default:
            // Work and its outcome always fit; a call is never left without an answer.
            answer(pending, .refused(.unavailable("An internal error occurred")))
        }
    }

    /// Whether who made a call may read there now.
    private func mayStillRead(_ pending: PendingCall, _ path: Path, _ query: Query = .default) -> Bool {
        guard let caller = try? caller(of: pending) else { return false }
        return mayRead(caller.acting, WritePath(path).node, query, over: .rest)
    }

    /// Gives up all work for calls that is under way: what it read may never have been. The calls begin anew.
    func interruptCalls() -> [PendingCall] {
        let interrupted = callsAtWork.sorted { $0.key < $1.key }.map(\.value)
        callsAtWork = [:]
        return interrupted
    }
}
