/// An entry that waits for the writer thread.
struct QueuedEntry: Sendable {
    var bytes: [UInt8]
    /// May use the space that is kept back for a full disk.
    var reserved: Bool
}

/// What became of one group.
enum GroupOutcome: Sendable {
    /// The first `count` entries are durable.
    case durable(count: Int)
    /// None of the entries is in the log.
    case refused(StorageError)
    /// Unknown; nothing may be written any more.
    case failed(StorageError)
}

/// Where groups go. Only the writer thread calls it.
protocol LogMedium: AnyObject, Sendable {
    /// Makes a leading part of `entries`, at least one, durable as one group whose first entry has the position `first`.
    func append(_ entries: ArraySlice<QueuedEntry>, first: LogPosition) -> GroupOutcome
}

/// The queue, the numbering and the thread of a commit log, whatever its medium.
///
/// The thread lives while there is something to write and a while longer, so that idle namespaces hold none.
final class LogWriter: Sendable {
    private enum Phase {
        case open
        /// Drops what is submitted until `resume`.
        case refusing(from: LogPosition)
        case failed
        case closed
    }

    private struct State {
        var phase = Phase.open
        var queue: [QueuedEntry] = []
        /// The position of the next entry that is submitted.
        var next: LogPosition
        var durable: LogPosition
        var delivered: (@Sendable (LogDelivery) -> Void)?
        var isRunning = false
        /// Entries arrived while the last group was being written.
        var isUnderLoad = false
        var lastSyncStart: UInt64 = 0
    }

    private let state: Monitor<State>
    private let medium: any LogMedium
    private let configuration: LogConfiguration

    init(medium: any LogMedium, next: LogPosition, configuration: LogConfiguration) {
        self.medium = medium
        self.configuration = configuration
        state = Monitor(State(next: next, durable: LogPosition(next.value - 1)))
    }

    var lastPosition: LogPosition { state.with { $0.durable } }

    func start(delivered: @escaping @Sendable (LogDelivery) -> Void) {
        state.update { state in
            state.delivered = delivered
            if !state.queue.isEmpty { ensureThread(&state) }
        }
    }

    func submit(_ entry: QueuedEntry) -> LogPosition {
        state.update { state in
            let position = state.next
            state.next.value += 1
            if case .open = state.phase {
                state.queue.append(entry)
                if state.delivered != nil { ensureThread(&state) }
            }
            return position
        }
    }

    func resume() {
        state.with { state in
            guard case .refusing(let position) = state.phase else { return }
            state.phase = .open
            state.next = position
            state.queue = []
        }
    }

    func close() {
        state.update { state in
            switch state.phase {
            case .open: state.phase = .closed
            case .refusing:
                state.queue = []
                state.phase = .closed
            case .failed, .closed: break
            }
            if !state.queue.isEmpty, state.delivered != nil { ensureThread(&state) }
        }
        _ = state.wait { $0.isRunning ? nil : true }
    }

    /// A thread that cannot be started now is tried again with the next entry.
    private func ensureThread(_ state: inout State) {
        guard !state.isRunning else { return }
        state.isRunning = startThread { self.run() }
    }

    private func run() {
        while case .write(let batch, let first) = nextTurn() {
            write(batch, first: first)
        }
    }

    private enum Turn {
        case write([QueuedEntry], first: LogPosition)
        case end
    }

    /// Everything that is queued, or the end of the thread.
    private func nextTurn() -> Turn {
        let paced = state.with { $0.isUnderLoad ? $0.lastSyncStart + configuration.minimumSyncInterval : 0 }
        sleepUntil(paced)
        let deadline = monotonicNanoseconds() + configuration.idleNanoseconds
        let turn = state.wait(until: deadline) { state -> Turn? in
            guard state.queue.isEmpty else { return take(&state) }
            switch state.phase {
            case .open, .refusing: return nil
            case .failed, .closed: return .end
            }
        }
        if let turn, case .write = turn { return turn }
        // To find nothing and to end are one step: an entry submitted in between would wait for the next one.
        return state.update { state in
            guard state.queue.isEmpty else { return take(&state) }
            state.isRunning = false
            return .end
        }
    }

    private func take(_ state: inout State) -> Turn {
        let first = LogPosition(state.next.value - UInt64(state.queue.count))
        defer { state.queue = [] }
        state.lastSyncStart = monotonicNanoseconds()
        return .write(state.queue, first: first)
    }

    private func write(_ batch: [QueuedEntry], first: LogPosition) {
        var position = first
        var rest = batch[...]
        while !rest.isEmpty {
            switch medium.append(rest, first: position) {
            case .durable(let count):
                rest = rest.dropFirst(count)
                position.value += UInt64(count)
                let last = LogPosition(position.value - 1)
                deliver(.durable(through: last)) { state in
                    state.durable = last
                    state.isUnderLoad = !state.queue.isEmpty
                }
            case .refused(let error):
                deliver(.refused(from: position, error)) { state in
                    state.queue = []
                    if case .open = state.phase { state.phase = .refusing(from: position) }
                }
                return
            case .failed(let error):
                deliver(.failed(error)) { state in
                    state.queue = []
                    state.phase = .failed
                }
                return
            }
        }
    }

    private func deliver(_ delivery: LogDelivery, _ change: (inout State) -> Void) {
        let delivered = state.with { state in
            change(&state)
            return state.delivered
        }
        delivered?(delivery)
    }
}
