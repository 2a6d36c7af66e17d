import DataTree

/// Clients apply the parts of a merge in an order of their own (firebase-js-sdk, `viewProcessorApplyServerMerge`:
/// children they have, then new ones, each by key). Almost always that is the same whatever the order. It is not where a
/// node loses all its children, and with them its priority, before others come, and where a priority comes before the node
/// that it belongs to.
extension Engine {
    /// The same changes in a form whose order does not matter: where it would, the effects become one, the whole node. Such
    /// a node holds nothing but what the commit wrote, so the message does not grow.
    func independent(_ effects: [WriteEffect], scope: Scope) -> [WriteEffect] {
        let nodes = Self.nodesToTellWhole(effects)
        if nodes.isEmpty { return effects }
        let tree = BeforeAndAfter(engine: self, effects: effects, scope: scope)
        var told: Set<Path> = []
        var result: [WriteEffect] = []
        for effect in effects {
            guard let node = effect.path.prefixes.first(where: nodes.contains) else {
                result.append(effect)
                continue
            }
            guard told.insert(node).inserted else { continue }
            let change = NodeChange(path: node, old: tree.old(at: node), new: tree.new(at: node))
            if change.isEffective { result.append(WriteEffect(place: WritePath(node), change: change)) }
        }
        return result
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

extension Path {
    /// The root, and all on the way down to this path, itself included.
    var prefixes: some Sequence<Path> { (0...count).lazy.map(prefix) }
}
