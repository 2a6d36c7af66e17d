import DataTree

/// Nodes, queries and commits with many ties, mixed types and awkward keys.
extension SeededRandom {
    private static let keys: [Key] = [
        "-3", "0", "1", "2", "5", "05", "10", "2147483648", "a", "b", "ba", "c", "e\u{301}", "\u{e9}", "\u{ffe5}",
        "\u{1f600}", "-NabcdefghijklmnopqR", "-NabcdefghijklmnopqS", "long key that cannot be packed into a word", "z",
    ]

    mutating func key() -> Key { pick(Self.keys) }

    mutating func leaf() -> Leaf {
        switch below(6) {
        case 0: .bool(chance(50))
        case 1, 2: .integer(Int64(below(4)) - 1)
        case 3: .double(0.5)
        default: .string(Text(pick(["", "a", "b", "\u{ffe5}", "\u{1f600}", "abcdefghijk", "abcdefghijl"])))
        }
    }

    mutating func priority() -> Priority {
        switch below(8) {
        case 0: .number(Double(below(3)))
        case 1: .string(Text(pick(["a", "b"])))
        default: .none
        }
    }

    mutating func child(prioritized: Bool) -> Node {
        let priority = prioritized ? priority() : .none
        if chance(40) { return Node(leaf: leaf(), priority: priority) }
        var children: [(Key, Node)] = []
        if chance(70) { children.append(("n", Node(leaf: leaf()))) }
        if chance(30) { children.append(("deep", Node(children: [("n", Node(leaf: leaf()))]))) }
        if chance(20) { children.append(("other", Node(leaf: leaf()))) }
        return Node(children: children, priority: priority)
    }

    mutating func node(prioritized: Bool) -> Node {
        let priority = priority()
        if chance(5) { return Node(leaf: leaf()) }
        return Node(
            children: (0..<below(14)).map { _ in (key(), child(prioritized: prioritized)) }, priority: priority)
    }

    mutating func index() -> Query.Index {
        pick([.priority, .key, .value, .path("n"), .path("deep/n"), .path("deep")])
    }

    mutating func query() throws -> Query {
        let index = index()
        let start = chance(45) ? bound(under: index) : nil
        let end = chance(15) ? start : chance(45) ? bound(under: index) : nil
        let limit =
            chance(65) ? Query.Limit(count: 1 + below(chance(80) ? 5 : 20), anchor: chance(50) ? .first : .last) : nil
        return try Query(index: index, start: start, end: end, limit: limit)
    }

    private mutating func bound(under index: Query.Index) -> QueryBound {
        let key: BoundKey = chance(15) ? .least : chance(20) ? .greatest : .key(key())
        let isInclusive = chance(70)
        if index == .key { return QueryBound(value: .null, key: key, isInclusive: isInclusive) }
        var value = chance(15) ? .null : ValueOrder(leaf())
        if index == .priority {
            value = pick([.null, .number(0), .number(1), .number(2), .string("a"), .string("b")])
        }
        return QueryBound(value: value, key: key, isInclusive: isInclusive)
    }

    /// A commit's effect on the node: either direct children or the node itself.
    enum Commit {
        case children([ChildChange])
        case replacement
    }

    mutating func commit(_ node: inout Node, prioritized: Bool) -> Commit {
        let old = node
        if chance(4) {
            node = self.node(prioritized: prioritized)
            return .replacement
        }
        if chance(3) {
            node.setPriority(priority(), at: .root)
            return .replacement
        }
        var keys: [Key] = []
        for _ in 0..<(chance(70) ? 1 : 1 + below(6)) {
            let key = chance(50) ? key() : node.child(atRank: below(max(1, node.childCount)))?.key ?? key()
            if !keys.contains(key) { keys.append(key) }
            switch below(10) {
            case 0, 1, 2: node.set(.empty, at: Path(keys: [key]))
            case 3, 4: node.set(Node(leaf: leaf()), at: Path(keys: [key, "n"]))
            case 5: node.set(Node(leaf: leaf()), at: Path(keys: [key, "other"]))
            case 6 where prioritized: node.setPriority(priority(), at: Path(keys: [key]))
            default: node.set(child(prioritized: prioritized), at: Path(keys: [key]))
            }
        }
        if old.childCount == 0 || node.childCount == 0 { return .replacement }
        return .children(keys.map { ChildChange(key: $0, old: old[$0], new: node[$0]) })
    }
}
