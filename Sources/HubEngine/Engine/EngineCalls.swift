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
    private func caller(of pending: PendingCall) throws(CallRefusal) -> Caller {
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

// MARK: - Reads

extension Engine {
    private func perform(_ read: CallRead, _ pending: PendingCall, _ caller: Caller) throws(CallRefusal) {
        if Self.isClientLocal(read.path) {
            return answer(pending, .value(.empty, hash: read.wantsHash ? "" : nil))
        }
        let place = WritePath(read.path)
        guard mayRead(caller.acting, place.node, read.query, over: .rest) else {
            metrics.denied["read"].add()
            throw .denied
        }
        // An order alone selects nothing, but clients of REST are told at once that a query with a limit would be refused.
        guard mayOrder(by: read.query.index, at: place.node) else {
            throw .invalid(CompiledRules.indexNotDefined(read.query.index, at: place.node))
        }
        let content = content(at: place.node)
        if place.isPriority {
            let priority = Node(priorityValue: content.priority)
            return answer(pending, .value(priority, hash: read.wantsHash ? priority.hash() : nil))
        }
        if read.query.filters, let result = indexedResult(of: read.query, at: place.node, node: content),
            !isLarge(result)
        {
            return answer(pending, .read(result, hash: read.wantsHash ? result.hash() : nil, read, from: content))
        }
        let isSimple = !read.query.filters && read.shallow == nil && !read.wantsHash
        if !isSimple && isLarge(content) {
            return wait(pending, for: .read(read, snapshot: content))
        }
        // A large node that is wanted as it is needs no work here: it is written out as the socket drains.
        let (node, hash) = read.apply(to: content)
        answer(pending, .read(node, hash: hash, read, from: content))
    }
}

extension CallAnswer {
    /// What was read from a node.
    fileprivate static func read(_ result: Node, hash: String?, _ read: CallRead, from node: Node) -> CallAnswer {
        let isWindow = read.query.filters && result.isEmpty && !node.isEmpty && !node.isLeaf
        return isWindow ? .emptyWindow(hash: hash) : .value(result, hash: hash)
    }
}

extension CallRead {
    /// What the answer holds, given the node at the path.
    func apply(to node: Node) -> (node: Node, hash: String?) {
        var result = query.filters ? query.apply(to: node) : node
        if let shallow { result = shallow.result(of: result) }
        return (result, wantsHash ? result.hash() : nil)
    }
}

// MARK: - Writes

extension Engine {
    private func perform(_ write: CallWrite, _ pending: PendingCall, _ caller: Caller) throws(CallRefusal) {
        try checkOwnSize(of: write)
        if let expected = write.expectedHash {
            // The answer tells what is there, or at least whether it is what was guessed.
            guard mayRead(caller.acting, WritePath(write.path).node, .default, over: .rest) else {
                metrics.denied["read"].add()
                throw .denied
            }
            let current = content(at: WritePath(write.path).node)
            if isLarge(current) {
                return wait(pending, for: .compare(snapshot: current, hash: expected))
            }
            let hash = hash(of: current, at: write.path)
            guard hash == expected else {
                return try answerConflict(pending, current: current, hash: hash, caller)
            }
        }
        try carryOut(write, pending, caller)
    }

    /// The hash by which a place is compared: of its node, or of its priority alone.
    private func hash(of node: Node, at path: Path) -> String {
        WritePath(path).isPriority ? Node(priorityValue: node.priority).hash() : node.hash()
    }

    /// The node is not what the client believes. What it is may be told only to who may read it still.
    private func answerConflict(
        _ pending: PendingCall, current: Node, hash: String, _ caller: Caller
    ) throws(CallRefusal) {
        guard case .write(let write) = pending.call.operation else { return }
        let place = WritePath(write.path)
        guard mayRead(caller.acting, place.node, .default, over: .rest) else {
            metrics.denied["read"].add()
            throw .denied
        }
        metrics.writes["datastale"].add()
        answer(
            pending, .conflict(place.isPriority ? Node(priorityValue: current.priority) : current, hash: hash))
    }

    private func finishComparison(_ pending: PendingCall, snapshot: Node, hash: String) {
        guard case .write(let write) = pending.call.operation, let expected = write.expectedHash else { return }
        do throws(CallRefusal) {
            let caller = try caller(of: pending)
            let current = content(at: WritePath(write.path).node)
            if current.isIdentical(to: snapshot) {
                guard hash == expected else {
                    return try answerConflict(pending, current: current, hash: hash, caller)
                }
                try carryOut(write, pending, caller)
            } else if hash != expected, pending.judgements + 1 < EngineWork.maxAttempts {
                var again = pending
                again.judgements += 1
                try perform(write, again, caller)
            } else {
                // What the client believes was true and is no longer, or it changes faster than it can be hashed: what it is at
                // this moment is told, for another attempt.
                wait(pending, for: .hash(.node(.empty), current, isConflict: true))
            }
        } catch {
            answer(pending, .refused(error))
        }
    }

    private func carryOut(_ write: CallWrite, _ pending: PendingCall, _ caller: Caller) throws(CallRefusal) {
        let changes = write.changes(key: pending.key)
        for (path, _) in changes {
            guard let objection = objection(to: path) else { continue }
            metrics.writes[objection.status.rawValue].add()
            if objection.status == .permissionDenied {
                metrics.denied["write"].add()
                throw .denied
            }
            throw .invalid(objection.reason)
        }
        if let refusal {
            metrics.writes["unavailable"].add()
            throw .unavailable(refusal)
        }
        let draft: Draft
        do {
            draft = try self.draft(changes)
        } catch {
            metrics.writes["invalid_data"].add()
            throw .invalid("\(error)")
        }
        let base: Path? = if case .update = write.change { write.path } else { nil }
        switch verdict(
            onSizeOf: draft, base: base, caller.acting, limit: write.sizeLimit ?? defaultWriteSize, write.bodyBytes)
        {
        case .fits: break
        case .tooMuch: throw .tooMuch
        case .denied: return refuseWrite(pending, draft, base: base, caller)
        }
        if isSubjectToRules(caller.identity), isLargeToJudge(draft), pending.judgements < EngineWork.maxAttempts {
            let judged = WriteToJudge(
                draft: draft, base: base, writeID: nil, identity: caller.identity, rules: rules, now: now, before: tree)
            return wait(pending, for: .judge(judged))
        }
        guard let performed = perform(draft, base: base, as: caller.acting) else {
            return refuseWrite(pending, draft, base: base, caller)
        }
        batch.prepared += write.prepared
        record(performed, author: WriteAuthor(caller.identity), writeID: nil, updatedAt: base)
        metrics.writes["ok"].add()
        answerWritten(pending, write, draft)
    }

    private func refuseWrite(_ pending: PendingCall, _ draft: Draft, base: Path?, _ caller: Caller) {
        metrics.writes["permission_denied"].add()
        metrics.denied["write"].add()
        explainCall(pending, draft, base: base, caller)
        answer(pending, .refused(.denied))
    }

    /// What a write brings counts whatever is there.
    private func checkOwnSize(of write: CallWrite) throws(CallRefusal) {
        let limit = write.sizeLimit ?? defaultWriteSize
        let cost = WriteSizeLimit.cost(
            removedLeaves: 0, addedLeaves: write.change.leafCount, bodyBytes: write.bodyBytes)
        if !limit.allows(cost: cost) { throw .tooMuch }
    }

    private func finishJudgement(
        _ pending: PendingCall, _ judged: WriteToJudge, _ decision: Decision, _ dependencies: ReadDependencies
    ) {
        guard case .write(let write) = pending.call.operation else { return }
        guard isCurrent(judged, dependencies, by: judged.identity) else {
            var again = pending
            again.judgements += 1
            return receive(again)
        }
        let caller = Caller(acting: ActingIdentity(judged.identity))
        guard decision.isAllowed else { return refuseWrite(pending, judged.draft, base: judged.base, caller) }
        batch.prepared += write.prepared
        record(
            judged.draft.perform(on: &tree), author: WriteAuthor(judged.identity), writeID: nil, updatedAt: judged.base)
        metrics.writes["ok"].add()
        answerWritten(pending, write, judged.draft)
    }

    private func answerWritten(_ pending: PendingCall, _ write: CallWrite, _ draft: Draft) {
        let written = write.written(draft, key: pending.key)
        guard write.wantsHash else { return answer(pending, .written(written, hash: nil)) }
        let place = WritePath(write.place(key: pending.key))
        let content = content(at: place.node)
        guard !isLarge(content) else {
            return wait(pending, for: .hash(written, content, isConflict: false))
        }
        answer(pending, .written(written, hash: hash(of: content, at: write.place(key: pending.key))))
    }
}

extension CallWrite.Change {
    fileprivate var leafCount: Int {
        switch self {
        case .put(let node), .push(let node): node.leafCount
        case .update(let changes): changes.reduce(0) { $0 + $1.1.leafCount }
        }
    }
}

extension CallWrite {
    /// Where the value goes.
    func place(key: Key) -> Path {
        if case .push = change { return path.appending(key) }
        return path
    }

    /// What is written, by absolute path.
    func changes(key: Key) -> [(Path, Node)] {
        switch change {
        case .put(let node): [(path, node)]
        case .push(let node): [(path.appending(key), node)]
        case .update(let changes): changes.map { (path.appending($0.0), $0.1) }
        }
    }

    /// What the answer shows: server values as they were resolved.
    func written(_ draft: Draft, key: Key) -> CallWritten {
        switch change {
        case .put: .node(draft.first ?? .empty)
        case .push: .name(key)
        case .update(let changes): .changes(draft.resolved(changes))
        }
    }
}
