import Testing

@testable import DataTree

/// A node as naively as can be: what the tree is held against.
private struct Model: Equatable {
    var leaf: Leaf?
    var children: [Key: Model] = [:]
    var priority = Priority.none

    var isEmpty: Bool { leaf == nil && children.isEmpty }

    var node: Node {
        if let leaf { return Node(leaf: leaf, priority: priority) }
        return Node(children: children.map { ($0.key, $0.value.node) }, priority: priority)
    }

    init(_ node: Node) {
        leaf = node.leaf
        priority = node.priority
        node.forEachChild { key, child in
            children[key] = Model(child)
            return true
        }
    }

    mutating func set(_ new: Model, _ path: ArraySlice<Key>) {
        guard let key = path.first else {
            self = new
            return
        }
        if leaf != nil, new.isEmpty { return }
        leaf = nil
        var child = children[key] ?? Model(.empty)
        child.set(new, path.dropFirst())
        children[key] = child.isEmpty ? nil : child
        if isEmpty { priority = .none }
    }

    mutating func setPriority(_ new: Priority, _ path: ArraySlice<Key>) {
        if let key = path.first {
            children[key]?.setPriority(new, path.dropFirst())
        } else if !isEmpty {
            priority = new
        }
    }

    var leafCount: Int { leaf != nil ? 1 : children.values.reduce(0) { $0 + $1.leafCount } }
}

/// Random trees over few enough keys that writes meet.
private struct Writer {
    var random: SplitMix
    var keys: [Key]

    init(seed: UInt64, width: Int) {
        random = SplitMix(seed: seed)
        keys = (0..<width).map { index in
            switch index % 5 {
            case 0: Key("\(index)")
            case 1: Key("k\(index)")
            case 2: Key("-Nabcdefghijklm\(10000 + index)")
            case 3: Key("a long key that does not fit a page, number \(index)")
            default: Key("\u{1F600}\(index)\u{ffe5}")
            }
        }
    }

    mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    mutating func path(maxDepth: Int) -> Path {
        Path(keys: (0..<below(maxDepth + 1)).map { _ in keys[below(keys.count)] })
    }

    mutating func priority() -> Priority {
        switch below(8) {
        case 0: .number(Double(below(5)))
        case 1: .string(Text("p\(below(5))"))
        default: .none
        }
    }

    mutating func node(depth: Int) -> Node {
        switch below(10) {
        case 0...3: .empty
        case 4...6: Node(leaf: .integer(Int64(below(100))), priority: priority())
        case 7: Node(leaf: .string(Text(String(repeating: "x", count: below(30)))), priority: priority())
        case 8: Node(leaf: .deferred(.timestamp), priority: priority())
        default:
            depth == 0
                ? 1
                : Node(
                    children: (0..<below(40)).map { _ in (keys[below(keys.count)], node(depth: depth - 1)) },
                    priority: priority())
        }
    }
}

@Suite("Node against a naive model")
struct NodeModelTests {
    @Test(
        "random writes give what a dictionary gives, and snapshots stay as they were",
        arguments: [
            (seed: 1, width: 8, depth: 4), (seed: 2, width: 60, depth: 3), (seed: 3, width: 900, depth: 2),
            (seed: 4, width: 5000, depth: 1),
        ])
    func randomWrites(seed: UInt64, width: Int, depth: Int) {
        var writer = Writer(seed: seed, width: width)
        var node = Node.empty
        var model = Model(.empty)
        var snapshots: [(node: Node, model: Model)] = []
        for step in 0..<1500 {
            // Paths that end at the root would empty the tree all the time.
            var path = writer.path(maxDepth: depth)
            if path.isRoot, step % 1000 != 0 { path = Path(keys: [writer.keys[writer.below(width)]]) }
            let before = node
            let change: NodeChange
            if step % 7 == 0 {
                let priority = writer.priority()
                change = node.setPriority(priority, at: path)
                model.setPriority(priority, path.keys[...])
            } else {
                let value = writer.node(depth: 2)
                change = node.set(value, at: path)
                model.set(Model(value), path.keys[...])
            }
            var redone = before
            redone.set(change.new, at: change.path)
            #expect(redone == node, "the reported change redoes the write")
            #expect(change.old == before.node(at: change.path))
            var undone = node
            undone.set(change.old, at: change.path)
            #expect(undone == before, "the reported change undoes the write")
            if step % 100 == 0 {
                snapshots.append((node, model))
                node.checkPages()
            }
        }
        snapshots.append((node, model))
        for snapshot in snapshots {
            #expect(Model(snapshot.node) == snapshot.model)
            #expect(snapshot.node.leafCount == snapshot.model.leafCount)
            #expect(snapshot.node == snapshot.model.node)
            #expect(snapshot.node.hash() == snapshot.model.node.hash())
            snapshot.node.checkPages()
        }
        for (old, new) in zip(snapshots, snapshots.dropFirst()) {
            // Additions first and priorities last: no object may vanish in between and lose its priority.
            var patched = old.node
            var removed: [Path] = []
            var priorities: [(Path, Priority)] = []
            Node.difference(from: old.node, to: new.node) { path, before, after in
                #expect(old.node.node(at: path) == before)
                #expect(new.node.node(at: path) == after)
                if !before.isEmpty, !after.isEmpty, !before.isLeaf, !after.isLeaf {
                    #expect(before.priority != after.priority)
                    priorities.append((path, after.priority))
                } else {
                    #expect(before != after)
                    if after.isEmpty { removed.append(path) } else { patched.set(after, at: path) }
                }
            }
            for path in removed { patched.set(.empty, at: path) }
            for (path, priority) in priorities { patched.setPriority(priority, at: path) }
            #expect(patched == new.node)
        }
    }

