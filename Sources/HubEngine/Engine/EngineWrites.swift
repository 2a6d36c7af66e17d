import DataTree
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
                return refuseStale(session, request.number)
            }
        }
        write(session, request.number, [(put.path, put.value)], writeID: put.writeID)
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
                return refuseStale(session, request.number)
            }
        }
        writeMerge(session, request.number, merge)
    }

    /// Goes on with a transaction whose hash was right.
    func performCompared(_ session: Session, _ request: Request) {
        switch request.action {
        case .put(let path, let value, _, let writeID):
            write(session, request.number, [(path, value)], writeID: writeID)
        case .merge(let path, let changes, let hash, let writeID):
            writeMerge(
                session, request.number, MergeRequest(path: path, changes: changes, hash: hash, writeID: writeID))
        default:
            return
        }
    }

    private func writeMerge(_ session: Session, _ number: Int, _ merge: MergeRequest) {
        let writes = merge.changes.map { (merge.path.appending($0.0), $0.1) }
        write(session, number, writes, writeID: merge.writeID)
    }

    /// A write that was carried out before is answered as it was then, whatever has happened since: a transaction sent again
    /// after a lost answer must not be told that it is stale.
    private func answerRepeated(_ session: Session, _ number: Int, _ writeID: String?) -> Bool {
        guard let writeID, writeIDs.contains(writeID) else { return false }
        metrics.writes["repeated"].add()
        respond(session, number)
        return true
    }

    func refuseStale(_ session: Session, _ number: Int) {
        metrics.writes["datastale"].add()
        respond(session, number, .dataStale, "Transaction hash does not match")
    }

    /// All of `writes` or none of them, and the answer.
    private func write(
        _ session: Session, _ number: Int, _ writes: [(Path, Node)], writeID: String?
    ) {
        if answerRepeated(session, number, writeID) { return }
        for (path, _) in writes {
            if let objection = objection(to: path, by: session.identity) {
                metrics.writes[objection.status.rawValue].add()
                if objection.status == .permissionDenied { metrics.denied["write"].add() }
                return respond(session, number, objection.status, objection.reason)
            }
        }
        if let refusal {
            metrics.writes["unavailable"].add()
            return respond(session, number, .unavailable, refusal)
        }
        var draft = Draft()
        do {
            for (path, value) in writes { try draft.add(WritePath(path), value, to: self) }
        } catch {
            metrics.writes["invalid_data"].add()
            return respond(session, number, .invalidData, "\(error)")
        }
        apply(draft, author: session, writeID: writeID)
        metrics.writes["ok"].add()
        respond(session, number)
    }

    /// Why nobody may write there, or this identity may not; nil when nothing stands against it.
    func objection(to path: Path, by identity: Identity) -> (status: Status, reason: String)? {
        if Self.isClientLocal(path) {
            return (.invalidData, "`/.info` belongs to the client and cannot be written. Write elsewhere.")
        }
        if let presence, path.hasPrefix(presence.path) {
            return (.permissionDenied, "`/\(presence.path)` is kept by the hub itself and cannot be written.")
        }
        guard configuration.access.allows(identity) else { return (.permissionDenied, "Permission denied") }
        return nil
    }

    /// Carries a draft out: changes the tree, records the commit and tells the listeners.
    func apply(_ draft: Draft, author session: Session, writeID: String?) {
        var commit = LogEntry.Commit(
            time: now, session: session.isRecorded ? session.id : nil, author: session.lastVerifiedIdentity.userID,
            writeID: writeID, mutations: [])
        let effects = carryOut(draft, into: &commit)
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
        publish(effects)
    }

    /// Changes the tree by what a draft says; what had no effect is left out.
    func carryOut(_ draft: Draft, into commit: inout LogEntry.Commit) -> [WriteEffect] {
        var effects: [WriteEffect] = []
        for write in draft.writes {
            let change = write.place.write(write.value, into: &tree)
            guard change.isEffective else { continue }
            batch.undo.append(.tree(change))
            commit.mutations.append(LogEntry.Mutation(path: change.path, node: change.new))
            effects.append(WriteEffect(place: write.place, change: change))
        }
        return effects
    }
}
