extension Query {
    /// The children of `node` that the query selects, as an object without a priority of its own; empty when there are
    /// none or `node` is a leaf (public JavaScript SDK, `RangedFilter.updateFullNode`). A query that does not filter
    /// returns `node` itself.
    ///
    /// O(log n + result) where the node is in the query's order by itself, otherwise O(n).
    package func apply(to node: Node) -> Node {
        if !filters { return node }
        if node.isEmpty || node.isLeaf { return .empty }
        if ChildOrder.isNatural(index, for: node) { return result(in: node, order: .node(node)) }
        let range = range
        var selected: [(entry: IndexEntry, node: Node)] = []
        node.forEachChild { key, child in
            let entry = IndexEntry(value: index.value(of: child), key: key)
            if range.contains(entry) {
                selected.append((entry, child))
                if let limit, selected.count / 2 >= limit.count { Self.cut(&selected, to: limit) }
            }
            return true
        }
        if let limit { Self.cut(&selected, to: limit) }
        return Node(children: selected.map { ($0.entry.key, $0.node) })
    }

    /// The same from children that are in the query's order already: O(log n + result).
    func result(in node: Node, order: ChildOrder) -> Node {
        if node.isEmpty || node.isLeaf { return .empty }
        var children: [(Key, Node)] = []
        order.forEach(in: range, limit: limit) { entry in children.append((entry.key, node[entry.key])) }
        return Node(children: children)
    }

    private static func cut(_ selected: inout [(entry: IndexEntry, node: Node)], to limit: Limit) {
        if selected.count <= limit.count { return }
        selected.sort { $0.entry < $1.entry }
        switch limit.anchor {
        case .first: selected.removeLast(selected.count - limit.count)
        case .last: selected.removeFirst(selected.count - limit.count)
        }
    }
}
