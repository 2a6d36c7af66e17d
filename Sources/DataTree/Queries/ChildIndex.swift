/// The direct children of one node, ordered by an index: a B-tree of entries, changed in O(log n).
///
/// It is a value: a copy is a snapshot in O(1), pages are copied only where both sides differ, and it may be built on
/// any thread. Build it once with ``init(of:by:)`` and keep it up with ``update(_:to:)``.
package struct ChildIndex: Sendable {
    private var root: IndexPage
    /// The number of children in the index.
    package private(set) var count: Int

    /// Builds the index of all children of `node`: O(n log n).
    package init(of node: Node, by index: Query.Index) {
        self.init(sorted: IndexSort.entries(of: node, by: index))
    }

    /// Packs entries that are in order already.
    init(sorted entries: [IndexEntry]) {
        count = entries.count
        root = IndexPage.packed(entries)
    }

    /// Moves one child from `old` to `new`; nil where it is absent. Nothing happens when both are equal.
    package mutating func update(_ old: IndexEntry?, to new: IndexEntry?) {
        if old == new { return }
        if let old, ownedRoot().remove(old) {
            count -= 1
            root = root.collapsed
        }
        if let new {
            switch ownedRoot().insert(new) {
            case .present: break
            case .inserted: count += 1
            case .split(let right, let low):
                count += 1
                root = IndexPage(children: [root, right], lows: [root.lowest ?? low, low])
            }
        }
    }

    /// Walks the entries behind `cut` (all without one) in order, until `body` says false.
    package func forEach(after cut: IndexCut?, _ body: (IndexEntry) -> Bool) {
        _ = root.walk(after: cut, body)
    }

    /// Walks the entries before `cut` (all without one) backwards, until `body` says false.
    package func forEach(before cut: IndexCut?, _ body: (IndexEntry) -> Bool) {
        _ = root.walk(before: cut, body)
    }

    private mutating func ownedRoot() -> IndexPage {
        if !isKnownUniquelyReferenced(&root) { root = root.copy() }
        return root
    }

    /// The number of pages; for tests.
    var pageCount: Int { root.pageCount }

    /// Checks the structure of the pages; for tests.
    var isWellFormed: Bool {
        var previous: IndexEntry?
        var isOrdered = true
        var walked = 0
        forEach(after: nil) { entry in
            if let previous, !(previous < entry) { isOrdered = false }
            previous = entry
            walked += 1
            return true
        }
        return isOrdered && walked == count && root.isBalanced
    }
}
