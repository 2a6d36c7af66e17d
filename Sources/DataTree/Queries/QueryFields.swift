/// The fields of a query object as a client spelled them, before they are checked against each other.
///
/// Names and meanings are those of `queryParamsGetQueryObject` in the JavaScript SDK's
/// `packages/database/src/core/view/QueryParams.ts`; the iOS and Android SDKs leave out `sin` and `ein`.
package struct QueryFields: Sendable {
    /// One end of the range. A value that is there counts, also null.
    package struct Bound: Sendable {
        package var value: ValueOrder?
        package var key: String?
        package var isInclusive: Bool?

        package init() {}
    }

    /// `i`: `.key`, `.value`, `.priority` (also when absent) or a child path.
    package var index: String?
    /// `sp`, `sn`, `sin`.
    package var start = Bound()
    /// `ep`, `en`, `ein`.
    package var end = Bound()
    /// `l`.
    package var limit: Leaf?
    /// `vf`.
    package var anchor: String?

    package init() {}

    /// The canonical query; refuses fields that contradict each other.
    package func query() throws(QueryError) -> Query {
        let index = try resolvedIndex()
        return try Query(
            index: index,
            start: Self.bound(start, under: index, names: ("sp", "sn", "sin"), absentKey: .least),
            end: Self.bound(end, under: index, names: ("ep", "en", "ein"), absentKey: .greatest),
            limit: resolvedLimit())
    }

    private func resolvedIndex() throws(QueryError) -> Query.Index {
        switch index {
        case nil, ".priority": return .priority
        case ".key": return .key
        case ".value": return .value
        case let text?:
            let path = Path(text)
            // Characters that no stored key can have would make an index that is the same for all children.
            let isKnown = !path.isRoot && !text.unicodeScalars.contains { ".#$[]".unicodeScalars.contains($0) }
            guard isKnown else { throw .badIndex(text) }
            return .path(path)
        }
    }

    private static func bound(
        _ bound: Bound, under index: Query.Index, names: (value: String, key: String, inclusive: String),
        absentKey: BoundKey
    ) throws(QueryError) -> QueryBound? {
        guard let value = bound.value else {
            if bound.key != nil { throw .withoutBound(field: names.key, bound: names.value) }
            if bound.isInclusive != nil { throw .withoutBound(field: names.inclusive, bound: names.value) }
            return nil
        }
        let isInclusive = bound.isInclusive ?? true
        if index == .key {
            // A tie-breaking key has nothing to decide here.
            guard case .string(let text) = value else { throw .keyBoundNotText(field: names.value) }
            return QueryBound(value: .null, key: BoundKey(text.string), isInclusive: isInclusive)
        }
        return QueryBound(value: value, key: bound.key.map(BoundKey.init) ?? absentKey, isInclusive: isInclusive)
    }

    private func resolvedLimit() throws(QueryError) -> Query.Limit? {
        let anchor: Query.Limit.Anchor
        switch self.anchor {
        // Without an anchor SDKs count from the start when there is one (`QueryParams.isViewFromLeft`).
        case nil: anchor = start.value != nil ? .first : .last
        case "l": anchor = .first
        case "r": anchor = .last
        case let text?: throw .unknownAnchor(text)
        }
        switch limit {
        case nil: return nil
        case .integer(let count): return Query.Limit(count: Int(count), anchor: anchor)
        case .double(let count): throw .badLimit("\(count)")
        default: throw .wrongType(field: "l", expected: "a whole number")
        }
    }
}
