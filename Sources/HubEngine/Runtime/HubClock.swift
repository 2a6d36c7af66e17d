import Glibc

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
        random: {
            var generator = SystemRandomNumberGenerator()
            return generator.next()
        })
}
