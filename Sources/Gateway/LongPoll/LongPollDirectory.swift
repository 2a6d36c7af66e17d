import HubEngine
import Storage

/// Finds long-poll sessions by their names, for WebSockets that go on with them: on whichever loop both are.
final class LongPollDirectory: Sendable {
    private struct Entry {
        var connection: ConnectionID
        var namespace: ObjectIdentifier
    }

    private let entries = Monitor<[String: Entry]>([:])

    func insert(_ session: String, _ connection: ConnectionID, in sink: any SessionEventSink) {
        entries.with { $0[session] = Entry(connection: connection, namespace: ObjectIdentifier(sink)) }
    }

    func remove(_ session: String) { entries.with { $0[session] = nil } }

    /// The session of that name in that namespace.
    func find(_ session: String, in sink: any SessionEventSink) -> ConnectionID? {
        entries.with { entries in
            guard let entry = entries[session], entry.namespace == ObjectIdentifier(sink) else { return nil }
            return entry.connection
        }
    }
}
