import DataTree

/// The query of a read as rules see it.
package struct RuleQuery: Sendable {
    /// How the read came, which decides what a read without a query looks like.
    package enum Transport: Sendable {
        case socket
        /// REST orders by key when nothing else is asked.
        case rest
    }

    private let query: Query
    private let transport: Transport

    /// A read of everything at a place over the socket.
    package static let none = RuleQuery(.default, over: .socket)

    package init(_ query: Query, over transport: Transport) {
        self.query = query
        self.transport = transport
    }

    /// A read without a query: over the socket nothing is set; REST has `orderByKey` (decision D14).
    private var orderedBy: Query.Index? {
        if !query.isDefault { return query.index }
        return transport == .rest ? .key : nil
    }

    /// Bounds have no property for exclusion, so `startAfter` and `endBefore` show as `startAt` and `endAt`; equal bounds
    /// show as `equalTo` alone (decision D10).
    private var isEqualTo: Bool {
        guard let start = query.start, let end = query.end, start.value == end.value else { return false }
        switch (start.key, end.key) {
        case (.least, .greatest): return true
        case (.key(let key), .key(let other)): return key == other && start.isInclusive && end.isInclusive
        default: return false
        }
    }

    func value(_ property: QueryProperty) -> RuleValue {
        switch property {
        case .orderByKey: return .bool(orderedBy == .key)
        case .orderByValue: return .bool(orderedBy == .value)
        case .orderByPriority: return .bool(orderedBy == .priority)
        case .orderByChild:
            guard case .path(let path)? = orderedBy else { return .null }
            var bytes: [UInt8] = []
            path.append(to: &bytes)
            return .text(Text(utf8: bytes))
        case .startAt: return isEqualTo ? .null : bound(query.start)
        case .endAt: return isEqualTo ? .null : bound(query.end)
        case .equalTo: return isEqualTo ? bound(query.start) : .null
        case .limitToFirst: return limit(.first)
        case .limitToLast: return limit(.last)
        }
    }

    private func bound(_ bound: QueryBound?) -> RuleValue {
        guard let bound else { return .null }
        guard query.index == .key else { return RuleValue(bound.value) }
        if case .key(let key) = bound.key { return .text(Text(key)) }
        return .null
    }

    private func limit(_ anchor: Query.Limit.Anchor) -> RuleValue {
        guard let limit = query.limit, limit.anchor == anchor else { return .null }
        return .number(Double(limit.count))
    }
}

extension Text {
    /// The text of a key.
    init(_ key: Key) { self = key.withUTF8 { Text(utf8: $0) } }
}
