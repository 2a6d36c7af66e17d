/// A value that the hub fills in when it applies a write.
package enum ServerValue: Hashable, Sendable {
    /// The hub's time in milliseconds, one reading for a whole request.
    case timestamp
    /// The number that is already there plus this one; this one alone when there is no number.
    case increment(Double)
}

/// What a node without children holds.
package enum Leaf: Hashable, Sendable {
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(Text)
    /// Only in values not yet resolved, as a decoded write holds them.
    case deferred(ServerValue)

    /// A number in the one form that is stored: whole numbers below 2^63 as integers (so never `-0`), others as
    /// doubles.
    package static func number(_ value: Double) -> Leaf {
        if let integer = Int64(exactly: value) { .integer(integer) } else { .double(value) }
    }

    /// The number as all ordering and hashing sees it; nil for other kinds.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    var normalized: Leaf {
        if case .double(let value) = self { .number(value) } else { self }
    }
}
