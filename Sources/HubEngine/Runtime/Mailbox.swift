import Storage
import Synchronization

/// What other threads tell a database.
enum Mail: Sendable {
    case event(SessionEvent)
    case worked(EngineWorkResult)
    case changeRules(RulesChange)
    case configureRules(ConfiguredRules)
    case readRules(@Sendable (RulesHistory) -> Void)
    case administer(AdministrativeRequest)
    case refused(from: LogPosition, StorageError)
    case saved(SavedRecords, succeeded: Bool, position: LogPosition)
    /// The time has come that the database had set itself.
    case alarm
    case endAll
    /// Makes the files of a namespace that has none yet, and tells whether it had.
    case create(OneReply<NamespaceFailure?>)
    /// Like `stop`, but nothing is stored any more: sessions end as kicked and what they registered does not run.
    case discard
    case stop
}

/// The only way into a database. Senders never wait; they look at `backlog` and stop reading from their clients.
final class Mailbox: Sendable {
    private struct State {
        var mail: [Mail] = []
        /// Whether a thread is taking it.
        var isServed = false
        var isClosed = false
    }

    private let state = Monitor(State())
    private let waiting = Atomic<Int>(0)

    /// The weight of what was posted and has not been dealt with.
    var backlog: Int { waiting.load(ordering: .relaxed) }

    /// What became of posted mail.
    enum Posted {
        /// Somebody is there who takes it.
        case taken
        /// No thread serves the mailbox: the caller starts one.
        case needsThread
        /// Nobody will ever take it.
        case lost
    }

    /// Appends mail.
    func post(_ mail: [Mail]) -> Posted {
        let weight = mail.reduce(0) { $0 + $1.weight }
        return state.with { state in
            guard !state.isClosed else { return .lost }
            waiting.wrappingAdd(weight, ordering: .relaxed)
            if state.mail.isEmpty { state.mail = mail } else { state.mail += mail }
            if state.isServed { return .taken }
            state.isServed = true
            return .needsThread
        }
    }

    /// Takes everything there is.
    func take() -> [Mail] {
        state.with { state in
            var mail: [Mail] = []
            swap(&mail, &state.mail)
            return mail
        }
    }

    /// Some of what was taken has been dealt with.
    func settle(_ mail: ArraySlice<Mail>) {
        waiting.wrappingSubtract(mail.reduce(0) { $0 + $1.weight }, ordering: .relaxed)
    }

    /// Gives up serving, unless mail has come meanwhile.
    func leave() -> Bool {
        state.with { state in
            guard state.mail.isEmpty else { return false }
            state.isServed = false
            return true
        }
    }

    var isServed: Bool { state.with { $0.isServed } }

    func close() { state.with { $0.isClosed = true } }

    /// Closes it if nobody serves it, nothing is in it, and `isNeeded` says no. False when it stays open.
    func close(unless isNeeded: () -> Bool) -> Bool {
        state.with { state in
            if state.isServed || !state.mail.isEmpty || isNeeded() { return false }
            state.isClosed = true
            return true
        }
    }
}
