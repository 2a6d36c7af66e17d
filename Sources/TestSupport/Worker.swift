import Glibc
import Storage

/// A thread that does a test's blocking work beside the others.
///
/// ```swift
/// let writers = (0..<4).map { number in Worker { try load(number) } }
/// hub.kill()
/// let journals = try writers.map { try $0.value() }
/// ```
package final class Worker<Value: Sendable>: Sendable {
    private let outcome = Monitor<Result<Value, any Error>?>(nil)

    package init(_ body: @escaping @Sendable () throws -> Value) {
        let outcome = outcome
        let isStarted = startThread {
            let result = Result { try body() }
            outcome.update { $0 = result }
        }
        if !isStarted { outcome.update { $0 = .failure(WorkerError.noThread) } }
    }

    /// What the work gave, waiting for its end.
    package func value(within: Duration = .seconds(120)) throws -> Value {
        let deadline = monotonicNanoseconds() + UInt64(max(0, within.milliseconds)) * 1_000_000
        guard let result = outcome.wait(until: deadline, for: { $0 }) else { throw WorkerError.unfinished(within) }
        return try result.get()
    }
}

package enum WorkerError: Error, CustomStringConvertible {
    case noThread
    case unfinished(Duration)

    package var description: String {
        switch self {
        case .noThread: "the system gave no thread"
        case .unfinished(let duration): "the work did not end within \(duration)"
        }
    }
}

/// Tells workers that it is time to end.
package final class StopFlag: Sendable {
    private let isRaised = Monitor(false)

    package init() {}

    package func raise() { isRaised.update { $0 = true } }

    package var isSet: Bool { isRaised.with { $0 } }

    /// Sleeps for a while, or until the flag is raised. True when it is.
    package func wait(for duration: Duration) -> Bool {
        let deadline = monotonicNanoseconds() + UInt64(max(0, duration.milliseconds)) * 1_000_000
        return isRaised.wait(until: deadline) { $0 ? true : nil } ?? false
    }
}

/// A number that several threads raise.
package final class Counter: Sendable {
    private let count = Monitor(0)

    package init() {}

    package func increment(by amount: Int = 1) { count.update { $0 += amount } }

    package var value: Int { count.with { $0 } }
}
