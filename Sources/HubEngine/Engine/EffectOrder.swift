import DataTree

/// Clients apply the parts of a merge in an order of their own (firebase-js-sdk, `viewProcessorApplyServerMerge`:
/// children they have, then new ones, each by key). Almost always that is the same whatever the order. It is not where a
/// node loses all its children, and with them its priority, before others come, and where a priority comes before the node
/// that it belongs to.
extension Engine {
    /// The same changes in a form whose order does not matter: where it would, the effects become one, the whole node. Such
    /// a node holds nothing but what the commit wrote, so the message does not grow.
    func independent(_ effects: [WriteEffect], scope: Scope) -> [WriteEffect] {
        var tree: BeforeAndAfter?
        var ordered = effects
        if !Self.isInOrder(effects) {
            // Operations at a session's end run in path order. Clients may have it otherwise.
            let made = BeforeAndAfter(engine: self, effects: effects, scope: scope)
            ordered = Self.reordered(effects, from: made)
            tree = made
        }
        let nodes = Self.nodesToTellWhole(ordered)
        if nodes.isEmpty { return effects }
        let made = tree ?? BeforeAndAfter(engine: self, effects: effects, scope: scope)
        var told: Set<Path> = []
        var result: [WriteEffect] = []
        for effect in effects {
            guard let node = effect.path.prefixes.first(where: nodes.contains) else {
                result.append(effect)
                continue
            }
            guard told.insert(node).inserted else { continue }
            let change = NodeChange(path: node, old: made.old(at: node), new: made.new(at: node))
            if change.isEffective { result.append(WriteEffect(place: WritePath(node), change: change)) }
        }
        return result
    }

    /// Whether what goes comes first and priorities last, as `Draft` has it.
    private static func isInOrder(_ effects: [WriteEffect]) -> Bool {
        var rank = 0
        for effect in effects {
            let own = effect.rank
            if own < rank { return false }
            rank = own
        }
        return true
    }

    /// The same effects as they would have been in the order of `Draft`.
    private static func reordered(_ effects: [WriteEffect], from tree: BeforeAndAfter) -> [WriteEffect] {
        var node = tree.before
        return (0...2).flatMap { rank in effects.filter { $0.rank == rank } }.map { effect in
            let value = effect.place.isPriority ? Node(priorityValue: effect.new.priority) : effect.new
            let below = WritePath(effect.place.path.dropFirst(tree.root.count))
            let change = below.write(value, into: &node)
            return WriteEffect(
                place: effect.place,
                change: NodeChange(path: tree.root.appending(change.path), old: change.old, new: change.new))
        }
    }

    /// None at or below another.
    static func nodesToTellWhole(_ effects: [WriteEffect]) -> Set<Path> {
        // Nodes that vanished because they lost their last child, with the place of the effect; nodes that came into being
        // because something was written below them.
        var vanished: [Path: Int] = [:]
        var created: Set<Path> = []
        for (index, effect) in effects.enumerated() where effect.change.path.count < effect.path.count {
            if effect.change.new.isEmpty {
                vanished[effect.change.path] = vanished[effect.change.path] ?? index
                continue
            }
            let start = effect.change.path.count + (effect.change.old.isEmpty ? 0 : 1)
            for depth in start..<effect.path.count { created.insert(effect.path.prefix(depth)) }
        }
        if vanished.isEmpty && created.isEmpty { return [] }
        var nodes: [Path] = []
        for (index, effect) in effects.enumerated() {
            if effect.place.isPriority && created.contains(effect.path) { nodes.append(effect.path) }
            if vanished.isEmpty { continue }
            for depth in 0...effect.path.count {
                guard let first = vanished[effect.path.prefix(depth)], first < index else { continue }
                nodes.append(effect.path.prefix(depth))
                break
            }
        }
        var topmost: [Path] = []
        for node in nodes.sorted() where topmost.last.map({ !node.hasPrefix($0) }) ?? true { topmost.append(node) }
        return Set(topmost)
    }
}

extension WriteEffect {
    fileprivate var rank: Int { place.isPriority ? 2 : new.isEmpty ? 0 : 1 }
}

extension WritePath {
    fileprivate var path: Path { isPriority ? node.appending(Self.priorityKey) : node }
}

extension Path {
    /// The root, and all on the way down to this path, itself included.
    var prefixes: some Sequence<Path> { (0...count).lazy.map(prefix) }
}
