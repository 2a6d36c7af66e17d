/// What a node holds in one range of its leaves: replaces whatever another copy holds there.
///
/// Ranges count the priorities of objects as leaves `…/.priority`; those of leaves belong to their leaf.
/// Origin: `RangeMerge.java` in the Android SDK, `FRangeMerge.m` in the iOS SDK.
package struct RangeMerge: Equatable, Sendable {
    /// The path behind which the range begins; nil: at the first leaf.
    package var start: Path?
    /// The last path of the range; nil: no end.
    package var end: Path?
    /// Only what is in the range; empty if nothing is.
    package var node: Node

    package init(start: Path?, end: Path?, node: Node) {
        self.start = start
        self.end = end
        self.node = node
    }

    /// The other copy with this range replaced.
    package func applied(to node: Node) -> Node {
        merge(node, with: self.node, at: [])
    }

    private func merge(_ node: Node, with update: Node, at keys: [Key]) -> Node {
        let range = LeafRange(start: start, end: end)
        guard range.isCut(by: keys) else { return range.contains(keys) ? update : node }
        if range.contains(keys), update.isLeaf { return update }

        // A boundary runs through this place: child by child, the priority last.
        var children: [(Key, Node)] = []
        var others: [Key: Node] = [:]
        update.forEachChild { key, child in
            others[key] = child
            return true
        }
        node.forEachChild { key, child in
            children.append((key, merge(child, with: others.removeValue(forKey: key) ?? .empty, at: keys + [key])))
            return true
        }
        for (key, child) in others { children.append((key, merge(.empty, with: child, at: keys + [key]))) }
        let priority = range.contains(keys + [.priority]) ? update.priority : node.priority
        let merged = Node(children: children, priority: priority)
        // A leaf outside the range stays, unless children take its place.
        return merged.isEmpty && node.isLeaf && !range.contains(keys) ? node : merged
    }
}

/// A range of paths: behind `start`, up to and including `end`.
struct LeafRange {
    let start: Path?
    let end: Path?

    func contains(_ keys: [Key]) -> Bool {
        (start.map { $0.keys.precedes(keys) } ?? true) && (end.map { !$0.keys.precedes(keys) } ?? true)
    }

    /// Whether a boundary is at this path or below it. If not, all of it is inside or all outside.
    func isCut(by keys: [Key]) -> Bool {
        (start.map { $0.keys.starts(with: keys) } ?? false) || (end.map { $0.keys.starts(with: keys) } ?? false)
    }
}

/// Cuts the leaves of one range out of a node.
struct NodeSlice {
    private let range: LeafRange
    /// The range holds the priority of an object none of whose children it holds.
    private(set) var hasLonePriority = false

    init(start: Path?, end: Path?) {
        range = LeafRange(start: start, end: end)
    }

    mutating func cut(_ node: Node) -> Node { cut(node, at: []) }

    /// Subtrees that lie wholly in the range are shared, not copied.
    private mutating func cut(_ node: Node, at keys: [Key]) -> Node {
        guard node.childCount > 0, range.isCut(by: keys) else { return range.contains(keys) ? node : .empty }
        var children: [(Key, Node)] = []
        // Nothing before the child with the start is in the range, and nothing behind the one with the end.
        let first = range.start.flatMap { $0.keys.starts(with: keys) ? $0.keys.dropFirst(keys.count).first : nil }
        let last = range.end.flatMap { $0.keys.starts(with: keys) ? $0.keys.dropFirst(keys.count).first : nil }
        if range.end?.keys != keys {
            node.forEachChild(from: first) { key, child in
                if let last, last < key { return false }
                let part = cut(child, at: keys + [key])
                if !part.isEmpty { children.append((key, part)) }
                return true
            }
        }
        var priority = Priority.none
        if node.priority != .none, range.contains(keys + [.priority]) {
            priority = node.priority
            if children.isEmpty { hasLonePriority = true }
        }
        return Node(children: children, priority: priority)
    }
}
