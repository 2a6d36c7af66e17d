/// When leases end unless they are renewed, by the monotonic clock, in nanoseconds: a wall clock that is set must end none.
///
/// A renewal is one entry of a table. All leases are looked through only when the first may be over, and not more than ten times
/// a second, so a lease may last a tenth of a second longer.
struct LeaseTimes {
    private var ends: [ConnectionID: UInt64] = [:]
    /// When to look through them next; `.max` while there are none.
    private(set) var next: UInt64 = .max
    private var isLate = false

    private static let pause: UInt64 = 100_000_000
    /// Whoever looks later than this was held up, and so may be what renews a lease.
    private static let lateness: UInt64 = 1_000_000_000

    var count: Int { ends.count }

    mutating func note(_ news: [LeaseNews], now: UInt64) {
        for item in news {
            switch item {
            case .held(let connection, let milliseconds):
                let end = now + UInt64(max(0, milliseconds)) * 1_000_000
                ends[connection] = end
                next = min(next, end)
            case .ended(let connection):
                ends[connection] = nil
                if ends.isEmpty { next = .max }
            }
        }
    }

    /// Takes out the leases whose time is up, in the order of their ends.
    mutating func takeExpired(now: UInt64) -> [ConnectionID] {
        guard now >= next else { return [] }
        if now - next > Self.lateness && !isLate {
            isLate = true
            next = now + Self.lateness
            return []
        }
        isLate = false
        let expired = ends.filter { $0.value <= now }.sorted { ($0.value, $0.key.packed) < ($1.value, $1.key.packed) }
        for (connection, _) in expired { ends[connection] = nil }
        next = ends.values.min().map { max($0, now + Self.pause) } ?? .max
        return expired.map(\.key)
    }
}
