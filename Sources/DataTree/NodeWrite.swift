/// What a write changed, as a log needs it for redo and undo: one place with its old and its new content.
package struct NodeChange: Sendable {
    /// The highest node that came into being, vanished, or turned from leaf to object or back; else the written node.
    package var path: Path
    package var old: Node
    package var new: Node

    package init(path: Path, old: Node, new: Node) {
        self.path = path
        self.old = old
        self.new = new
    }

    /// Whether old and new differ. Takes time when both are large, equal, and do not share memory.
    package var isEffective: Bool { old != new }
}

extension Node {
    /// Replaces the node at `path`; an empty node deletes.
    ///
    /// Structural rules (`LeafNode.updateImmediateChild`, `ChildrenNode.updateImmediateChild` in the JavaScript SDK):
    /// - a child under a leaf turns the leaf into an object that keeps the leaf's priority;
    /// - deleting below a leaf does nothing;
    /// - a node that loses its last child vanishes with its priority, and so on upward.
    ///
    /// O(depth · log children), whatever the size of what goes or comes. The caller frees what goes, by dropping
    /// `old` where it does not hurt; see `removeDeeply`.
    @discardableResult
    package mutating func set(_ node: Node, at path: Path) -> NodeChange {
        replace(path, depth: 0) { _ in node }.change(path)
    }

    /// Sets the priority of the node at `path` and leaves its content. No effect where there is no node.
    @discardableResult
    package mutating func setPriority(_ priority: Priority, at path: Path) -> NodeChange {
        replace(path, depth: 0) { $0.withPriority(priority) }.change(path)
    }

    /// This node with another priority, or none.
    package func withPriority(_ priority: Priority) -> Node {
        Node(content: plainContent).prioritized(priority)
    }

    private mutating func replace(_ path: Path, depth: Int, with replacement: (Node) -> Node) -> DeepChange {
        if depth == path.count {
            let old = self
            self = replacement(old)
            return DeepChange(depth: depth, old: old, new: self)
        }
        guard hasChildren else { return replaceBelowLeaf(path, depth: depth, with: replacement) }
        let priority = priority
        var content = Content.empty
        swap(&content, &self.content)
        if case .prioritized(let box) = content { content = box.content }
        // Moved, not copied: the page must have no second reference, or all on the way would be copied.
        guard case .object(var page) = consume content else {
            return DeepChange(depth: depth, old: .empty, new: .empty)
        }
        let key = path.keys[depth]
        let change = Page.update(&page, key) { $0.replace(path, depth: depth + 1, with: replacement) }
        if page.count == 0 {
            // The only child went, and with it this node: the change is here, not below.
            let old = Node(children: [(key, change.old)], priority: priority)
            return DeepChange(depth: depth, old: old, new: .empty)
        }
        self.content = .object(page)
        if priority != .none { self = prioritized(priority) }
        return change
    }

    /// Continues a write where there is a leaf or nothing although the path goes on.
    private mutating func replaceBelowLeaf(_ path: Path, depth: Int, with replacement: (Node) -> Node) -> DeepChange {
        var node = replacement(.empty)
        if node.isEmpty { return DeepChange(depth: path.count, old: .empty, new: .empty) }
        for key in path.keys[(depth + 1)...].reversed() { node = Node(children: [(key, node)]) }
        let old = self
        self = Node(children: [(path.keys[depth], node)], priority: old.priority)
        return DeepChange(depth: depth, old: old, new: self)
    }
}

/// A change on its way up: `depth` keys of the written path lead to its place.
private struct DeepChange {
    var depth: Int
    var old: Node
    var new: Node

    func change(_ path: Path) -> NodeChange { NodeChange(path: path.prefix(depth), old: old, new: new) }
}
