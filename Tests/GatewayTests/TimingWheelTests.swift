import Testing

@testable import Gateway

@Suite("The timing wheel")
struct TimingWheelTests {
    @Test("hands an entry out at its tick and not before")
    func due() {
        var wheel = TimingWheel(buckets: 8)
        wheel.schedule(3, at: 5)
        #expect(wheel.advance(to: 4) == [])
        #expect(wheel.advance(to: 5) == [3])
        #expect(wheel.advance(to: 50) == [])
    }

    @Test("passes over entries that are turns away")
    func turns() {
        var wheel = TimingWheel(buckets: 8)
        wheel.schedule(1, at: 100)
        wheel.schedule(2, at: 4)
        #expect(wheel.advance(to: 4) == [2])
        #expect(wheel.advance(to: 99) == [])
        #expect(wheel.advance(to: 100) == [1])
    }

    @Test("keeps one deadline an entry: the last one set")
    func moved() {
        var wheel = TimingWheel(buckets: 8)
        wheel.schedule(1, at: 2)
        wheel.schedule(1, at: 6)
        #expect(wheel.advance(to: 5) == [])
        #expect(wheel.advance(to: 6) == [1])
    }

    @Test("forgets cancelled entries, also ones it never had")
    func cancelled() {
        var wheel = TimingWheel(buckets: 8)
        wheel.schedule(1, at: 2)
        wheel.schedule(2, at: 2)
        wheel.schedule(3, at: 2)
        wheel.cancel(2)
        wheel.cancel(2)
        wheel.cancel(1000)
        #expect(Set(wheel.advance(to: 2)) == [1, 3])
    }

    @Test("treats a deadline in the past as the next tick")
    func past() {
        var wheel = TimingWheel(buckets: 8)
        _ = wheel.advance(to: 10)
        wheel.schedule(1, at: 3)
        #expect(wheel.advance(to: 11) == [1])
    }

    @Test("agrees with a plain list over many random changes")
    func random() {
        var generator = SplitMix(state: 7)
        var wheel = TimingWheel(buckets: 16)
        var expected: [Int: UInt32] = [:]
        var now: UInt32 = 0
        for _ in 0..<20_000 {
            let entry = Int(generator.next() % 50)
            switch generator.next() % 3 {
            case 0:
                let tick = now + UInt32(generator.next() % 60)
                wheel.schedule(entry, at: tick)
                expected[entry] = max(tick, now + 1)
            case 1:
                wheel.cancel(entry)
                expected[entry] = nil
            default:
                now += UInt32(generator.next() % 40)
                let due = Set(wheel.advance(to: now))
                #expect(due == Set(expected.filter { $0.value <= now }.keys))
                expected = expected.filter { $0.value > now }
            }
        }
    }
}

/// A small deterministic generator.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

@Suite("The loop's clock")
struct LoopClockTests {
    @Test("counts ticks that come in time")
    func inTime() {
        var clock = LoopClock(interval: 250, start: 1_000)
        for moment in stride(from: Int64(1_250), through: 3_000, by: 250) { clock.advance(to: moment) }
        #expect(clock.tick == 8)
        #expect(clock.leftOut == 0)
    }

    @Test("counts ordinary lateness as time")
    func jitter() {
        var clock = LoopClock(interval: 250, start: 0)
        for moment: Int64 in [300, 500, 760, 1_000] { clock.advance(to: moment) }
        #expect(clock.tick == 4)
    }

    @Test("leaves out what a paused machine slept")
    func paused() {
        var clock = LoopClock(interval: 250, start: 0)
        clock.advance(to: 250)
        clock.advance(to: 60_250)
        #expect(clock.tick == 2)
        #expect(clock.leftOut == 59_750)
        clock.advance(to: 60_500)
        #expect(clock.tick == 3)
    }

    @Test("never goes back")
    func backwards() {
        var clock = LoopClock(interval: 250, start: 1_000)
        clock.advance(to: 500)
        #expect(clock.tick == 0)
        clock.advance(to: 1_250)
        #expect(clock.tick == 1)
    }
}
