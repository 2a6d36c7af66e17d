/// A place in the tree with all below it: nothing, a leaf, or children in key order; each but nothing with a priority.
///
/// A node is a value, sixteen bytes large. Copying one is a snapshot in constant time: what copies share is copied only
/// where one of them changes, a few pages a write.
package struct Node: Sendable {
    /// What a node can be. Small texts and numbers live inside; a priority costs a box of its own, so that nodes
    /// without one pay nothing.
    enum Content: Sendable {
        case empty
        case bool(Bool)
        case integer(Int64)
        case double(Double)
        case shortText(ShortText)
        case longText([UInt8])
        case deferred(ServerValue)
        case object(Page)
        case prioritized(PrioritizedNode)
    }

    var content: Content

    init(content: Content) { self.content = content }

    package static let empty = Node(content: .empty)

    package init(leaf: Leaf, priority: Priority = .none) {
        let content: Content =
            switch leaf.normalized {
            case .bool(let value): .bool(value)
            case .integer(let value): .integer(value)
            case .double(let value): .double(value)
            case .string(let text):
                switch text.storage {
                case .short(let short): .shortText(short)
                case .long(let bytes): .longText(bytes)
                }
            case .deferred(let value): .deferred(value)
            }
        self = Node(content: content).prioritized(priority)
    }

    /// Makes an object of children in any order. Of two with one key the later wins; empty children are dropped; with
    /// none left the node is empty and its priority is lost.
    ///
    /// O(n) when the children come in key order, else O(n log n).
    package init(children: [(Key, Node)], priority: Priority = .none) {
        self.init(children: children[...], priority: priority)
    }

    /// The same, of some of an array's elements: a decoder need not copy them.
    package init(children: ArraySlice<(Key, Node)>, priority: Priority = .none) {
        guard let page = Page.make(children) else {
            self = .empty
            return
        }
        self = Node(content: .object(page)).prioritized(priority)
    }

    /// This node, which has no priority, with one.
    func prioritized(_ priority: Priority) -> Node {
        if priority == .none || isEmpty { return self }
        return Node(content: .prioritized(PrioritizedNode(content: content, priority: priority)))
    }
}

/// The box of a node that has a priority. Its content is neither empty nor a box.
final class PrioritizedNode: @unchecked Sendable {
    // Unchecked: both change only while a single reference exists; the digest is atomic.
    var content: Node.Content
    let priority: Priority
    let digest = CachedDigest()

    init(content: Node.Content, priority: Priority) {
        self.content = content
        self.priority = priority
    }
}

// MARK: - What a node is

extension Node {
    /// The content behind a priority box.
    var plainContent: Content {
        if case .prioritized(let box) = content { box.content } else { content }
    }

    /// The root page of the children; nil for leaves and nothing.
    var page: Page? {
        if case .object(let page) = plainContent { page } else { nil }
    }

    package var isEmpty: Bool {
        if case .empty = content { true } else { false }
    }

    package var isLeaf: Bool {
        switch plainContent {
        case .empty, .object: false
        default: true
        }
    }

    package var leaf: Leaf? {
        switch plainContent {
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .shortText(let short): .string(Text(storage: .short(short)))
        case .longText(let bytes): .string(Text(storage: .long(bytes)))
        case .deferred(let value): .deferred(value)
        case .empty, .object, .prioritized: nil
        }
    }

    var hasChildren: Bool {
        switch content {
        case .object: return true
        case .prioritized(let box):
            if case .object = box.content { return true }
            return false
        default: return false
        }
    }

    var isPrioritized: Bool {
        if case .prioritized = content { true } else { false }
    }

    package var priority: Priority {
        if case .prioritized(let box) = content { box.priority } else { .none }
    }

    /// The number of direct children, in constant time.
    package var childCount: Int { page?.count ?? 0 }

    /// The number of leaves at or below this node, in constant time.
    package var leafCount: Int { totals.leaves }

