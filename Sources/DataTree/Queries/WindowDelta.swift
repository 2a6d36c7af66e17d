/// A direct child that a commit changed: its content before and after, empty where it is absent.
package struct ChildChange: Sendable {
    package var key: Key
    package var old: Node
    package var new: Node

    package init(key: Key, old: Node, new: Node) {
        self.key = key
        self.old = old
        self.new = new
    }
}

/// What one commit changes in a query's result.
///
/// A client that applies the removals first, then the entrants and changes, ends with the new result, also one that
/// evicts or refuses children of a full window by itself (public JavaScript SDK,
/// `LimitedFilter.fullLimitUpdateChild_`). One merge at the query's path carries all of it.
package struct WindowDelta: Sendable {
    /// Children that left the window: deleted, moved out, or pushed out by others.
    package var removed: [Key] = []
    /// Children that came into the window, in full: a client drops deeper changes to a child that it does not have.
    package var entered: [(key: Key, node: Node)] = []
    /// Children that stayed in the window with other content, also those whose place in the order changed.
    package var changed: [ChildChange] = []
    /// The complete new result, when the node at the path itself was replaced, vanished or became a leaf; the rest of
    /// the delta is empty then. A client gets it as one overwrite, null when empty.
    package var replacement: Node?

    package init() {}

    package init(replacement: Node) {
        self.replacement = replacement
    }

    package var isReset: Bool { replacement != nil }

    package var isEmpty: Bool { removed.isEmpty && entered.isEmpty && changed.isEmpty && replacement == nil }
}
