import DataTree
import WireProtocol

/// Keeping the windows of filtered listens in step, and telling their listeners.
extension Engine {
    /// Brings the windows at `path` up to a commit that concerned it, and pushes what that changed. `effects` are those at,
    /// above or below `path`.
    func push(_ queries: QueryListens, at path: Path, _ tree: BeforeAndAfter, _ effects: ArraySlice<WriteEffect>) {
        let old = tree.old(at: path)
        let new = tree.new(at: path)
        if old.isIdentical(to: new) { return }
        let updates: [QueryGroup.Update]
        if old.isEmpty || old.isLeaf || new.isEmpty || new.isLeaf
            || effects.contains(where: { $0.path.count <= path.count })
        {
            updates = queries.replace(old: old, new: new)
        } else {
            var changes: [ChildChange] = []
            for effect in effects {
                let key = effect.path.keys[path.count]
                changes.append(ChildChange(key: key, old: old[key], new: new[key]))
            }
            updates = queries.apply(node: new, changes: changes)
        }
        serve(updates, queries, at: path, node: new)
    }

    /// The node at `path` was replaced by a commit above it.
    func pushReplaced(_ queries: QueryListens, at path: Path, old: Node, new: Node) {
        serve(queries.replace(old: old, new: new), queries, at: path, node: new)
    }

    /// Sends each query's update to its listeners, and the first data to those who waited for it.
    func serve(_ updates: [QueryGroup.Update], _ queries: QueryListens, at path: Path, node: Node) {
        for (query, delta) in updates {
            for (tag, connections) in queries.listenersByTag(query) {
                guard let frame = frame(for: delta, at: path, tag: tag) else { continue }
                for connection in connections { outbox.push(frame, to: connection) }
            }
            guard let result = queries.result(of: query, node: node) else { continue }
            for waiting in queries.takeWaiting(query) {
                let session = waiting.session
                if isLarge(result) {
                    wait(session, for: .listen(number: waiting.number, listen: waiting.listen, snapshot: result))
                } else {
                    acceptWaiting(session, waiting.number, waiting.listen, query, result: result)
                    finishWaiting(session)
                    resume(session)
                }
            }
        }
        requestIndexes(queries, at: path, node: node)
    }

    /// One message that takes a client from the old window to the new one: what leaves before what enters, entrants in full
    /// (firebase-js-sdk, `LimitedFilter.fullLimitUpdateChild_`).
    private func frame(for delta: WindowDelta, at path: Path, tag: Int?) -> Frame? {
        if let replacement = delta.replacement {
            return ServerMessage.data(path: path, node: replacement, tag: tag)
        }
        var changes: [(Path, Node)] = []
        for key in delta.removed { changes.append((Path(keys: [key]), .empty)) }
        for (key, node) in delta.entered { changes.append((Path(keys: [key]), node)) }
        for change in delta.changed { changes.append((Path(keys: [change.key]), change.new)) }
        switch changes.count {
        case 0: return nil
        case 1: return ServerMessage.data(path: path.appending(changes[0].0), node: changes[0].1, tag: tag)
        default: return ServerMessage.merge(path: path, changes: changes, tag: tag)
        }
    }

    /// Brings all windows that a change concerns up to date without telling anybody: for taking back what nobody was told.
    func refreshWindows(_ change: NodeChange, scope: Scope) {
        let effect = WriteEffect(place: WritePath(change.path), change: change)
        let reader = BeforeAndAfter(engine: self, effects: [effect], scope: scope)
        var node: ListenNode? = listens.root
        for depth in 0...change.path.count {
            if let queries = node?.queries, isInScope(depth: depth, of: change.path, scope) {
                refresh(queries, at: change.path.prefix(depth), reader, change)
            }
            if depth < change.path.count { node = node?.child(change.path.keys[depth]) }
        }
        if let node { refreshBelow(node, at: change.path, reader, change, scope) }
    }

    private func refreshBelow(
        _ node: ListenNode, at path: Path, _ reader: BeforeAndAfter, _ change: NodeChange, _ scope: Scope
    ) {
        for (key, child) in node.sortedChildren {
            let place = path.appending(key)
            guard isInScope(depth: place.count, of: place, scope) else { continue }
            if let queries = child.queries { refresh(queries, at: place, reader, change) }
            refreshBelow(child, at: place, reader, change, scope)
        }
    }

    private func refresh(_ queries: QueryListens, at path: Path, _ reader: BeforeAndAfter, _ change: NodeChange) {
        let old = reader.old(at: path)
        let new = reader.new(at: path)
        if old.isIdentical(to: new) { return }
        queries.follow(change, at: path, old: old, new: new)
        requestIndexes(queries, at: path, node: new)
    }
}
