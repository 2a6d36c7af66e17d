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
        replace(path, depth: 0) { _ in node }
    }

    /// Sets the priority of the node at `path` and leaves its content. No effect where there is no node.
    @discardableResult
    package mutating func setPriority(_ priority: Priority, at path: Path) -> NodeChange {
        replace(path, depth: 0) { $0.withPriority(priority) }
    }

    /// This node with another priority, or none.
    package func withPriority(_ priority: Priority) -> Node {
        Node(content: plainContent).prioritized(priority)
    }

    private mutating func replace(_ path: Path, depth: Int, with replacement: (Node) -> Node) -> NodeChange {
        if depth == path.count {
            let old = self
            self = replacement(old)
            return NodeChange(path: path, old: old, new: self)
        }
        let priority = priority
        var content = takeContent()
        guard case .object(var page) = content else {
            self = Node(content: content).prioritized(priority)
            return replaceBelowLeaf(path, depth: depth, with: replacement)
        }
        content = .empty
        let key = path.keys[depth]
        var change = Page.update(&page, key) { $0.replace(path, depth: depth + 1, with: replacement) }
        if page.count == 0 {
            // The only child went, and with it this node: the change is here, not below.
            let old = Node(children: [(key, change.old)], priority: priority)
            change = NodeChange(path: path.prefix(depth), old: old, new: .empty)
        } else {
            content = .object(page)
        }
        self = Node(content: content).prioritized(priority)
        return change
    }

    /// Continues a write where there is a leaf or nothing although the path goes on.
    private mutating func replaceBelowLeaf(_ path: Path, depth: Int, with replacement: (Node) -> Node) -> NodeChange {
        var node = replacement(.empty)
        if node.isEmpty { return NodeChange(path: path, old: .empty, new: .empty) }
        for key in path.keys[(depth + 1)...].reversed() { node = Node(children: [(key, node)]) }
        let old = self
        self = Node(children: [(path.keys[depth], node)], priority: old.priority)
        return NodeChange(path: path.prefix(depth), old: old, new: self)
    }

    /// Moves the content out, so that the page in it has no second reference, and leaves the node empty.
    private mutating func takeContent() -> Content {
        let content = plainContent
        self = .empty
        return content
    }
}
