import DataTree
import SecurityRules
import Storage
import WireProtocol

struct PutRequest {
    let path: Path
    let value: Node
    /// Of a transaction: the hash of what the client believes is there.
    let hash: String?
    let writeID: String?
}

struct MergeRequest {
    let path: Path
    let changes: [(Path, Node)]
    let hash: String?
    let writeID: String?
}

/// Writes and transactions.
extension Engine {
    func put(_ session: Session, _ request: Request, _ put: PutRequest) {
        if answerRepeated(session, request.number, put.writeID) { return }
        if let hash = put.hash {
            let current = content(at: put.path)
            if isLarge(current) {
                wait(session, for: .compare(request, hash: hash, snapshot: current))
                return
            }
            guard InitialData.matches(hash, current) else {
                return refuseStale(session, request)
            }
        }
        write(session, request, [(put.path, put.value)], writeID: put.writeID)
    }

    func merge(_ session: Session, _ request: Request, _ merge: MergeRequest) {
        if answerRepeated(session, request.number, merge.writeID) { return }
        if let hash = merge.hash {
            let current = content(at: merge.path)
            if isLarge(current) {
                wait(session, for: .compare(request, hash: hash, snapshot: current))
                return
            }
            guard InitialData.matches(hash, current) else {
                return refuseStale(session, request)
            }
        }
        writeMerge(session, request, merge)
    }

    /// Goes on with a transaction whose hash was right.
    func performCompared(_ session: Session, _ request: Request) {
        switch request.action {
        case .put(let path, let value, _, let writeID):
            write(session, request, [(path, value)], writeID: writeID)
        case .merge(let path, let changes, let hash, let writeID):
            writeMerge(
                session, request, MergeRequest(path: path, changes: changes, hash: hash, writeID: writeID))
        default:
            return
        }
    }

    private func writeMerge(_ session: Session, _ request: Request, _ merge: MergeRequest) {
        let writes = merge.changes.map { (merge.path.appending($0.0), $0.1) }
        write(session, request, writes, base: merge.path, writeID: merge.writeID)
    }

    /// A write that was carried out before is answered as it was then, whatever has happened since: a transaction sent again
    /// after a lost answer must not be told that it is stale.
    private func answerRepeated(_ session: Session, _ number: Int, _ writeID: String?) -> Bool {
        guard let writeID, writeIDs.contains(writeID) else { return false }
        metrics.writes["repeated"].add()
        respond(session, number)
        return true
    }

    /// Answers a transaction whose hash is wrong. The hash counts before the rules, so that a rule such as
    /// `newData.val() == data.val() + 1` does not end the first, optimistic attempt. But who may not read the place is told what
    /// the rules say to the write, so that nobody can try out what the value is.
    func refuseStale(_ session: Session, _ request: Request) {
        let writes = request.writes
        if let path = request.writePath, !mayRead(session, path, .default),
            let draft = try? draft(writes), !trial(draft, base: path, session.acting).isAllowed
        {
            return refuseWrite(session, request.number, draft, base: path)
        }
        metrics.writes["datastale"].add()
        respond(session, request.number, .dataStale, "Transaction hash does not match")
    }

    func refuseWrite(_ session: Session, _ number: Int, _ draft: Draft, base: Path?) {
        metrics.writes["permission_denied"].add()
        metrics.denied["write"].add()
        explainWrite(session, draft, base: base)
        respond(session, number, .permissionDenied, "Permission denied")
    }

    /// All of `writes` or none of them, and the answer.
    private func write(
        _ session: Session, _ request: Request, _ writes: [(Path, Node)], base: Path? = nil, writeID: String?
    ) {
        let number = request.number
        if answerRepeated(session, number, writeID) { return }
        for (path, _) in writes {
            if let objection = objection(to: path) {
                metrics.writes[objection.status.rawValue].add()
                if objection.status == .permissionDenied { metrics.denied["write"].add() }
                return respond(session, number, objection.status, objection.reason)
            }
        }
        if let refusal {
            metrics.writes["unavailable"].add()
            return respond(session, number, .unavailable, refusal)
        }
        do {
            let draft = try draft(writes)
            switch verdict(onSizeOf: draft, base: base, session.acting, limit: defaultWriteSize) {
            case .fits: break
            case .tooMuch:
                metrics.writes["too_big"].add()
                return respond(session, number, .tooBig, Self.tooMuchText)
            case .denied: return refuseWrite(session, number, draft, base: base)
            }
            if isSubjectToRules(session.identity), isLargeToJudge(draft) {
                let judged = WriteToJudge(
                    draft: draft, base: base, writeID: writeID, identity: session.identity,
                    rules: rules, now: now, before: tree)
                if judgeElsewhere(session, request, judged) { return }
            }
            session.judgements = 0
            guard let performed = perform(draft, base: base, as: session.acting) else {
                return refuseWrite(session, number, draft, base: base)
            }
            record(performed, author: WriteAuthor(session), writeID: writeID, updatedAt: base)
        } catch {
            metrics.writes["invalid_data"].add()
            return respond(session, number, .invalidData, "\(error)")
        }
        metrics.writes["ok"].add()
        respond(session, number)
    }

