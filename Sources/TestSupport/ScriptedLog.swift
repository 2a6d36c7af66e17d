import Storage

/// A commit log whose deliveries the test decides on: for engines that must cope with late, refused and unknown
/// commits. Deliveries come on the thread that calls `deliver…`, or at once when `isHolding` is false.
///
/// With `isHolding` false an entry is delivered inside `submit`, on the submitter's thread.
package final class ScriptedLog: CommitLog {
    private struct State {
        var entries: [[UInt8]] = []
        var durable = 0
        var isRefusing = false
        var refusedFrom = 0
        var submittedSinceRefusal = 0
        var isFailed = false
        var isHolding: Bool
        var trimmed = LogPosition.none
        var delivered: (@Sendable (LogDelivery) -> Void)?
    }

    private let state: Monitor<State>
    package let identity: UInt64 = 1

    /// - Parameter isHolding: keep entries until a `deliver…` call.
    package init(isHolding: Bool = true) {
        state = Monitor(State(isHolding: isHolding))
    }

    package var lastPosition: LogPosition { state.with { LogPosition(UInt64($0.durable)) } }

    /// How many entries wait for a delivery.
    package var heldCount: Int { state.with { $0.entries.count - $0.durable } }

    /// Whether the log has refused something and was not told to resume.
    package var isRefusing: Bool { state.with { $0.isRefusing } }

    /// The entries that were delivered as durable.
    package var durableEntries: [[UInt8]] { state.with { Array($0.entries.prefix($0.durable)) } }

    /// The highest position that was given to `trim`.
    package var trimmed: LogPosition { state.with { $0.trimmed } }

    package func setHolding(_ isHolding: Bool) {
        state.with { $0.isHolding = isHolding }
        if !isHolding { deliverDurable() }
    }

    /// Makes the next `count` held entries, or all, durable.
    package func deliverDurable(count: Int = .max) {
        let (delivered, last) = state.with { state in
            let before = state.durable
            state.durable = min(state.entries.count, count > state.entries.count ? .max : before + count)
            return (before == state.durable || state.isFailed ? nil : state.delivered, state.durable)
        }
        delivered?(.durable(through: LogPosition(UInt64(last))))
    }

    /// Refuses everything that is held, and what comes until `resume`. Not while it is refusing already.
    package func deliverRefused(_ error: StorageError = .diskFull(file: "the test's disk")) {
        let (delivered, from) = state.with { state in
            state.refusedFrom = state.durable
            state.submittedSinceRefusal = state.entries.count - state.durable
            state.entries.removeLast(state.submittedSinceRefusal)
            state.isRefusing = true
            return (state.delivered, state.durable + 1)
        }
        delivered?(.refused(from: LogPosition(UInt64(from)), error))
    }

    /// Leaves the fate of what is held unknown.
    package func deliverFailed(
        _ error: StorageError = .system(operation: "sync", file: "the test's disk", code: 5)
    ) {
        let delivered = state.with { state in
            state.isFailed = true
            return state.delivered
        }
        delivered?(.failed(error))
    }

    package func replay(
        after position: LogPosition, _ body: (LogPosition, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        for (index, entry) in durableEntries.enumerated() where UInt64(index) >= position.value {
            try entry.withUnsafeBytes { try body(LogPosition(UInt64(index) + 1), $0) }
        }
    }

    package func start(delivered: @escaping @Sendable (LogDelivery) -> Void) {
        state.with { $0.delivered = delivered }
    }

    package func submit(_ entry: [UInt8], reserved: Bool) -> LogPosition {
        let (position, isDeliverable) = state.with { state in
            if state.isRefusing {
                state.submittedSinceRefusal += 1
                return (state.refusedFrom + state.submittedSinceRefusal, false)
            }
            state.entries.append(entry)
            return (state.entries.count, !state.isHolding && !state.isFailed)
        }
        if isDeliverable { deliverDurable() }
        return LogPosition(UInt64(position))
    }

    package func resume() {
        state.with { $0.isRefusing = false }
    }

    package func trim(through position: LogPosition) {
        state.with { $0.trimmed = max($0.trimmed, position) }
    }

    package func close() {
        deliverDurable()
    }
}
