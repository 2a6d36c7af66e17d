import Storage

/// Reminds databases of the time that they have set themselves: a token that expires, numbers that are due, a state to be
/// saved. One thread for all of them, and only while something is set.
final class HubTimer: Sendable {
    private struct State {
        var alarms: [ObjectIdentifier: (time: UInt64, database: Database)] = [:]
        var isRunning = false
        var isStopped = false
    }

    private let monitor = Monitor(State())

    /// Rings `database` at `time` of the monotonic clock, instead of any other time set before.
    func set(_ database: Database, at time: UInt64) {
        let mustStart = monitor.update { state in
            guard !state.isStopped else { return false }
            state.alarms[ObjectIdentifier(database)] = (time, database)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart && !startThread(run) { monitor.update { $0.isRunning = false } }
    }

    func stop() {
        monitor.update { state in
            state.isStopped = true
            state.alarms = [:]
        }
        _ = monitor.wait { $0.isRunning ? nil : true }
    }

    private func run() {
        while true {
            let earliest = monitor.with { state in state.alarms.values.map(\.time).min() }
            let due = monitor.wait(until: earliest) { state -> [Database]? in
                let now = monotonicNanoseconds()
                let due = state.alarms.filter { $0.value.time <= now }
                for key in due.keys { state.alarms[key] = nil }
                if !due.isEmpty { return due.values.map(\.database) }
                let isSooner = (state.alarms.values.map(\.time).min() ?? .max) < (earliest ?? .max)
                return state.isStopped || state.alarms.isEmpty || isSooner ? [] : nil
            }
            for database in due ?? [] { database.ring() }
            let isDone = monitor.update { state in
                guard state.isStopped || state.alarms.isEmpty else { return false }
                state.isRunning = false
                return true
            }
            if isDone { return }
        }
    }
}
