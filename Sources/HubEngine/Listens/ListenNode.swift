import DataTree

/// A place in the tree that somebody listens at, or a place on the way to one.
final class ListenNode {
    let key: Key?
    /// Unowned: a place outlives those below it.
    private(set) unowned var parent: ListenNode?
    private(set) var children: [Key: ListenNode] = [:]
    /// The connections with a default (unfiltered) listen here.
    var subscribers: SubscriberList?
    /// The filtered queries here, each with its window and its listeners.
    var queries: QueryListens?

    init(key: Key?, parent: ListenNode?) {
        self.key = key
        self.parent = parent
    }

    var isUnused: Bool { children.isEmpty && subscribers == nil && queries == nil }

    func child(_ key: Key) -> ListenNode? { children[key] }

    func makeChild(_ key: Key) -> ListenNode {
        if let existing = children[key] { return existing }
        let made = ListenNode(key: key, parent: self)
        children[key] = made
        return made
    }

    /// Children in key order, so that what goes out never depends on the order of a hash table.
    var sortedChildren: [(key: Key, node: ListenNode)] {
        children.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    fileprivate var placeCount: Int { children.values.reduce(1) { $0 + $1.placeCount } }

    fileprivate func drop(_ key: Key) { children[key] = nil }
}

/// All listens of a database, by path.
struct ListenTrie {
    let root = ListenNode(key: nil, parent: nil)

    func makeNode(at path: Path) -> ListenNode {
        var node = root
        for key in path.keys { node = node.makeChild(key) }
        return node
    }

    func node(at path: Path) -> ListenNode? {
        var node = root
        for key in path.keys {
            guard let next = node.child(key) else { return nil }
            node = next
        }
        return node
    }

    /// The places at or below which somebody listens, the root left out.
    var placeCount: Int { root.placeCount - 1 }

    /// Forgets `node` and those above it that nobody uses any more.
    func prune(_ node: ListenNode) {
        var node = node
        while node.isUnused, let parent = node.parent, let key = node.key {
            parent.drop(key)
            node = parent
        }
    }
}
