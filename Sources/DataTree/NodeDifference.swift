extension Node {
    /// Calls `body` with the differing places between two trees, in key order, at the highest level where they differ:
    /// where a leaf changed, where a node is on one side only, where a leaf stands against an object.
    ///
    /// Two objects with different priorities are reported too; afterwards their differing children are, one by one.
    /// So when `old` and `new` are both objects, only the priority differs at that very place. What the trees share in
    /// memory is skipped, so the cost follows the number of changes and not the size of the trees.
    package static func difference(from old: Node, to new: Node, _ body: (Path, _ old: Node, _ new: Node) -> Void) {
        var keys: [Key] = []
        difference(old, new, &keys, body)
    }

    private static func difference(
        _ old: Node, _ new: Node, _ keys: inout [Key], _ body: (Path, _ old: Node, _ new: Node) -> Void
    ) {
        if old.isIdentical(to: new) { return }
        guard let oldPage = old.page, let newPage = new.page else {
            body(Path(keys: keys), old, new)
            return
        }
        if old.priority != new.priority { body(Path(keys: keys), old, new) }
        Page.difference(from: oldPage, to: newPage) { key, oldChild, newChild in
            keys.append(key)
            difference(oldChild, newChild, &keys, body)
            keys.removeLast()
        }
    }
}

extension Page {
    /// Calls `body` with each key whose nodes are not identical in memory, in key order.
    static func difference(from old: Page, to new: Page, _ body: (Key, _ old: Node, _ new: Node) -> Void) {
        if old === new { return }
        var oldIndex = 0
        var newIndex = 0
        while oldIndex < old.entries.count || newIndex < new.entries.count {
            if newIndex == new.entries.count
                || oldIndex < old.entries.count && old.entries[oldIndex].key < new.entries[newIndex].key
            {
                body(old.entries[oldIndex].key, old.entries[oldIndex].node, .empty)
                oldIndex += 1
            } else if oldIndex == old.entries.count || new.entries[newIndex].key < old.entries[oldIndex].key {
                body(new.entries[newIndex].key, .empty, new.entries[newIndex].node)
                newIndex += 1
            } else {
                let entry = new.entries[newIndex]
                if !old.entries[oldIndex].node.isIdentical(to: entry.node) {
                    body(entry.key, old.entries[oldIndex].node, entry.node)
                }
                oldIndex += 1
                newIndex += 1
            }
        }
    }
}
