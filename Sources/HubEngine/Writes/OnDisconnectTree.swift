import DataTree

/// What a session has asked to be written when it ends: a sparse tree of values, each absolute at its place.
///
/// The rules for overlaps are those of the official SDKs' local copy (firebase-js-sdk, `SparseSnapshotTree.ts`), except
/// that a cancel below a stored null leaves the null in place.
package struct OnDisconnectTree: Sendable, Equatable {
    /// What is to be written here; `.empty` removes. While it is set there are no `children`.
    private var value: Node?
    private var children: [Key: OnDisconnectTree] = [:]

    package init() {}

    package var isEmpty: Bool { value == nil && children.isEmpty }

    /// How many places are to be written.
    package var operationCount: Int {
        value != nil ? 1 : children.values.reduce(0) { $0 + $1.operationCount }
    }

    /// Remembers `value` for `path`: replaces all that is stored at or below it; below a stored value it edits that value.
    package mutating func set(_ value: Node, at path: Path) { set(value, keys: path.keys[...]) }

    private mutating func set(_ newValue: Node, keys: ArraySlice<Key>) {
        guard let key = keys.first else {
            value = newValue
            children = [:]
            return
        }
        if var stored = value {
            let place = WritePath(Path(keys: Array(keys)))
            place.write(newValue, into: &stored)
            value = stored
        } else {
            children[key, default: OnDisconnectTree()].set(newValue, keys: keys.dropFirst())
        }
    }

    /// Forgets all that is stored at or below `path`. An object stored above it is split, so that its other children stay;
    /// a scalar or null stored above it stays whole.
    package mutating func cancel(at path: Path) { cancel(keys: path.keys[...]) }

    private mutating func cancel(keys: ArraySlice<Key>) {
        guard let key = keys.first else {
            self = OnDisconnectTree()
            return
        }
        if let stored = value {
            guard !stored.isLeaf, !stored.isEmpty else { return }
            value = nil
            stored.forEachChild { key, child in
                children[key] = OnDisconnectTree(value: child)
                return true
            }
        }
        guard var child = children[key] else { return }
        child.cancel(keys: keys.dropFirst())
        children[key] = child.isEmpty ? nil : child
    }

    private init(value: Node) { self.value = value }

    /// Every place that is to be written, in path order.
    package func forEach(_ body: (Path, Node) -> Void) { forEach(at: .root, body) }

    private func forEach(at path: Path, _ body: (Path, Node) -> Void) {
        if let value {
            body(path, value)
            return
        }
        for key in children.keys.sorted() {
            children[key]?.forEach(at: path.appending(key), body)
        }
    }
}
