/// Orders all children of a node by an index, for building a ``ChildIndex``.
///
/// Children come in key order, so that sorting by value alone, with the position as tie-break, gives index order without
/// comparing a single key. Values are reduced to 64 bits whose unsigned order is the values' order; only strings with an
/// equal beginning are compared themselves. Guarded by the index build in `Bench`.
enum IndexSort {
    private struct Item {
        /// The kind of value, above; the position in key order, below.
        var kind: UInt8
        var position: UInt32
        var order: UInt64
    }

    static func entries(of node: Node, by index: Query.Index) -> [IndexEntry] {
        var entries: [IndexEntry] = []
        entries.reserveCapacity(node.childCount)
        var isOrdered = true
        node.forEachChild { key, child in
            let value = index.value(of: child)
            if isOrdered, let last = entries.last, value < last.value { isOrdered = false }
            entries.append(IndexEntry(value: value, key: key))
            return true
        }
        if isOrdered { return entries }
        guard let count = UInt32(exactly: entries.count) else {
            entries.sort()
            return entries
        }
        var items: [Item] = []
        items.reserveCapacity(entries.count)
        for position in 0..<count {
            let (kind, order) = summary(of: entries[Int(position)].value)
            items.append(Item(kind: kind, position: position, order: order))
        }
        items.sort { left, right in
            if left.kind != right.kind { return left.kind < right.kind }
            if left.order != right.order { return left.order < right.order }
            if left.kind == stringKind {
                let leftValue = entries[Int(left.position)].value
                let rightValue = entries[Int(right.position)].value
                if leftValue < rightValue { return true }
                if rightValue < leftValue { return false }
            }
            return left.position < right.position
        }
        return items.map { entries[Int($0.position)] }
    }

    private static let stringKind: UInt8 = 4

    private static func summary(of value: ValueOrder) -> (kind: UInt8, order: UInt64) {
        switch value {
        case .null: (0, 0)
        case .bool(false): (1, 0)
        case .bool(true): (2, 0)
        case .number(let number): (3, order(of: number))
        case .string(let text): (stringKind, order(of: text))
        case .object: (5, 0)
        }
    }

    /// IEEE doubles as unsigned integers of the same order: negative ones reversed, positive ones above them.
    private static func order(of number: Double) -> UInt64 {
        let bits = number.bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    /// The first eight bytes, mapped so that their order is that of UTF-16.
    private static func order(of text: Text) -> UInt64 {
        text.withUTF8 { bytes in
            var order: UInt64 = 0
            for place in 0..<8 { order = order << 8 | UInt64(place < bytes.count ? collate(bytes[place]) : 0) }
            return order
        }
    }
}
