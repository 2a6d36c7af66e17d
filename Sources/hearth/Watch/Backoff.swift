/// How long to wait before the next attempt: twice as long each time, up to a limit, and never everybody at once.
struct Backoff {
    private let first: Duration
    private let longest: Duration
    private var next: Duration

    init(first: Duration = .milliseconds(500), longest: Duration = .seconds(30)) {
        self.first = first
        self.longest = longest
        next = first
    }

    /// Between half of the time that it has come to and all of it.
    mutating func pause(using random: inout some RandomNumberGenerator) -> Duration {
        let pause = next
        next = min(longest, next * 2)
        let fraction = Double(random.next() >> 11) * 0x1p-53
        return pause * (0.5 + fraction / 2)
    }

    /// An attempt went well.
    mutating func reset() { next = first }
}
