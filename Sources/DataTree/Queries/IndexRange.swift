/// A place between children in index order. It needs no child to be there.
package struct IndexCut: Hashable, Sendable {
    package var value: ValueOrder
    package var key: BoundKey
    /// Whether the cut lies behind a child with exactly this value and key, or before it.
    package var isAfter: Bool

    package init(value: ValueOrder, key: BoundKey, isAfter: Bool) {
        self.value = value
        self.key = key
        self.isAfter = isAfter
    }

    package static func before(_ entry: IndexEntry) -> IndexCut {
        IndexCut(value: entry.value, key: .key(entry.key), isAfter: false)
    }

    package static func after(_ entry: IndexEntry) -> IndexCut {
        IndexCut(value: entry.value, key: .key(entry.key), isAfter: true)
    }

    /// Whether `entry` stands behind the cut; otherwise it stands before it.
    package func precedes(_ entry: IndexEntry) -> Bool {
        if value < entry.value { return true }
        if entry.value < value { return false }
        switch key {
        case .least: return true
        case .greatest: return false
        case .key(let key): return isAfter ? key < entry.key : !(entry.key < key)
        }
    }
}

/// What lies between two cuts; an absent cut is an open end.
package struct IndexRange: Hashable, Sendable {
    package var lower: IndexCut?
    package var upper: IndexCut?

    package init(lower: IndexCut? = nil, upper: IndexCut? = nil) {
        self.lower = lower
        self.upper = upper
    }

    package func contains(_ entry: IndexEntry) -> Bool {
        if let lower, !lower.precedes(entry) { return false }
        if let upper, upper.precedes(entry) { return false }
        return true
    }
}

extension Query {
    /// The children that the start and the end of the query admit, before any limit.
    package var range: IndexRange {
        IndexRange(
            lower: start.map { IndexCut(value: $0.value, key: $0.key, isAfter: !$0.isInclusive) },
            upper: end.map { IndexCut(value: $0.value, key: $0.key, isAfter: $0.isInclusive) })
    }
}
