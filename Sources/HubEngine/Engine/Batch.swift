import DataTree
import Storage
import WireProtocol

/// What one round of proposals did: its log records, and what it takes to undo it and to answer it again, should the log
/// refuse it.
struct Batch {
    enum Undo {
        case tree(NodeChange)
        case presence(NodeChange)
        case writeID(String)
        case forgottenWriteID(String, Int64)
        case recorded(Session)
        case identity(Session)
        case onDisconnect(Session, OnDisconnectTree)
        case listened(Session, Path, Query)
        case lastSeen(String, LastSeenTable.Entry?)
        case forgottenLastSeen(String, LastSeenTable.Entry)
        case rules(RulesHistory, RulesInForce)
        case settings(NamespaceSettings)
        case leaseBegun(Session)
        case lease(LeaseKey, Lease)
        /// For whom a lease was held, and for whom until the token ended.
        case leaseIdentity(Session, Identity, expired: Identity?)
        /// A listen that what this batch holds took away.
        case revoked(Session, SessionListen)
    }

    enum Answerable {
        case opened(Session, after: Session?)
        /// Something that stays true: a pong, a revoked listen, an identity that was proved or ended.
        case notice(Session, Frame)
        case closing(ConnectionID, LeaveReason)
        case request(Session, Request)
        case presence([WriteEffect])
        case owed(Owed)
        case rules(RulesChange)
        case administrative(AdministrativeRequest)
        /// An administrator was told something that stays true.
        case told(@Sendable () -> Void)
        case call(PendingCall)
    }

    var entry = LogEntry()
    /// Large values of the entry, as it will hold them. Dropped when it is encoded.
    var prepared: [PreparedText] = []
    var undo: [Undo] = []
    var requests: [Answerable] = []
    var position: LogPosition?
    /// Holds the end of a session, which must get through when the disk is full.
    var holdsEnd = false
}

/// What a batch leaves for its driver: bytes to store, if any, and outputs that may leave once they are stored.
package struct FinishedBatch {
    package let entry: [UInt8]?
    package let outputs: [[LoopOutput]]
    /// To be called when the outputs leave.
    package let replies: [@Sendable () -> Void]
    package let work: [EngineWork]
    /// Leases that have begun, been renewed or ended, in order.
    package let leases: [LeaseNews]
    /// Whether the log may use its reserve for it.
    package let isUrgent: Bool
}

extension Engine {
    /// Ends the current batch. The driver submits the entry and calls `submitted` with its position.
    package func takeBatch() -> FinishedBatch {
        metrics.pushes.add(outbox.deliveries)
        let entry = batch.entry.isEmpty ? nil : batch.entry.encoded(batch.prepared)
        batch.prepared = []
        let (outputs, replies) = outbox.take()
        let finished = FinishedBatch(
            entry: entry, outputs: outputs, replies: replies, work: requestedWork, leases: leaseNews,
            isUrgent: batch.holdsEnd)
        requestedWork = []
        leaseNews = []
        if entry == nil && unsettled.isEmpty {
            releaseRevoked(by: batch)
            batch = Batch()
        }
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
            releaseRevoked(by: batch)
            for case .tree(let change) in batch.undo where change.old.leafCount > Self.garbageLeaves {
                garbage.append(change.old)
            }
        }
        unsettled.removeFirst(count)
    }

    private func releaseRevoked(by batch: Batch) {
        for case .revoked(_, let listen) in batch.undo { releaseRevoked(listen) }
    }

    /// Replaced subtrees with more leaves than this are freed away from the engine.
    private static let garbageLeaves = 1_000

    /// Large subtrees that nothing refers to any more, for somebody else to free.
    package func takeGarbage() -> [Node] {
        defer { garbage = [] }
        return garbage
    }

    /// Notes in the log how many times the database has been started.
    package func noteIncarnation() {
        batch.requests.append(.owed(.incarnation))
        batch.entry.records.append(.started(incarnation: incarnation))
    }
}
