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
            return true
        }
    }
}
