import Glibc
import Storage
import Synchronization
import TestSupport
import Testing

/// Starts a log and remembers what it delivers.
final class LogObserver: Sendable {
    private struct State {
        var durable = LogPosition.none
        var refusals: [(from: LogPosition, error: StorageError)] = []
        var failure: StorageError?
        var isInOrder = true
    }

    private let state = Mutex(State())
    let log: any CommitLog

    init(_ log: any CommitLog) {
        self.log = log
        log.start { self.note($0) }
    }

    private func note(_ delivery: LogDelivery) {
        state.withLock { state in
            switch delivery {
            case .durable(let position):
                if position <= state.durable || state.failure != nil { state.isInOrder = false }
                state.durable = position
            case .refused(let from, let error):
                if from.value != state.durable.value + 1, state.durable != .none { state.isInOrder = false }
                state.refusals.append((from, error))
            case .failed(let error): state.failure = error
            }
        }
    }

    var durable: LogPosition { state.withLock { $0.durable } }
    var refusals: [(from: LogPosition, error: StorageError)] { state.withLock { $0.refusals } }
    var failure: StorageError? { state.withLock { $0.failure } }
    /// Whether positions were delivered ascending, and nothing after a failure.
    var isInOrder: Bool { state.withLock { $0.isInOrder } }

    @discardableResult
    func submit(_ text: String, reserved: Bool = false) -> LogPosition {
        log.submit(Array(text.utf8), reserved: reserved)
    }

    func expectDurable(_ position: LogPosition, _ location: SourceLocation = #_sourceLocation) {
        let reached = waitFor { self.durable >= position || self.failure != nil || !self.refusals.isEmpty }
        #expect(reached && durable >= position, "durable only through \(durable)", sourceLocation: location)
    }

    /// Waits for the refusal with this number, counted from 1.
    func expectRefusal(
        _ number: Int = 1, _ location: SourceLocation = #_sourceLocation
    ) -> (from: LogPosition, error: StorageError)? {
        let reached = waitFor { self.refusals.count >= number }
        #expect(reached, "no refusal; failure: \(String(describing: failure))", sourceLocation: location)
        return reached ? refusals[number - 1] : nil
    }

    func expectFailure(_ location: SourceLocation = #_sourceLocation) -> StorageError? {
        let reached = waitFor { self.failure != nil }
        #expect(reached, "no failure; durable: \(durable)", sourceLocation: location)
        return failure
    }
}

/// Waits until `condition` holds, at most ten seconds.
func waitFor(_ condition: () -> Bool) -> Bool {
    for _ in 0..<50_000 {
        if condition() { return true }
        usleep(200)
    }
    return condition()
}

extension CommitLog {
    /// The entries after a position as texts.
    func texts(after position: LogPosition = .none) throws -> [String] {
        var result: [String] = []
        var expected = position.value + 1
        try replay(after: position) { position, bytes in
            #expect(position.value == expected)
            expected += 1
            result.append(String(decoding: bytes, as: UTF8.self))
        }
        return result
    }
}

extension LogConfiguration {
    /// Small segments, nothing in the background: every run of a test does the same.
    static func small(segment: Int = 16_384) -> LogConfiguration {
        var configuration = LogConfiguration()
        configuration.segmentBytes = segment
        configuration.reserveBytes = 12_288
        configuration.preparesInBackground = false
        return configuration
    }
}
