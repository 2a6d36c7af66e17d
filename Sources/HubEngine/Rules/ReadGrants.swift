import DataTree
import SecurityRules

/// That a session may listen at a place, and the data that the rule read when it said so. When that data changes, the
/// listen is judged again.
final class ReadGrant {
    unowned let session: Session
    /// In the order in which listens were granted.
    let sequence: UInt64
    let dependencies: ReadDependencies

    init(session: Session, sequence: UInt64, dependencies: ReadDependencies) {
        self.session = session
        self.sequence = sequence
        self.dependencies = dependencies
    }
}

/// The grants that depend on data, by the places of that data: the cost of a commit follows the number of listens that
/// depend on what it changed, and is nothing where none does.
struct ReadGrants {
    private let root = GrantNode(key: nil, parent: nil)
    private(set) var count = 0

    mutating func add(_ grant: ReadGrant) {
        count += 1
        for path in grant.dependencies.places { makeNode(at: path).grants[grant.sequence] = grant }
        for path in grant.dependencies.subtrees { makeNode(at: path).deepGrants[grant.sequence] = grant }
    }

    mutating func remove(_ grant: ReadGrant) {
        count -= 1
        for path in grant.dependencies.places { remove(at: path) { $0.grants[grant.sequence] = nil } }
        for path in grant.dependencies.subtrees { remove(at: path) { $0.deepGrants[grant.sequence] = nil } }
    }

    /// The grants whose rule would read something else after `change`, in the order in which they were given.
    ///
    /// A change lies at the highest node that came into being, vanished, or changed its kind, priority or value: what is above
    /// it exists as before and is of the same kind, so only rules that read a whole subtree are concerned there.
    func affected(by change: NodeChange) -> [ReadGrant] {
        guard count > 0 else { return [] }
        var found: [UInt64: ReadGrant] = [:]
        var node = root
        for key in change.path.keys {
            found.merge(node.deepGrants) { first, _ in first }
            guard let next = node.children[key] else { return Self.ordered(found) }
            node = next
        }
        collect(node, old: change.old, new: change.new, into: &found)
        return Self.ordered(found)
    }

    private func collect(_ node: GrantNode, old: Node, new: Node, into found: inout [UInt64: ReadGrant]) {
        if old.isIdentical(to: new) { return }
        found.merge(node.deepGrants) { first, _ in first }
        if !old.looksLike(new) { found.merge(node.grants) { first, _ in first } }
        for (key, child) in node.children { collect(child, old: old[key], new: new[key], into: &found) }
    }

    private static func ordered(_ found: [UInt64: ReadGrant]) -> [ReadGrant] {
        found.count < 2 ? Array(found.values) : found.values.sorted { $0.sequence < $1.sequence }
    }

    private func makeNode(at path: Path) -> GrantNode {
        var node = root
        for key in path.keys {
            if let next = node.children[key] {
                node = next
            } else {
                let made = GrantNode(key: key, parent: node)
                node.children[key] = made
                node = made
            }
        }
        return node
    }

    private func remove(at path: Path, _ body: (GrantNode) -> Void) {
        var node = root
        for key in path.keys {
            guard let next = node.children[key] else { return }
            node = next
        }
        body(node)
        while node.isUnused, let parent = node.parent, let key = node.key {
            parent.children[key] = nil
            node = parent
        }
    }
}

private final class GrantNode {
    let key: Key?
    /// Unowned: a place outlives those below it.
    private(set) unowned var parent: GrantNode?
    var children: [Key: GrantNode] = [:]
    var grants: [UInt64: ReadGrant] = [:]
    var deepGrants: [UInt64: ReadGrant] = [:]

    init(key: Key?, parent: GrantNode?) {
        self.key = key
        self.parent = parent
    }

    var isUnused: Bool { children.isEmpty && grants.isEmpty && deepGrants.isEmpty }
}
