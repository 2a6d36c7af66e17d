/// The children of a node in the order of an index, wherever that order comes from.
package enum ChildOrder: Sendable {
    /// The node itself: for the key index, and for the priority index while no child has a priority.
    case node(Node)
    case index(ChildIndex)

    /// Whether `node` is in the order of `index` by itself.
    package static func isNatural(_ index: Query.Index, for node: Node) -> Bool {
        switch index {
        case .key: true
        case .priority: !node.hasPrioritizedChildren
        case .value, .path: false
        }
    }

    /// Walks the entries behind `cut` (all without one), away from it, until `body` says false. O(log n) to start.
    package func forEach(after cut: IndexCut?, _ body: (IndexEntry) -> Bool) {
        switch self {
        case .index(let index):
            index.forEach(after: cut, body)
        case .node(let node):
            guard let cut else { return node.forEachChild { key, _ in body(IndexEntry(value: .null, key: key)) } }
            // No child here has a value, so that a cut at any other value stands behind them all.
            if cut.value != .null || cut.key == .greatest { return }
            node.forEachChild(from: cut.key.exact) { key, _ in
                let entry = IndexEntry(value: .null, key: key)
                return cut.precedes(entry) ? body(entry) : true
            }
        }
    }

    /// Walks the entries before `cut` (all without one), backwards, until `body` says false. O(log n) to start.
    package func forEach(before cut: IndexCut?, _ body: (IndexEntry) -> Bool) {
        switch self {
        case .index(let index):
            index.forEach(before: cut, body)
        case .node(let node):
            let start = cut?.value == ValueOrder.null ? cut?.key.exact : nil
            if let cut, cut.value == .null, cut.key == .least { return }
            node.forEachChild(from: start, reversed: true) { key, _ in
                let entry = IndexEntry(value: .null, key: key)
                if let cut, cut.precedes(entry) { return true }
                return body(entry)
            }
        }
    }

    /// The entries of `range`, at most `limit` of them from its anchor, in the order they are met.
    package func forEach(in range: IndexRange, limit: Query.Limit?, _ body: (IndexEntry) -> Void) {
        var left = limit?.count ?? Int.max
        if limit?.anchor == .last {
            forEach(before: range.upper) { entry in
                if left == 0 || !range.contains(entry) { return false }
                left -= 1
                body(entry)
                return true
            }
        } else {
            forEach(after: range.lower) { entry in
                if left == 0 || !range.contains(entry) { return false }
                left -= 1
                body(entry)
                return true
            }
        }
    }
}

extension BoundKey {
    fileprivate var exact: Key? {
        if case .key(let key) = self { key } else { nil }
    }
}
