import DataTree
import Storage

/// A thread for what would hold engines up: hashing, indexing and measuring large nodes, and letting go of them.
package final class WorkQueue: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isStopped = false
        var isRunning = false
    }

    private let monitor = Monitor(State())

    package init() {}

    /// Runs `job` after those added before.
    package func add(_ job: @escaping @Sendable () -> Void) {
        let mustStart = monitor.update { state in
            guard !state.isStopped else { return false }
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart && !startThread(run) {
            monitor.update { $0.isRunning = false }
        }
    }

    /// Drops what has not begun and ends the thread. False when that does not end in time.
    @discardableResult
    package func stop() -> Bool {
        monitor.update { state in
            state.isStopped = true
            state.jobs = []
        }
        return monitor.wait(until: monotonicNanoseconds() + Self.stopTime) { $0.isRunning ? nil : true } ?? false
    }

    /// Ends the thread when nothing came for this long, in nanoseconds.
    private static let idleTime: UInt64 = 30_000_000_000

    /// How long the job that is under way may take once the queue is stopped, in nanoseconds.
    private static let stopTime: UInt64 = 2_000_000_000

    private func run() {
        while true {
            let jobs = monitor.wait(until: monotonicNanoseconds() + Self.idleTime) { state -> [@Sendable () -> Void]? in
                if state.isStopped { return [] }
                if state.jobs.isEmpty { return nil }
                defer { state.jobs = [] }
                return state.jobs
            }
            for job in jobs ?? [] { job() }
            let isDone = monitor.update { state in
                guard state.isStopped || jobs == nil && state.jobs.isEmpty else { return false }
                state.isRunning = false
                return true
            }
            if isDone { return }
        }
    }
}
