import Storage
import Synchronization

/// A number that only grows. Safe and cheap from any thread.
package final class Counter: Sendable {
    private let total = Atomic<Int>(0)

    package init() {}

    package func add(_ amount: Int = 1) { total.wrappingAdd(amount, ordering: .relaxed) }
    package var value: Int { total.load(ordering: .relaxed) }
}

/// A number that goes up and down. Safe and cheap from any thread.
package final class Gauge: Sendable {
    private let current = Atomic<Int>(0)

    package init() {}

    package func add(_ amount: Int) { current.wrappingAdd(amount, ordering: .relaxed) }
    package func set(_ value: Int) { current.store(value, ordering: .relaxed) }
    package var value: Int { current.load(ordering: .relaxed) }
}

/// Counts durations by size. Safe and cheap from any thread.
package final class Histogram: Sendable {
    /// Upper bounds in nanoseconds, ascending; one more bucket takes everything above.
    package static let bounds: [Int] = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
        250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000,
    ]
    private let buckets: [Counter]
    private let sum = Counter()

    package init() { buckets = (0...Histogram.bounds.count).map { _ in Counter() } }

    /// Adds one duration in nanoseconds.
    package func observe(nanoseconds: Int) {
        let index = Histogram.bounds.firstIndex { nanoseconds <= $0 } ?? Histogram.bounds.count
        buckets[index].add()
        sum.add(max(0, nanoseconds))
    }

    /// Observations in each bucket (not cumulative), the last one above every bound, and the sum in nanoseconds.
    package var counts: (buckets: [Int], sum: Int) { (buckets.map(\.value), sum.value) }
}

/// Counters that differ in the value of one label, made when first used.
///
/// The label's values must come from a fixed list (a status, a reason): each one stays for ever.
package final class CounterFamily: Sendable {
    private let counters = Monitor<[String: Counter]>([:])

    package init() {}

    package subscript(_ label: String) -> Counter {
        counters.with { counters in
            if let counter = counters[label] { return counter }
            let counter = Counter()
            counters[label] = counter
            return counter
        }
    }

    /// All label values in use, sorted, with their counts.
    package var values: [(label: String, value: Int)] {
        counters.with { $0.map { (label: $0.key, value: $0.value.value) } }.sorted { $0.label < $1.label }
    }
}

/// Everything that `/metrics` shows.
package final class Metrics: Sendable {
    /// Open connections by transport; index with `connections(_:)`.
    private let connectionGauges: [Gauge] = Transport.allCases.map { _ in Gauge() }
    /// Requests over HTTP, upgrades not counted.
    package let requests = Counter()
    /// Listens of all sessions.
    package let listens = Gauge()
    /// Writes by result: the status of the answer.
    package let writes = CounterFamily()
    /// Deliveries of changes to listeners.
    package let pushes = Counter()
    /// Sessions whose onDisconnect operations ran, by reason of their end.
    package let onDisconnectRuns = CounterFamily()
    /// Requests refused by rules, by kind (`read`, `write`, …).
    package let denied = CounterFamily()
    /// From submission of a group commit to its delivery.
    package let commitSeconds = Histogram()
    /// Bytes queued for clients that do not keep up.
    package let sendQueueBytes = Gauge()
    /// Connections of consoles.
    package let consoleConnections = Gauge()
    /// Sockets accepted since the start.
    package let accepted = Counter()
    /// Connections refused, by reason.
    package let refusedConnections = CounterFamily()
    /// Sessions ended, by reason.
    package let closedConnections = CounterFamily()
    /// The most connections that the hub admits.
    package let connectionLimit = Gauge()
    /// Bytes received from clients and sent to them, as seen by the gateway.
    package let receivedBytes = Counter()
    package let sentBytes = Counter()
    /// Nanoseconds of the monotonic clock at the start; 0 hides the uptime.
    package let startedAt = Gauge()

    package init() {}

    /// The gauge of open connections of one transport.
    package func connections(_ transport: Transport) -> Gauge {
        connectionGauges[Transport.allCases.firstIndex(of: transport) ?? 0]
    }

    /// All open connections.
    package var openConnections: Int { connectionGauges.reduce(0) { $0 + $1.value } }
}
