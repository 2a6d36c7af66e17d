import DataTree
import Storage
import WireProtocol

/// What one round of proposals did: its log records, and what it takes to undo it and to answer it again, should the log
/// refuse it.
struct Batch {
    enum Undo {
        case tree(NodeChange)
        case writeID(String)
        case recorded(Session)
        case identity(Session)
        case onDisconnect(Session, OnDisconnectTree)
        case lastSeen(String, LastSeenTable.Entry?)
    }

    enum Answerable {
        case opened(Session)
        /// Something told without being asked: a pong, a revoked listen, an identity that ended.
        case notice(Session, Frame)
        case closing(ConnectionID, LeaveReason)
        case request(Session, Request)
        case ended(Session, LeaveReason)
    }

    var entry = LogEntry()
    var undo: [Undo] = []
    var requests: [Answerable] = []
    var position: LogPosition?
    /// Holds the end of a session, which must get through when the disk is full.
    var holdsEnd = false
}

/// The end of a session that the log refused.
struct OwedEnd {
    let session: Session
    let reason: LeaveReason
    let retryAt: Int64
}

/// What a batch leaves for its driver: bytes to store, if any, and outputs that may leave once they are stored.
package struct FinishedBatch {
    package let entry: [UInt8]?
    package let outputs: [[LoopOutput]]
    package let work: [EngineWork]
    /// Whether the log may use its reserve for it.
    package let isUrgent: Bool
}

extension Engine {
    /// Ends the current batch. The driver submits the entry and calls `submitted` with its position.
    package func takeBatch() -> FinishedBatch {
        metrics.pushes.add(outbox.deliveries)
        let entry = batch.entry.isEmpty ? nil : batch.entry.encoded()
        let finished = FinishedBatch(
            entry: entry, outputs: outbox.take(), work: requestedWork, isUrgent: batch.holdsEnd)
        requestedWork = []
        if entry == nil && unsettled.isEmpty { batch = Batch() }
        return finished
    }

    /// Whether the current batch has something to store.
    package var hasRecords: Bool { !batch.entry.isEmpty }

    /// The batch just taken was handed to the log; nil when it had nothing to store and waits for those before it.
    package func submitted(at position: LogPosition?) {
        guard let position = position ?? unsettled.last?.position else { return }
        batch.position = position
        unsettled.append(batch)
        batch = Batch()
    }

    /// Everything through `position` is durable; it will not be undone.
    package func settled(through position: LogPosition) {
        var count = 0
        for batch in unsettled {
            if let own = batch.position, own > position { break }
            count += 1
        }
        guard count > 0 else { return }
        for batch in unsettled[..<count] {
            for case .tree(let change) in batch.undo where change.old.leafCount > Self.garbageLeaves {
                garbage.append(change.old)
            }
        }
        unsettled.removeFirst(count)
    }

    /// Replaced subtrees with more leaves than this are freed away from the engine.
    private static let garbageLeaves = 1_000

    /// Large subtrees that nothing refers to any more, for somebody else to free.
    package func takeGarbage() -> [Node] {
        defer { garbage = [] }
        return garbage
    }

    /// Whether an end is still to be stored.
    package var owesEnds: Bool { !owedEnds.isEmpty }

    /// Notes in the log how many times the database has been started.
    package func noteIncarnation() { batch.entry.records.append(.started(incarnation: incarnation)) }

    /// The log refused `position` and everything behind it: takes all of that back, newest first, and answers its
    /// requests again, the writes among them with `unavailable`.
    package func rollBack(from position: LogPosition, reason: String) {
        let first = unsettled.firstIndex { ($0.position ?? .none) >= position } ?? unsettled.count
        var refused = Array(unsettled[first...])
        refused.append(batch)
        unsettled.removeSubrange(first...)
        batch = Batch()
        _ = outbox.take()
        for batch in refused.reversed() {
            for step in batch.undo.reversed() { undo(step) }
        }
        refusal = "The hub cannot store writes now (\(reason)). Try again later."
        for batch in refused {
            for answerable in batch.requests { answerAgain(answerable) }
        }
        refusal = nil
    }

    private func undo(_ step: Batch.Undo) {
        switch step {
        case .tree(let change):
            let reverted = tree.set(change.old, at: change.path)
            refreshWindows(reverted)
        case .writeID(let id): writeIDs.remove(id)
        case .recorded(let session): session.isRecorded = false
        case .identity(let session): session.isIdentityRecorded = false
        case .onDisconnect(let session, let tree): session.onDisconnect = tree
        case .lastSeen(let uid, let entry):
            lastSeen.restore(uid, entry)
            _ = presence?.setLastSeen(uid, entry)
        }
    }

    private func answerAgain(_ answerable: Batch.Answerable) {
        switch answerable {
        case .opened(let session):
            if !session.isClosed { greet(session) }
        case .notice(let session, let frame):
            if !session.isClosed { notify(session, frame) }
        case .closing(let connection, let reason):
            close(connection, reason)
        case .request(let session, let request):
            if !session.isClosed && !session.isWaiting { perform(request, for: session) }
        case .ended(let session, let reason):
            owedEnds.append(OwedEnd(session: session, reason: reason, retryAt: now + 500))
        }
    }

    /// Proposes ends again that could not be stored; their operations have not run yet.
    func retryOwedEnds() {
        let due = owedEnds.filter { $0.retryAt <= now }
        guard !due.isEmpty else { return }
        owedEnds.removeAll { $0.retryAt <= now }
        for owed in due { runOnDisconnect(owed.session, owed.reason) }
    }
}