    @Test("a wide node grows, is searched by key and rank, and shrinks to nothing", arguments: [true, false])
    func wideNode(isAscending: Bool) {
        var random = SplitMix(seed: 11)
        var keys = (0..<9000).map { Key("k\(100_000 + $0)") }
        let sorted = keys
        if !isAscending { keys.shuffle(using: &random) }
        var node = Node.empty
        for (index, key) in keys.enumerated() { node.set(Node(leaf: .integer(Int64(index))), at: Path(keys: [key])) }
        node.checkPages()
        #expect(node.childCount == 9000)
        #expect(node.firstChild?.key == sorted.first)
        #expect(node.lastChild?.key == sorted.last)
        #expect(node.child(atRank: 9000) == nil)
        #expect(node.child(atRank: -1) == nil)
        for rank in stride(from: 0, to: 9000, by: 37) {
            #expect(node.rank(of: sorted[rank]) == rank)
            #expect(node.rank(of: Key(sorted[rank].description + "x")) == rank + 1)
            #expect(node.child(atRank: rank)?.key == sorted[rank])
            var seen: [Key] = []
            node.forEachChild(from: sorted[rank]) { key, _ in
                seen.append(key)
                return seen.count < 20
            }
            #expect(seen == Array(sorted[rank...].prefix(20)))
            seen = []
            node.forEachChild(from: Key(sorted[rank].description + "x"), reversed: true) { key, _ in
                seen.append(key)
                return seen.count < 20
            }
            #expect(seen == Array(sorted[...rank].suffix(20).reversed()))
        }
        keys.shuffle(using: &random)
        for (index, key) in keys.enumerated() {
            node.set(.empty, at: Path(keys: [key]))
            if index % 500 == 0 { node.checkPages() }
        }
        #expect(node.isEmpty)
    }

    @Test("a difference between snapshots looks only at what changed")
    func differenceCost() {
        var node = Node(children: (0..<20_000).map { (Key("k\($0)"), Node(leaf: .integer(Int64($0)))) })
        let before = node
        node.set(.empty, at: "k77")
        node.set(5, at: "k10000")
        node.set(["x": 1], at: "new")
        var paths: [Path] = []
        Node.difference(from: before, to: node) { path, _, _ in paths.append(path) }
        #expect(paths == ["k10000", "k77", "new"])
    }

    @Test("unresolved server values are counted wherever they stand")
    func deferred() {
        var node: Node = ["a": 1]
        #expect(!node.containsDeferred)
        node.set(Node(leaf: .deferred(.increment(1))), at: "b/c")
        #expect(node.containsDeferred)
        node.set(1, at: "b/c")
        #expect(!node.containsDeferred)
        node.setPriority(.deferred(.timestamp), at: "b/c")
        #expect(node.containsDeferred)
        node.set(.empty, at: "b")
        #expect(!node.containsDeferred)
    }

    @Test("a deep tree is freed without recursion")
    func deepRelease() {
        var node: Node = 1
        for _ in 0..<200_000 { node = Node(children: [("a", node)]) }
        #expect(node.leafCount == 1)
        node.removeDeeply()
    }

    @Test("freeing a node leaves what others hold of it")
    func sharedRelease() {
        var node = Node(children: (0..<1000).map { (Key("k\($0)"), ["x": 1] as Node) })
        let expected = Node(children: (0..<1000).map { (Key("k\($0)"), ["x": 1] as Node) })
        let snapshot = node
        node.set(2, at: "k5/x")
        node.removeDeeply()
        #expect(snapshot == expected)
    }
}

extension Node {
    /// Checks the rules that pages keep, everywhere below.
    fileprivate func checkPages() {
        guard let page else { return }
        check(page)
        forEachChild { _, child in
            child.checkPages()
            return true
        }
    }

    private func check(_ page: Page) {
        let body = page.body
        #expect(body.slotCount > 0 && body.slotCount <= Page.capacity)
        #expect(body.isBranch ? body.entries.isEmpty : body.branches.isEmpty)
        #expect(body.longKeys.isEmpty || body.longKeys.count == body.slotCount)
        var counts = PageBody.Counts()
        for index in 0..<body.slotCount {
            if index > 0 { #expect(body.key(index - 1) < body.key(index)) }
            #expect(body.packedKey(index).isLong == (body.longKey(index) != nil))
            if body.isBranch {
                let branch = body.branches[index]
                #expect(branch.count == branch.page.count)
                #expect(branch.page.body.level < body.level)
                #expect(!(branch.page.body.key(0) < body.key(index)))
                counts = counts + branch.page.body.counts
                check(branch.page)
            } else {
                #expect(!body.entries[index].node.isEmpty)
                counts = counts + PageBody.Counts(body.entries[index].node)
            }
        }
        #expect(counts == body.counts)
    }
}
