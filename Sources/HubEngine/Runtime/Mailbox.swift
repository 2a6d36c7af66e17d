import Storage

/// What other threads tell a database.
enum Mail: Sendable {
    case event(SessionEvent)
    case worked(EngineWorkResult)
    case refused(from: LogPosition, StorageError)
    case saved(SavedRecords, succeeded: Bool, position: LogPosition)
    case endAll
    case stop
}

/// The only way into a database. Bounded: a sender that is far ahead of the engine waits, and so do its clients.
final class Mailbox: Sendable {
    private struct State {
        var mail: [Mail] = []
        var weight = 0
        /// Whether a thread is there to take it.
        var isServed = false
        var isClosed = false
    }

    private let monitor = Monitor(State())
    private static let capacity = 400_000

    /// Appends mail. True when no thread serves the mailbox: the caller starts one.
    func post(_ mail: some Sequence<Mail>, weight: Int, mayWait: Bool) -> Bool {
        if mayWait { _ = monitor.wait { $0.weight < Self.capacity || $0.isClosed ? true : nil } }
        return monitor.update { state in
            guard !state.isClosed else { return false }
            state.mail.append(contentsOf: mail)
            state.weight += weight
            if state.isServed { return false }
            state.isServed = true
            return true
        }
    }

    /// Takes everything there is, sleeping until something comes or `deadline` (of the monotonic clock) passes.
    func take(until deadline: UInt64?) -> [Mail] {
        monitor.wait(until: deadline) { state -> [Mail]? in
            guard !state.mail.isEmpty else { return nil }
            let mail = state.mail
            state.mail = []
            return mail
        } ?? []
    }

    /// What was taken has been dealt with: senders may go on.
    func settle(weight: Int) { monitor.update { $0.weight -= weight } }

    /// Gives up serving, unless mail has come meanwhile.
    func leave() -> Bool {
        monitor.update { state in
            guard state.mail.isEmpty else { return false }
            state.isServed = false
            return true
        }
    }

    var isServed: Bool { monitor.with { $0.isServed } }

    func close() { monitor.update { $0.isClosed = true } }
}
