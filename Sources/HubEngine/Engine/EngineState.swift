import DataTree
import Storage

/// What the state store is to hold: a snapshot of the tree, and the records that changed since it was last told.
package struct StateSnapshot: Sendable {
    package let tree: Node
    package let records: [StateRecord]
    package let position: LogPosition
}

extension Engine {
    /// Takes the state as it is now, for a log that was handed everything through `position`. The records count as saved; if
    /// the state store fails, `markUnsaved` takes that back.
    package func takeSnapshot(at position: LogPosition) -> (snapshot: StateSnapshot, saved: SavedRecords) {
        let saved = SavedRecords(records: unsaved)
        unsaved = UnsavedRecords()
        var records: [StateRecord] = []
        let open = recordedSessions
        for id in saved.records.sessions.sorted(by: { $0.description < $1.description }) {
            records.append(.session(id, open[id]))
        }
        for id in saved.records.writeIDs.sorted() { records.append(.writeID(id, time: writeIDs.time(of: id))) }
        for uid in saved.records.lastSeen.sorted() { records.append(.lastSeen(uid, lastSeen[uid])) }
        for number in saved.records.rules.sorted() { records.append(.rules(number, rulesHistory[number])) }
        for name in saved.records.settings.sorted() { records.append(.setting(name, settings[name])) }
        records.append(.counter("incarnation", "\(incarnation)"))
        records.append(.counter("time", "\(now)"))
        return (StateSnapshot(tree: tree, records: records, position: position), saved)
    }

    package func markUnsaved(_ saved: SavedRecords) { unsaved.formUnion(saved.records) }

    /// The sessions that the log knows, an end that is still owed included.
    private var recordedSessions: [SessionID: DurableImage.RecordedSession] {
        var recorded: [SessionID: DurableImage.RecordedSession] = [:]
        for session in sessions.values where session.isRecorded { recorded[session.id] = session.recorded }
        for case .end(let session, _) in owed { recorded[session.id] = session.recorded }
        return recorded
    }
}

/// Records that were handed to the state store.
package struct SavedRecords: Sendable {
    let records: UnsavedRecords
}

extension Session {
    var recorded: DurableImage.RecordedSession {
        DurableImage.RecordedSession(
            transport: opening.transport.rawValue, agent: opening.userAgent, since: since,
            identity: lastVerifiedIdentity, onDisconnect: onDisconnect)
    }
}
