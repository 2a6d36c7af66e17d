import Storage
import Synchronization

/// What other threads tell a database.
enum Mail: Sendable {
    case event(SessionEvent)
    case worked(EngineWorkResult)
    case refused(from: LogPosition, StorageError)
    case saved(SavedRecords, succeeded: Bool, position: LogPosition)
    case endAll
    case stop
}

/// The only way into a database. Senders never wait; they look at `backlog` and stop reading from their clients.
final class Mailbox: Sendable {
    private struct State {
        var mail: [Mail] = []
        /// Whether a thread is there to take it.
        var isServed = false
        var isClosed = false
    }

    private let monitor = Monitor(State())
    private let waiting = Atomic<Int>(0)

    /// The weight of what was posted and has not been dealt with.
    var backlog: Int { waiting.load(ordering: .relaxed) }

    /// Appends mail. True when no thread serves the mailbox: the caller starts one.
    func post(_ mail: [Mail]) -> Bool {
        waiting.wrappingAdd(mail.reduce(0) { $0 + $1.weight }, ordering: .relaxed)
        return monitor.update { state in
            guard !state.isClosed else { return false }
            if state.mail.isEmpty { state.mail = mail } else { state.mail += mail }
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

    /// Some of what was taken has been dealt with.
    func settle(_ mail: ArraySlice<Mail>) {
        waiting.wrappingSubtract(mail.reduce(0) { $0 + $1.weight }, ordering: .relaxed)
    }

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