    /// Resolves writes against the tree as it is.
    func draft(_ writes: [(Path, Node)]) throws -> Draft {
        var draft = Draft()
        for (path, value) in writes { try draft.add(WritePath(path), value, to: self) }
        return draft
    }

    /// As the REST interface has it (`protocol/rest.md`, "Errors").
    static let tooMuchText = "Data to write exceeds the maximum size that can be modified with a single request."

    /// What is said to how much a write changes.
    enum SizeVerdict {
        case fits, tooMuch
        /// Too much only with what is there already, and rules refuse the write: how much there is, is nobody's business then.
        case denied
    }

    /// Whether more leaves go and come than one write may change. Where the whole tree is small enough that costs nothing. How many
    /// bytes a message of a socket had is not counted: what a socket takes is limited by itself.
    func verdict(
        onSizeOf draft: Draft, base: Path?, _ acting: ActingIdentity, limit: WriteSizeLimit, _ bodyBytes: Int = 0
    ) -> SizeVerdict {
        if limit == .unlimited { return .fits }
        let writes = draft.writes
        let added = writes.reduce(0) { $0 + $1.value.leafCount }
        func allows(removing leaves: Int) -> Bool {
            limit.allows(cost: WriteSizeLimit.cost(removedLeaves: leaves, addedLeaves: added, bodyBytes: bodyBytes))
        }
        if allows(removing: tree.leafCount * writes.count) { return .fits }
        let removed = writes.reduce(0) { sum, write in
            write.place.isPriority ? sum : sum + tree.node(at: write.place.node).leafCount
        }
        if allows(removing: removed) { return .fits }
        guard allows(removing: 0) else { return .tooMuch }
        return trial(draft, base: base, acting).isAllowed ? .tooMuch : .denied
    }

    /// Why nobody may write there; nil when nothing but the rules can stand against it.
    func objection(to path: Path) -> (status: Status, reason: String)? {
        if Self.isClientLocal(path) {
            return (.invalidData, "`/.info` belongs to the client and cannot be written. Write elsewhere.")
        }
        if let presence, path.hasPrefix(presence.path) {
            return (.permissionDenied, "`/\(presence.path)` is kept by the hub itself and cannot be written.")
        }
        return nil
    }

    /// What rules say to a draft, and the tree as it would be; nothing is changed.
    func trial(
        _ draft: Draft, base: Path? = nil, _ identity: ActingIdentity
    ) -> (isAllowed: Bool, tree: Node, changes: [PerformedWrite]) {
        var after = tree
        let changes = draft.perform(on: &after)
        guard isSubjectToRules(identity.identity) else { return (true, after, changes) }
        let decision = rules.compiled.write(
            draft.asRulesSeeIt(base: base), by: identity.asRulesSeeIt, now: now, from: tree, to: after)
        return (decision.isAllowed, after, changes)
    }

    /// Carries a draft out in the tree, if rules allow it; nil when they do not.
    /// - Parameter base: where a merge was sent, whose draft may be empty.
    func perform(_ draft: Draft, base: Path? = nil, as identity: ActingIdentity) -> [PerformedWrite]? {
        // Without rules the tree is changed in place, which copies nothing.
        guard isSubjectToRules(identity.identity) else { return draft.perform(on: &tree) }
        let (isAllowed, after, changes) = trial(draft, base: base, identity)
        guard isAllowed else { return nil }
        tree = after
        return changes
    }

    /// Records a commit and tells the listeners.
    /// - Parameter updatedAt: where the update was sent that this carries out.
    func record(_ performed: [PerformedWrite], author: WriteAuthor, writeID: String?, updatedAt: Path? = nil) {
        var commit = LogEntry.Commit(
            time: now, session: author.session, author: author.user, writeID: writeID, mutations: [])
        let effects = note(performed, in: &commit)
        guard !commit.mutations.isEmpty || writeID != nil else { return }
        if let writeID {
            writeIDs.insert(writeID, time: now)
            batch.undo.append(.writeID(writeID))
            unsaved.writeIDs.insert(writeID)
            for (id, time) in writeIDs.trim(limits: limits, now: now) {
                batch.undo.append(.forgottenWriteID(id, time))
                unsaved.writeIDs.insert(id)
            }
        }
        batch.entry.records.append(.commit(commit))
        rejudgeListens(after: effects)
        publish(effects, updatedAt: updatedAt)
    }

    /// Adds to a commit what was done in the tree; what had no effect is left out.
    func note(_ performed: [PerformedWrite], in commit: inout LogEntry.Commit) -> [WriteEffect] {
        var effects: [WriteEffect] = []
        for (place, change) in performed {
            guard change.isEffective else { continue }
            batch.undo.append(.tree(change))
            commit.mutations.append(LogEntry.Mutation(path: change.path, node: change.new))
            effects.append(WriteEffect(place: place, change: change))
        }
        return effects
    }
}

/// Who is noted in the log as the author of a commit.
struct WriteAuthor {
    /// The session, if the log knows it.
    let session: SessionID?
    let user: String?

    init(_ session: Session) {
        self.session = session.isRecorded ? session.id : nil
        user = session.lastVerifiedIdentity.userID
    }

    /// Whoever imports data.
    init(importer: String) {
        session = nil
        user = importer
    }

    /// Somebody without a session.
    init(_ identity: Identity) {
        session = nil
        user = identity.userID
    }
}
