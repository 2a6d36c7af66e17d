/// A commit log that lives as long as the process: for `--memory` and for tests.
package final class MemoryLog: CommitLog {
    private let entries: MemoryEntries
    private let writer: LogWriter
    package let identity: UInt64

    /// - Parameter keepsEntries: whether `replay` can give entries back. Off, nothing piles up that nobody will read.
    package init(
        identity: UInt64 = .random(in: 1...UInt64.max), configuration: LogConfiguration = .init(),
        keepsEntries: Bool = true
    ) {
        self.identity = identity
        entries = MemoryEntries(limit: configuration.entryBytes, keepsEntries: keepsEntries)
        writer = LogWriter(medium: entries, next: LogPosition(1), configuration: configuration)
    }

    package var lastPosition: LogPosition { writer.lastPosition }

    package func replay(
        after position: LogPosition, _ body: (LogPosition, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let (first, kept) = entries.all
        guard position.value >= first.value - 1 else {
            throw StorageError.damaged(
                file: "the log in memory", offset: nil,
                detail: "entries \(position.value + 1) to \(first.value - 1) are missing")
        }
        for (index, entry) in kept.enumerated() {
            let own = LogPosition(first.value + UInt64(index))
            if own > position { try entry.withUnsafeBytes { try body(own, $0) } }
        }
    }

    package func start(delivered: @escaping @Sendable (LogDelivery) -> Void) {
        writer.start(delivered: delivered)
    }

    package func submit(_ entry: [UInt8], reserved: Bool) -> LogPosition {
        writer.submit(QueuedEntry(bytes: entry, reserved: reserved))
    }

    package func resume() {
        writer.resume()
    }

    package func trim(through position: LogPosition) {
        entries.trim(through: position)
    }

    package func close() {
        writer.close()
    }
}

/// The entries that have not been trimmed.
private final class MemoryEntries: LogMedium {
    private struct State {
        var first = LogPosition(1)
        var kept: [[UInt8]] = []
    }

    private let state = Monitor(State())
    private let limit: Int
    private let keepsEntries: Bool

    init(limit: Int, keepsEntries: Bool) {
        self.limit = limit
        self.keepsEntries = keepsEntries
    }

    var all: (first: LogPosition, kept: [[UInt8]]) {
        state.with { ($0.first, $0.kept) }
    }

    func append(_ entries: ArraySlice<QueuedEntry>, first: LogPosition) -> GroupOutcome {
        let accepted = entries.prefix { $0.bytes.count <= limit }
        guard !accepted.isEmpty else {
            return .refused(.entryTooLarge(bytes: entries.first?.bytes.count ?? 0, limit: limit))
        }
        state.with { state in
            if keepsEntries {
                state.kept.append(contentsOf: accepted.map(\.bytes))
            } else {
                state.first.value += UInt64(accepted.count)
            }
        }
        return .durable(count: accepted.count)
    }

    func trim(through position: LogPosition) {
        state.with { state in
            guard position >= state.first else { return }
            let following = position.value - state.first.value
            let count = following >= UInt64(state.kept.count) ? state.kept.count : Int(following) + 1
            state.kept.removeFirst(count)
            state.first.value += UInt64(count)
        }
    }
}
