/// One child in index order: its index value, then its key.
package struct IndexEntry: Hashable, Comparable, Sendable {
    package var value: ValueOrder
    package var key: Key

    package init(value: ValueOrder, key: Key) {
        self.value = value
        self.key = key
    }

    package static func < (left: IndexEntry, right: IndexEntry) -> Bool {
        if left.value < right.value { return true }
        if right.value < left.value { return false }
        return left.key < right.key
    }
}

extension Query.Index {
    /// What this index orders `child` by. The key index has no value: the key alone decides.
    package func value(of child: Node) -> ValueOrder {
        switch self {
        case .priority: ValueOrder(child.priority)
        case .key: .null
        case .value: ValueOrder(child)
        case .path(let path): ValueOrder(child.node(at: path))
        }
    }

    /// The place of a child in this index, nil for an absent child.
    package func entry(key: Key, child: Node) -> IndexEntry? {
        child.isEmpty ? nil : IndexEntry(value: value(of: child), key: key)
    }
}

extension ValueOrder {
    /// What the priority index orders by. Priorities are ordered like values: none, numbers, strings
    /// (`priorityCompare` in the JavaScript SDK's `packages/database/src/core/snap/indexes/PriorityIndex.ts`).
    package init(_ priority: Priority) {
        switch priority {
        case .none, .deferred: self = .null
        case .number(let number): self = .number(number == 0 ? 0 : number)
        case .string(let text): self = .string(text)
        }
    }
}
