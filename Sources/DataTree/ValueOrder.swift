/// A node's place in the order of values: null, false, true, numbers, strings, objects.
///
/// Numbers compare as IEEE doubles, strings by UTF-16 code unit; all objects are equal. Priorities play no part.
/// Origin: `ValueIndex` and `LeafNode.compareTo` in the JavaScript SDK's `packages/database/src/core`.
package enum ValueOrder: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(Text)
    case object

    package init(_ node: Node) {
        if let leaf = node.leaf {
            self.init(leaf)
        } else {
            self = node.isEmpty ? .null : .object
        }
    }

    /// Unresolved server values, which are never stored, take the place of the number they will become.
    package init(_ leaf: Leaf) {
        switch leaf {
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .number(Double(value))
        case .double(let value): self = .number(value == 0 ? 0 : value)
        case .string(let text): self = .string(text)
        case .deferred: self = .number(0)
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .bool(false): 1
        case .bool(true): 2
        case .number: 3
        case .string: 4
        case .object: 5
        }
    }
}

extension ValueOrder: Comparable {
    package static func < (left: ValueOrder, right: ValueOrder) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.string(let left), .string(let right)): left < right
        default: left.rank < right.rank
        }
    }
}
