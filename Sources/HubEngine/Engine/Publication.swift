import DataTree
import WireProtocol

/// One commit of several changes on its way to the listeners: each listen gets it as one message, so that no client sees
/// a state in between (firebase-js-sdk, `query.test.ts`, "complex update() at query root raises correct value event").
struct Publication {
    let engine: Engine
    /// By path.
    let effects: [WriteEffect]
    let scope: Engine.Scope
    /// Where the update was sent that the commit carried out.
    let updatedAt: Path?
    /// In the order in which they were carried out.
    private let sequence: [WriteEffect]
    private var reader: BeforeAndAfter?

    init(engine: Engine, effects: [WriteEffect], scope: Engine.Scope, updatedAt: Path? = nil) {
        self.engine = engine
        self.updatedAt = updatedAt
        sequence = effects
        self.effects = effects.sorted { $0.path < $1.path }
        self.scope = scope
    }

    /// - Parameter root: the deepest place above all effects.
    mutating func run(root: Path) {
        var node = engine.listens.root
        var above: [ListenNode] = []
        var windows: [(queries: QueryListens, path: Path)] = []
        var reached = 0
        while true {
            if engine.isInScope(depth: reached, of: root, scope) {
                if node.subscribers != nil { above.append(node) }
                if let queries = node.queries { windows.append((queries, root.prefix(reached))) }
            }
            guard reached < root.count, let next = node.child(root.keys[reached]) else { break }
            node = next
            reached += 1
        }
        send(above, root: root)
        for (queries, path) in windows { push(queries, at: path, effects[...]) }
        if reached == root.count { descend(node, at: root, effects[...]) }
    }

    private func send(_ nodes: [ListenNode], root: Path) {
        guard !nodes.isEmpty else { return }
        engine.send(message(effects[...], root: root), to: nodes)
    }

    private func message(_ effects: ArraySlice<WriteEffect>, root: Path) -> Frame {
        if effects.count == 1, let only = effects.first { return only.frame(tag: nil, updatedAt: updatedAt) }
        let changes = effects.map { effect in
            let (path, value) = effect.message(amongOthers: true)
            return (path.dropFirst(root.count), value)
        }
        return ServerMessage.merge(path: root, changes: changes, tag: nil, updatedAt: updatedAt)
    }

    /// `effects` are those at or below `path`. They and the listens are walked side by side, so that the cost follows their
    /// numbers and not the product.
    private mutating func descend(_ node: ListenNode, at path: Path, _ effects: ArraySlice<WriteEffect>) {
        var rest = effects.drop { $0.path.count == path.count }
        while let first = rest.first {
            let key = first.path.keys[path.count]
            let within = rest.prefix { $0.path.keys[path.count] == key }
            rest = rest.dropFirst(within.count)
            let place = path.appending(key)
            guard let child = node.child(key), engine.isInScope(depth: place.count, of: place, scope) else { continue }
            if first.path.count == place.count && !first.place.isPriority {
                if child.subscribers != nil { engine.send(first.frame(tag: nil, updatedAt: updatedAt), to: [child]) }
                if let queries = child.queries { push(queries, at: place, within) }
                engine.pushBelow(child, at: place, first, scope)
                continue
            }
            if child.subscribers != nil { engine.send(message(within, root: place), to: [child]) }
            if let queries = child.queries { push(queries, at: place, within) }
            descend(child, at: place, within)
        }
    }

    private mutating func push(_ queries: QueryListens, at path: Path, _ effects: ArraySlice<WriteEffect>) {
        let before = reader ?? BeforeAndAfter(engine: engine, effects: sequence, scope: scope)
        reader = before
        engine.push(queries, at: path, before, effects)
    }
}

/// The tree before and after a commit, for windows that need to compare. Made only when a window is concerned: it copies
/// what the commit touched.
struct BeforeAndAfter {
    let before: Node
    let after: Node
    /// Where `before` and `after` are rooted.
    let root: Path

    /// - Parameter effects: in the order in which they were carried out: that is how they are taken back.
    init(engine: Engine, effects: [WriteEffect], scope: Engine.Scope) {
        switch scope {
        case .tree:
            after = engine.tree
            root = .root
        case .presence:
            after = engine.presence?.root ?? .empty
            root = engine.presence?.path ?? .root
        }
        var tree = after
        for effect in effects.reversed() {
            tree.set(effect.change.old, at: effect.change.path.dropFirst(root.count))
        }
        before = tree
    }

    func old(at path: Path) -> Node { before.node(at: path.dropFirst(root.count)) }
    func new(at path: Path) -> Node { after.node(at: path.dropFirst(root.count)) }
}
