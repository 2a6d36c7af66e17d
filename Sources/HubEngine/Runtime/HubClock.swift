import Glibc
import Storage

/// The hub's sources of time and randomness, so that tests can set both.
package struct HubClock: Sendable {
    /// Wall time, milliseconds since 1970.
    package var milliseconds: @Sendable () -> Int64
    /// 64 unguessable bits.
    package var random: @Sendable () -> UInt64

    package init(milliseconds: @escaping @Sendable () -> Int64, random: @escaping @Sendable () -> UInt64) {
        self.milliseconds = milliseconds
        self.random = random
    }

    /// The machine's clock and the system's random numbers.
    package static let system = HubClock(
        milliseconds: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        },
        random: { systemRandom.next() })

    private static let systemRandom = BufferedRandom()
}

/// The clock's random source in the form that generators take.
struct ClockRandom: RandomNumberGenerator {
    let clock: HubClock

    func next() -> UInt64 { clock.random() }
}

/// The system's random numbers, fetched many at a time: a system call for each would be felt when thousands connect.
private final class BufferedRandom: Sendable {
    private let words = Monitor<[UInt64]>([])

    func next() -> UInt64 {
        words.with { words in
            if words.isEmpty {
                // 256 bytes are as much as one call gives.
                words = [UInt64](repeating: 0, count: 32)
                let isFilled = words.withUnsafeMutableBytes { bytes in
                    bytes.baseAddress.map { getentropy($0, bytes.count) == 0 } ?? false
                }
                if !isFilled {
                    var generator = SystemRandomNumberGenerator()
                    words = words.map { _ in generator.next() }
                }
            }
            return words.removeLast()
        }
    }
}
