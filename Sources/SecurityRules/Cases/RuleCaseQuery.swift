import DataTree

/// The query of a read in a rule case, spelled as rules spell it (`query.orderByChild`, `query.limitToFirst`).
struct RuleCaseQuery {
    /// A query that no client could make; `sentence` ends with the remedy.
    struct Contradiction: Error {
        var sentence: String
    }

    /// Values by the name of their bound: `startAt`, `startAfter`, `endAt`, `endBefore`, `equalTo`.
    var bounds: [String: Node] = [:]
    private var index: Query.Index?
    private var limit: Query.Limit?

    mutating func order(by index: Query.Index) throws {
        guard self.index == nil else {
            throw Contradiction(sentence: "a query has one order, and this one has two; leave one out")
        }
        guard index != .path(.root) else {
            throw Contradiction(sentence: "\"orderByChild\" is empty; give the name of a child, or its path")
        }
        self.index = index
    }

    mutating func limit(to count: Int64, from anchor: Query.Limit.Anchor) throws {
        guard limit == nil else {
            throw Contradiction(sentence: "a query has one limit, and this one has two; leave one out")
        }
        guard (1...Int64(Query.Limit.greatestCount)).contains(count) else {
            throw Contradiction(
                sentence: "a limit is not \(count); give a whole number from 1 to \(Query.Limit.greatestCount)")
        }
        limit = Query.Limit(count: Int(count), anchor: anchor)
    }

    func query() throws -> Query {
        let start = try bound(among: ["startAt", "startAfter", "equalTo"], absentKey: .least)
        let end = try bound(among: ["endAt", "endBefore", "equalTo"], absentKey: .greatest)
        do {
            return try Query(index: index ?? .priority, start: start, end: end, limit: limit)
        } catch {
            throw Contradiction(sentence: error.description)
        }
    }

    private func bound(among names: [String], absentKey: BoundKey) throws -> QueryBound? {
        let given = names.filter { bounds[$0] != nil }
        guard given.count <= 1 else {
            throw Contradiction(
                sentence: "\"\(given[0])\" and \"\(given[1])\" exclude each other; leave one of them out")
        }
        guard let name = given.first, let node = bounds[name] else { return nil }
        let isInclusive = !["startAfter", "endBefore"].contains(name)
        guard node.isEmpty || node.leaf != nil else {
            throw Contradiction(
                sentence: "\"\(name)\" is an object or array; give null, a boolean, a number or a string")
        }
        guard index == .key else {
            // Behind all children with the value, or before them.
            let key: BoundKey = isInclusive ? absentKey : absentKey == .least ? .greatest : .least
            return QueryBound(value: ValueOrder(node), key: key, isInclusive: isInclusive)
        }
        guard case .string(let text)? = node.leaf else {
            throw Contradiction(sentence: "\"\(name)\" is no key, and the query is ordered by key; give a string")
        }
        return QueryBound(value: .null, key: BoundKey(text.string), isInclusive: isInclusive)
    }
}
