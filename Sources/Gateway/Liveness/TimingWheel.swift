/// Deadlines of many connections, one each: setting, moving and clearing one costs the same however many there are.
///
/// A hashed wheel: an entry lies in the bucket of its tick, and one that is more than a turn away is passed over until its
/// turn comes. libwebsockets keeps its timers in a sorted list instead, where n connections cost n² steps. Entries are named
/// by small integers (the slots of the connections), and the links between them live in two flat arrays.
struct TimingWheel {
    private static let none = Int32(-1)

    private var heads: [Int32]
    private var next: [Int32] = []
    private var previous: [Int32] = []
    private var ticks: [UInt32] = []
    /// Which entries are in a bucket; the tick itself can be any number.
    private var isScheduled: [Bool] = []
    /// The last tick that was handed out.
    private(set) var now: UInt32 = 0

    /// - Parameter buckets: a power of two; deadlines within so many ticks are found without passing over others.
    init(buckets: Int = 512) {
        heads = Array(repeating: TimingWheel.none, count: buckets)
    }

    /// Sets the entry's only deadline. One that is not in the future comes due at the next tick.
    mutating func schedule(_ entry: Int, at tick: UInt32) {
        grow(toHold: entry)
        unlink(entry)
        let tick = max(tick, now + 1)
        let bucket = Int(tick) & (heads.count - 1)
        ticks[entry] = tick
        isScheduled[entry] = true
        next[entry] = heads[bucket]
        previous[entry] = TimingWheel.none
        if heads[bucket] != TimingWheel.none { previous[Int(heads[bucket])] = Int32(entry) }
        heads[bucket] = Int32(entry)
    }

    /// Clears the entry's deadline, if it has one.
    mutating func cancel(_ entry: Int) {
        guard entry < ticks.count else { return }
        unlink(entry)
    }

    /// Moves on to `tick` and returns the entries that came due, each of them without a deadline now.
    mutating func advance(to tick: UInt32) -> [Int] {
        guard tick > now else { return [] }
        var due: [Int] = []
        // Past a whole turn every bucket has been seen.
        let turns = min(Int(tick - now), heads.count)
        for step in 0..<turns {
            var entry = heads[Int(tick - UInt32(step)) & (heads.count - 1)]
            while entry != TimingWheel.none {
                let index = Int(entry)
                entry = next[index]
                if ticks[index] <= tick {
                    due.append(index)
                    unlink(index)
                }
            }
        }
        now = tick
        return due
    }

    private mutating func unlink(_ entry: Int) {
        guard isScheduled[entry] else { return }
        isScheduled[entry] = false
        let (before, after) = (previous[entry], next[entry])
        if before == TimingWheel.none {
            heads[Int(ticks[entry]) & (heads.count - 1)] = after
        } else {
            next[Int(before)] = after
        }
        if after != TimingWheel.none { previous[Int(after)] = before }
    }

    private mutating func grow(toHold entry: Int) {
        guard entry >= ticks.count else { return }
        let missing = max(entry + 1, ticks.count * 2, 64) - ticks.count
        next.append(contentsOf: repeatElement(TimingWheel.none, count: missing))
        previous.append(contentsOf: repeatElement(TimingWheel.none, count: missing))
        ticks.append(contentsOf: repeatElement(0, count: missing))
        isScheduled.append(contentsOf: repeatElement(false, count: missing))
    }
}
