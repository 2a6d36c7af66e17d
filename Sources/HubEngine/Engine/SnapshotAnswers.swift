import DataTree
import WireProtocol

/// Answers from a snapshot that is no longer what the tree holds.
///
/// Clients put an answer in the same place as pushes (firebase-js-sdk, `repoGetValue` and `SyncTree.applyServerOverwrite`), so
/// one that is older than what the client's other listens were told would turn them back.
extension Engine {
    /// Begins work anew whose answer would turn other listens of its session back, if it has not been done too often.
    func workAgain(_ work: EngineWork, for session: Session) -> Bool {
        guard work.attempt < EngineWork.maxAttempts else { return false }
        switch work.kind {
        case .listen(let number, let listen, let snapshot) where !listen.query.filters:
            if overlaps(of: snapshot, at: listen.path, session).isEmpty { return false }
            let kind = EngineWork.Kind.listen(number: number, listen: listen, snapshot: content(at: listen.path))
            wait(session, for: kind, attempt: work.attempt + 1)
        case .get(let number, let path, let query, let snapshot) where !query.filters:
            if overlaps(of: snapshot, at: path, session).isEmpty { return false }
            let kind = EngineWork.Kind.get(number: number, path: path, query: query, snapshot: content(at: path))
            wait(session, for: kind, attempt: work.attempt + 1)
        default:
            return false
        }
        return true
    }

    /// The session's listens that know something else than a snapshot taken at `path`.
    private func overlaps(of snapshot: Node, at path: Path, _ session: Session) -> [SessionListen] {
        let current = content(at: path)
        if snapshot.isIdentical(to: current) { return [] }
        return session.listens.filter { listen in
            if path.hasPrefix(listen.path) { return true }
            guard listen.path.hasPrefix(path) else { return false }
            let place = listen.path.dropFirst(path.count)
            return snapshot.node(at: place) != current.node(at: place)
        }
    }

    /// Tells the session's other listens again what they know, after an answer that may have turned them back.
    func tellAgain(_ session: Session, since snapshot: Node, at path: Path) {
        let current = content(at: path)
        var isToldAbove = false
        for listen in overlaps(of: snapshot, at: path, session) {
            if !listen.query.isDefault {
                let node = content(at: listen.path)
                let result = listen.node.queries?.result(of: listen.query, node: node) ?? listen.query.apply(to: node)
                outbox.push(
                    ServerMessage.data(path: listen.path, node: result, tag: listen.tag), to: session.connection)
            } else if !path.hasPrefix(listen.path) {
                let place = listen.path.dropFirst(path.count)
                pushDifference(
                    from: snapshot.node(at: place), to: current.node(at: place), listen.path, tag: nil, to: session)
            } else if !isToldAbove {
                isToldAbove = true
                pushDifference(from: snapshot, to: current, path, tag: nil, to: session)
            }
        }
    }

    /// Tells a client what has changed since the snapshot that it was sent, in one message.
    func pushDifference(from snapshot: Node, to current: Node, _ path: Path, tag: Int?, to session: Session) {
        guard !snapshot.isIdentical(to: current) else { return }
        let changes = Self.changes(from: snapshot, to: current)
        if changes.contains(where: \.0.isRoot) {
            outbox.push(ServerMessage.data(path: path, node: current, tag: tag), to: session.connection)
        } else if !changes.isEmpty {
            outbox.push(ServerMessage.merge(path: path, changes: changes, tag: tag), to: session.connection)
        }
    }

    /// What takes one tree to another, whatever order the changes are made in.
    private static func changes(from old: Node, to new: Node) -> [(Path, Node)] {
        var draft = Draft()
        Node.difference(from: old, to: new) { path, old, new in
            if !old.isLeaf, !new.isLeaf, !old.isEmpty, !new.isEmpty {
                draft.add(WritePath(path.appending(WritePath.priorityKey)), Node(priorityValue: new.priority))
            } else {
                draft.add(WritePath(path), new)
            }
        }
        var tree = old
        let effects = draft.writes.map { WriteEffect(place: $0.place, change: $0.place.write($0.value, into: &tree)) }
        let whole = nodesToTellWhole(effects)
        var changes: [(Path, Node)] = whole.sorted().map { ($0, new.node(at: $0)) }
        for effect in effects where !effect.path.prefixes.contains(where: whole.contains) {
            changes.append(effect.message(amongOthers: true))
        }
        return changes.sorted { $0.0 < $1.0 }
    }
}
