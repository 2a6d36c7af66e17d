/// The time that silence is measured in: ticks of a monotonic clock, without the time that the loop itself was away.
///
/// When a tick comes late, because the machine was paused or the loop was busy, clients had no chance to be heard meanwhile.
/// The lateness is left out of the loop's time, which moves every deadline by it.
struct LoopClock {
    /// Milliseconds between ticks.
    let interval: Int64
    /// Lateness below this is ordinary scheduling and counts as time.
    private let tolerance: Int64
    private var lastTick: Int64
    private var elapsed: Int64 = 0
    /// Milliseconds that were left out so far.
    private(set) var leftOut: Int64 = 0

    /// - Parameter start: milliseconds of a monotonic clock.
    init(interval: Int64, start: Int64) {
        self.interval = interval
        tolerance = interval
        lastTick = start
    }

    /// Completed intervals since the start, without what was left out.
    var tick: UInt32 { UInt32(clamping: elapsed / interval) }

    /// Takes note of a tick at `milliseconds` of the monotonic clock.
    mutating func advance(to milliseconds: Int64) {
        let passed = max(0, milliseconds - lastTick)
        lastTick = max(lastTick, milliseconds)
        let late = passed - interval
        if late > tolerance {
            leftOut += late
            elapsed += interval
        } else {
            elapsed += passed
        }
    }
}
