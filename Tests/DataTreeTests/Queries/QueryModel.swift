import DataTree

/// Random numbers that are the same in every run (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// The order of children and the selection of a query, written down a second time and without any index: from the texts
/// of keys and values, child by child.
struct ReferenceQuery {
    let query: Query

    func result(in node: Node) -> Node {
        guard query.filters else { return node }
        var children: [(key: Key, node: Node)] = []
        node.forEachChild { key, child in
            children.append((key, child))
            return true
        }
        children = children.filter { isInRange($0.key, $0.node) }
        children.sort { compare(value($0.node), $0.key, value($1.node), $1.key) < 0 }
        if let limit = query.limit {
            children = limit.anchor == .first ? Array(children.prefix(limit.count)) : children.suffix(limit.count)
        }
        return Node(children: children.map { ($0.key, $0.node) })
    }

    /// Before, at or behind: -1, 0, 1.
    func order(_ left: (key: Key, node: Node), _ right: (key: Key, node: Node)) -> Int {
        compare(value(left.node), left.key, value(right.node), right.key)
    }

    func isInRange(_ key: Key, _ child: Node) -> Bool {
        if let start = query.start {
            let order = compare(bound: start, key, value(child))
            if order > 0 || (order == 0 && !start.isInclusive) { return false }
        }
        if let end = query.end {
            let order = compare(bound: end, key, value(child))
            if order < 0 || (order == 0 && !end.isInclusive) { return false }
        }
        return true
    }

    private enum Value {
        case ranked(Int)
        case number(Double)
        case text([UInt16])

        var rank: Int {
            switch self {
            case .ranked(let rank): rank
            case .number: 3
            case .text: 4
            }
        }
    }

    private func value(_ child: Node) -> Value {
        switch query.index {
        case .key: .ranked(0)
        case .priority:
            switch child.priority {
            case .number(let number): .number(number)
            case .string(let text): .text(Array(text.string.utf16))
            default: .ranked(0)
            }
        case .value: value(of: child)
        case .path(let path): value(of: path.keys.reduce(child) { $0[$1] })
        }
    }

    private func value(of node: Node) -> Value {
        switch node.leaf {
        case .bool(let bool): .ranked(bool ? 2 : 1)
        case .integer(let integer): .number(Double(integer))
        case .double(let double): .number(double)
        case .string(let text): .text(Array(text.string.utf16))
        default: .ranked(node.childCount > 0 ? 5 : 0)
        }
    }

    private func value(_ bound: QueryBound) -> Value {
        switch bound.value {
        case .null: .ranked(0)
        case .bool(let bool): .ranked(bool ? 2 : 1)
        case .number(let number): .number(number)
        case .string(let text): .text(Array(text.string.utf16))
        case .object: .ranked(5)
        }
    }

    private func compare(_ left: Value, _ right: Value) -> Int {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right ? -1 : left > right ? 1 : 0
        case (.text(let left), .text(let right)):
            left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
        default: left.rank < right.rank ? -1 : left.rank > right.rank ? 1 : 0
        }
    }

    private func compare(_ leftValue: Value, _ left: Key, _ rightValue: Value, _ right: Key) -> Int {
        let order = compare(leftValue, rightValue)
        if order != 0 { return order }
        return left == right ? 0 : left < right ? -1 : 1
    }

    private func compare(bound: QueryBound, _ key: Key, _ childValue: Value) -> Int {
        let order = compare(value(bound), childValue)
        if order != 0 { return order }
        switch bound.key {
        case .least: return -1
        case .greatest: return 1
        case .key(let boundKey): return boundKey == key ? 0 : boundKey < key ? -1 : 1
        }
    }
}

/// A client that does as it is told and nothing more.
struct NaiveClient {
    private(set) var result: Node

    mutating func receive(_ delta: WindowDelta) {
        if let replacement = delta.replacement { result = replacement }
        for key in delta.removed { result.set(.empty, at: Path(keys: [key])) }
        for (key, node) in delta.entered { result.set(node, at: Path(keys: [key])) }
        for change in delta.changed { result.set(change.new, at: Path(keys: [change.key])) }
    }
}

/// A client that filters what it receives, as the JavaScript SDK does (`RangedFilter`, `LimitedFilter` and
/// `viewProcessorApplyServerMerge` in `packages/database/src/core/view`).
struct FilteringClient {
    private let reference: ReferenceQuery
    private(set) var result: Node

    init(query: Query, result: Node) {
        reference = ReferenceQuery(query: query)
        self.result = result
    }

    mutating func receive(_ delta: WindowDelta) {
        if let replacement = delta.replacement { result = reference.result(in: replacement) }
        var merge: [(Key, Node)] = delta.removed.map { ($0, .empty) }
        merge += delta.entered.map { ($0.key, $0.node) }
        merge += delta.changed.map { ($0.key, $0.new) }
        merge.sort { $0.0 < $1.0 }
        let before = result
        for (key, node) in merge where !before[key].isEmpty { update(key, node) }
        for (key, node) in merge where before[key].isEmpty { update(key, node) }
    }

    private mutating func update(_ key: Key, _ node: Node) {
        let node = reference.isInRange(key, node) ? node : .empty
        if result[key] == node { return }
        let path = Path(keys: [key])
        guard let limit = reference.query.limit, result.childCount >= limit.count else {
            result.set(node, at: path)
            return
        }
        if !result[key].isEmpty {
            result.set(node, at: path)
        } else if !node.isEmpty, let edge = edge(limit.anchor) {
            let order = reference.order(edge, (key, node))
            if limit.anchor == .first ? order >= 0 : order <= 0 {
                result.set(node, at: path)
                result.set(.empty, at: Path(keys: [edge.key]))
            }
        }
    }

    private func edge(_ anchor: Query.Limit.Anchor) -> (key: Key, node: Node)? {
        var edge: (key: Key, node: Node)?
        result.forEachChild { key, node in
            if let current = edge {
                let order = reference.order(current, (key, node))
                if anchor == .first ? order < 0 : order > 0 { edge = (key, node) }
            } else {
                edge = (key, node)
            }
            return true
        }
        return edge
    }
}