    /// Whether some direct child has a priority, in constant time. Without any, priority order is key order.
    package var hasPrioritizedChildren: Bool { (page?.prioritizedChildren ?? 0) > 0 }

    /// Whether unresolved server values are in this node or below it, in constant time.
    package var containsDeferred: Bool { totals.deferred > 0 }

    var totals: NodeTotals {
        switch content {
        case .empty: return NodeTotals()
        case .object(let page): return page.totals
        case .deferred: return NodeTotals(leaves: 1, deferred: 1)
        case .prioritized(let box):
            var totals = Node(content: box.content).totals
            totals.priorities += 1
            if box.priority.isDeferred { totals.deferred += 1 }
            return totals
        default: return NodeTotals(leaves: 1)
        }
    }
}

/// Counts over a node and all below it.
struct NodeTotals: Equatable, Sendable {
    var leaves = 0
    /// Nodes with a priority.
    var priorities = 0
    /// Unresolved server values, as leaves or priorities.
    var deferred = 0

    static func += (left: inout NodeTotals, right: NodeTotals) {
        left.leaves += right.leaves
        left.priorities += right.priorities
        left.deferred += right.deferred
    }

    static func - (left: NodeTotals, right: NodeTotals) -> NodeTotals {
        NodeTotals(
            leaves: left.leaves - right.leaves, priorities: left.priorities - right.priorities,
            deferred: left.deferred - right.deferred)
    }
}

// MARK: - Reading children

extension Node {
    /// The child under `key`, empty if there is none.
    package subscript(key: Key) -> Node { page?.child(key) ?? .empty }

    /// The node at `path` below this one, empty if there is none.
    package func node(at path: Path) -> Node {
        var node = self
        for key in path.keys {
            guard let page = node.page else { return .empty }
            node = page.child(key)
        }
        return node
    }

    package var firstChild: (key: Key, node: Node)? { child(atRank: 0) }

    package var lastChild: (key: Key, node: Node)? { child(atRank: childCount - 1) }

    /// The number of children whose key is less than `key`, in O(log n).
    package func rank(of key: Key) -> Int { page?.rank(of: key) ?? 0 }

    /// The child with `rank` children before it, in O(log n); nil when there are not so many.
    package func child(atRank rank: Int) -> (key: Key, node: Node)? {
        guard let page, rank >= 0, rank < page.count else { return nil }
        return page.child(atRank: rank)
    }

    /// Calls `body` with the children in key order, or in reverse key order, until it answers false.
    ///
    /// `start` is where to begin, itself included if it is there: the smallest key to visit or, reversed, the greatest.
    /// Finding it takes O(log n).
    package func forEachChild(from start: Key? = nil, reversed: Bool = false, _ body: (Key, Node) -> Bool) {
        guard let page else { return }
        if reversed {
            _ = page.visitBackward(from: start, body)
        } else {
            _ = page.visitForward(from: start, body)
        }
    }
}

// MARK: - Comparison

extension Node: Equatable {
    /// Whether both are one and the same in memory, in constant time; leaves compare by value. False says nothing.
    package func isIdentical(to other: Node) -> Bool {
        switch (content, other.content) {
        case (.empty, .empty): true
        case (.object(let page), .object(let otherPage)): page === otherPage
        case (.prioritized(let box), .prioritized(let otherBox)):
            box === otherBox
                || box.priority == otherBox.priority
                    && Node(content: box.content).isIdentical(to: Node(content: otherBox.content))
        case (.prioritized, _), (_, .prioritized): false
        default: isLeaf && other.isLeaf && leaf == other.leaf
        }
    }

    /// Whether both hold the same leaves and priorities under the same keys. What they share is not compared.
    package static func == (left: Node, right: Node) -> Bool {
        if left.isIdentical(to: right) { return true }
        guard left.totals == right.totals, left.priority == right.priority,
            let page = left.page, let other = right.page
        else { return false }
        return Page.equal(page, other)
    }
}
