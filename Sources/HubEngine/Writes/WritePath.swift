import DataTree

/// The place that a write names: a node, or a node's priority when the path ends in `.priority`.
package struct WritePath: Sendable, Hashable {
    package let node: Path
    package let isPriority: Bool

    static let priorityKey = Key(".priority")

    package init(_ path: Path) {
        if let last = path.last, last == Self.priorityKey {
            node = path.parent ?? .root
            isPriority = true
        } else {
            node = path
            isPriority = false
        }
    }

    /// Writes `value` there. A priority that is no priority (an object, a boolean) has been refused before.
    @discardableResult
    package func write(_ value: Node, into tree: inout Node) -> NodeChange {
        isPriority ? tree.setPriority(Self.priority(from: value) ?? .none, at: node) : tree.set(value, at: node)
    }

    /// The priority that a value stands for; nil when it cannot be one.
    package static func priority(from value: Node) -> Priority? {
        guard !value.isEmpty else { return Priority.none }
        switch value.leaf {
        case .integer(let number)?: return .number(Double(number))
        case .double(let number)?: return .number(number)
        case .string(let text)?: return .string(text)
        case .deferred(let serverValue)?: return .deferred(serverValue)
        case .bool?, nil: return nil
        }
    }
}
