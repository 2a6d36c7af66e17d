import DataTree
import WireProtocol

/// Telling listeners what a commit changed (`protocol/websocket.md`, "Pushes").
extension Engine {
    /// Which listens a change can concern: the presence node is an overlay, so what happens in the tree is not seen at or below
    /// it, and what happens in it is not seen above it.
    enum Scope {
        case tree
        case presence
    }

    /// Sends each listen what the effects of one commit mean for it, in one message.
    /// - Parameter updatedAt: where the update was sent that the commit carried out.
    func publish(_ effects: [WriteEffect], scope: Scope = .tree, updatedAt: Path? = nil) {
        let effects = effects.count > 1 ? independent(effects, scope: scope) : effects
        guard let first = effects.first else { return }
        if effects.count == 1 {
            publish(one: first, scope: scope, updatedAt)
        } else {
            var publication = Publication(engine: self, effects: effects, scope: scope, updatedAt: updatedAt)
            publication.run(root: effects.reduce(first.path.parent ?? .root) { $0.commonPrefix($1.path) })
        }
    }

    /// Hot path (`scripts/bench hub`, fan-out): one change, and mostly listeners at or above it who all get the same bytes.
    private func publish(one effect: WriteEffect, scope: Scope, _ updatedAt: Path?) {
        let path = effect.path
        var node = listens.root
        var interested: [ListenNode] = []
        var windows: [(queries: QueryListens, path: Path)] = []
        var reached = 0
        while true {
            if isInScope(depth: reached, of: path, scope) {
                if node.subscribers != nil { interested.append(node) }
                if let queries = node.queries { windows.append((queries, path.prefix(reached))) }
            }
            guard reached < path.count, let next = node.child(path.keys[reached]) else { break }
            node = next
            reached += 1
        }
        // From above to below: clients apply a push without a tag to all they have at, above and below its place, so what
        // comes first must be the whole change.
        if !interested.isEmpty { send(effect.frame(tag: nil, updatedAt: updatedAt), to: interested) }
        if !windows.isEmpty {
            let reader = BeforeAndAfter(engine: self, effects: [effect], scope: scope)
            for (queries, path) in windows { push(queries, at: path, reader, [effect]) }
        }
        if reached == path.count, !node.children.isEmpty { pushBelow(node, at: path, effect, scope) }
    }

    func isInScope(depth: Int, of path: Path, _ scope: Scope) -> Bool {
        guard let presence else { return true }
        let isWithin = depth >= presence.path.count && path.hasPrefix(presence.path)
        return scope == .presence ? isWithin : !isWithin
    }

    /// Sends one frame to the default listeners of several places, to each connection once.
    func send(_ frame: Frame, to nodes: [ListenNode]) {
        for (index, node) in nodes.enumerated() {
            guard nodes.count > 1 && index > 0 else {
                node.forEachSubscriberList { loop, list in outbox.push(frame, to: list, loop: loop) }
                continue
            }
            node.subscribers?.forEachSession { session in
                let hasIt = nodes[..<index].contains { session.index(of: $0, query: .default) != nil }
                if !hasIt { outbox.push(frame, to: session.connection) }
            }
        }
    }

    /// Listens below a changed place get the new content of their own place, if it differs.
    func pushBelow(_ parent: ListenNode, at path: Path, _ effect: WriteEffect, _ scope: Scope) {
        let old = effect.old
        let new = effect.new
        pushBelow(parent, at: path, old: old, new: new, scope)
    }

    private func pushBelow(_ parent: ListenNode, at path: Path, old: Node, new: Node, _ scope: Scope) {
        for (key, child) in parent.sortedChildren {
            let place = path.appending(key)
            let oldChild = old[key]
            let newChild = new[key]
            if oldChild.isIdentical(to: newChild) { continue }
            guard isInScope(depth: place.count, of: place, scope) else { continue }
            if child.subscribers != nil, oldChild != newChild {
                let frame = ServerMessage.data(path: place, node: newChild, tag: nil)
                child.forEachSubscriberList { loop, list in outbox.push(frame, to: list, loop: loop) }
            }
            if let queries = child.queries {
                pushReplaced(queries, at: place, old: oldChild, new: newChild)
            }
            if !child.children.isEmpty { pushBelow(child, at: place, old: oldChild, new: newChild, scope) }
        }
    }
}

extension ListenNode {
    func forEachSubscriberList(_ body: (UInt16, ConnectionList) -> Void) {
        guard var list = subscribers else { return }
        subscribers = nil
        list.forEachList(body)
        subscribers = list
    }
}

extension WriteEffect {
    /// The frame that tells listeners at or above the place. A leaf's priority travels with its value: every SDK understands
    /// that, whatever it has cached.
    func frame(tag: Int?, updatedAt: Path? = nil) -> Frame {
        let (path, value) = message(amongOthers: false)
        return ServerMessage.data(
            path: path, node: value, tag: tag, updatedAt: updatedAt, isPriorityAlone: place.isPriority)
    }

    /// The place and value to tell, alone or as one of several changes.
    func message(amongOthers: Bool) -> (path: Path, value: Node) {
        guard place.isPriority else { return (path, new) }
        let node = new
        if node.isLeaf && !amongOthers { return (path, node) }
        return (path.appending(WritePath.priorityKey), Node(priorityValue: node.priority))
    }
}

extension Node {
    /// A priority as a value of its own.
    init(priorityValue: Priority) {
        switch priorityValue {
        case .none: self = .empty
        case .number(let number): self.init(leaf: .number(number))
        case .string(let text): self.init(leaf: .string(text))
        case .deferred(let value): self.init(leaf: .deferred(value))
        }
    }
}

extension Path {
    func commonPrefix(_ other: Path) -> Path {
        var length = 0
        while length < count, length < other.count, keys[length] == other.keys[length] { length += 1 }
        return prefix(length)
    }
}
