import DataTree
import SecurityRules
import WireProtocol

/// Calls that write.
extension Engine {
    func perform(_ write: CallWrite, _ pending: PendingCall, _ caller: Caller) throws(CallRefusal) {
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

    func finishComparison(_ pending: PendingCall, snapshot: Node, hash: String) {
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

    func finishJudgement(
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
