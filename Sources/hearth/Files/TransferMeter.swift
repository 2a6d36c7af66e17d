import Storage

/// Counts what is transferred, and shows it on standard error where a person looks.
final class TransferMeter {
    private(set) var bytes = 0
    private let started: UInt64
    private let total: Int?
    private let environment: CommandEnvironment
    private let clock: () -> UInt64
    private var shownAt: UInt64
    private var isShown = false

    /// `total` is how many bytes there will be, if that is known. The clock is monotonic, in nanoseconds.
    init(
        total: Int? = nil, _ environment: CommandEnvironment, clock: @escaping () -> UInt64 = monotonicNanoseconds
    ) {
        self.total = total
        self.environment = environment
        self.clock = clock
        started = clock()
        shownAt = started
    }

    var duration: Duration { .nanoseconds(Int64(clock() - started)) }

    func add(_ count: Int) {
        bytes += count
        guard environment.errorStyle.isRich else { return }
        let now = clock()
        // Often enough to be alive, seldom enough to cost nothing.
        guard now - shownAt >= 200_000_000 else { return }
        shownAt = now
        isShown = true
        let rate = Int(Double(bytes) / (Double(now - started) / 1e9))
        let share = total.map { $0 > 0 ? " of \($0.bytesText) (\(bytes * 100 / $0) %)" : "" } ?? ""
        environment.note("\r  \(bytes.bytesText)\(share), \(rate.bytesText)/s\u{1B}[K")
    }

    /// Takes the line away again.
    func clear() {
        guard isShown else { return }
        isShown = false
        environment.note("\r\u{1B}[K")
    }

    /// For a summary with `--json`: seconds with three digits behind the point.
    var seconds: Double {
        let milliseconds = (Double(clock() - started) / 1e6).rounded()
        return milliseconds / 1000
    }
}
