/// Which children of a node a client asks for, and in which order they count.
///
/// A query is kept in canonical form: two queries that select the same by construction are equal, whatever SDK
/// spelled them. 1 and 1.0 are one endpoint, `sin` defaults to true, a tie-breaking key at an end of the key order has one
/// spelling. Windows are shared by this identity.
package struct Query: Hashable, Sendable {
    /// What children are ordered by. Ties are broken by key.
    package enum Index: Hashable, Sendable {
        case priority
        case key
        case value
        case path(Path)
    }

    /// How many children, and from which end of the range they are counted.
    package struct Limit: Hashable, Sendable {
        package enum Anchor: Hashable, Sendable {
            case first
            case last
        }

        /// SDKs hold limits in 32 bits.
        package static let greatestCount = 2_147_483_647

        package var count: Int
        package var anchor: Anchor

        package init(count: Int, anchor: Anchor) {
            self.count = count
            self.anchor = anchor
        }
    }

    package let index: Index
    package let start: QueryBound?
    package let end: QueryBound?
    package let limit: Limit?

    /// The whole node: `{}` on the wire.
    package static let `default` = Query(unchecked: .priority, start: nil, end: nil, limit: nil)

    /// The whole node under another index; it changes nothing but the name under which a client asks.
    package static func complete(by index: Index) -> Query {
        Query(unchecked: index, start: nil, end: nil, limit: nil)
    }

    /// Builds the canonical query; refuses bounds that the index cannot have and limits out of range.
    package init(
        index: Index = .priority, start: QueryBound? = nil, end: QueryBound? = nil, limit: Limit? = nil
    ) throws(QueryError) {
        if let start { try Self.check(start, under: index, field: "sp") }
        if let end { try Self.check(end, under: index, field: "ep") }
        if let limit, !(1...Limit.greatestCount).contains(limit.count) { throw .badLimit("\(limit.count)") }
        self.init(
            unchecked: index, start: start?.normalized(isStart: true), end: end?.normalized(isStart: false),
            limit: limit)
    }

    private init(unchecked index: Index, start: QueryBound?, end: QueryBound?, limit: Limit?) {
        self.index = index
        self.start = start
        self.end = end
        self.limit = limit
    }

    private static func check(_ bound: QueryBound, under index: Index, field: String) throws(QueryError) {
        switch (index, bound.value) {
        case (_, .object): throw .objectBound(field: field)
        case (.key, .null): return
        case (.key, _): throw .keyBoundNotText(field: field)
        case (.priority, .bool): throw .priorityBoundType(field: field)
        default: return
        }
    }

    /// Whether this is `{}`.
    package var isDefault: Bool { self == .default }

    /// Whether the query selects among the children: it has a start, an end or a limit. Exactly then a listen is
    /// tagged (public JavaScript SDK, `QueryParams.loadsAllData`).
    package var filters: Bool { start != nil || end != nil || limit != nil }
}
