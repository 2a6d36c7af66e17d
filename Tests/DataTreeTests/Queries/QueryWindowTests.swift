import DataTree
import Testing

/// The conformance checks on how a window follows commits.
@Suite("Query windows")
struct QueryWindowTests {
    /// A node with one query, changed child by child.
    private struct Watched {
        var node: Node
        var group = QueryGroup()
        let query: Query

        init(_ node: Node, _ query: Query) {
            self.node = node
            self.query = query
            _ = group.add(query, node: node)
        }

        var result: Node? { group.result(of: query, in: node) }

        mutating func set(_ values: [(Path, Node)]) -> WindowDelta {
            let old = node
            let changes = values.map { node.set($0.1, at: $0.0) }
            let updates = group.follow(changes, at: .root, old: old, new: node)
            #expect(updates.count <= 1)
            return updates.first?.delta ?? WindowDelta()
        }

        mutating func set(_ path: Path, _ value: Node) -> WindowDelta { set([(path, value)]) }
    }

    private func lastTwo(by index: Query.Index) throws -> Query {
        try Query(index: index, limit: .init(count: 2, anchor: .last))
    }

    @Test("check 84: a child inserted into a full window pushes out the one at the edge")
    func insertInside() throws {
        var watched = Watched(["a": 1, "b": 3, "c": 5], try lastTwo(by: .value))
        let delta = watched.set("d", 4)
        #expect(delta.removed == ["b"])
        #expect(delta.entered.map(\.key) == ["d"] && delta.entered.map(\.node) == [4])
        #expect(delta.changed.isEmpty && !delta.isReset)
        #expect(watched.result == ["c": 5, "d": 4])
    }

    @Test("a child inserted outside a full window says nothing")
    func insertOutside() throws {
        var watched = Watched(["a": 1, "b": 3, "c": 5], try lastTwo(by: .value))
        #expect(watched.set("d", 2).isEmpty)
        #expect(watched.result == ["b": 3, "c": 5])
    }

    @Test("check 85: a deleted child is made up for in the same delta")
    func deleteInside() throws {
        var watched = Watched(["k1": "a", "k2": "b", "k3": "c"], try lastTwo(by: .key))
        let delta = watched.set("k3", .empty)
        #expect(delta.removed == ["k3"])
        #expect(delta.entered.map(\.key) == ["k1"] && delta.entered.map(\.node) == ["a"])
    }

    @Test("check 86: a child that moves out by its value is removed and replaced")
    func moveOut() throws {
        var watched = Watched(
            ["a": ["n": 1], "b": ["n": 2, "text": "x"], "c": ["n": 3]], try lastTwo(by: .path("n")))
        let delta = watched.set("c/n", 0)
        #expect(delta.removed == ["c"])
        #expect(delta.entered.map(\.key) == ["a"])
        #expect(watched.result == ["a": ["n": 1], "b": ["n": 2, "text": "x"]])
    }

    @Test("a child that enters by a deep write comes in full")
    func enterInFull() throws {
        var watched = Watched(
            ["a": ["n": 1, "text": "x"], "b": ["n": 2], "c": ["n": 3]], try lastTwo(by: .path("n")))
        let delta = watched.set("a/n", 9)
        #expect(delta.removed == ["b"])
        #expect(delta.entered.map(\.node) == [["n": 9, "text": "x"]])
    }

    @Test("check 87: a field of a child in the window is a change of that child")
    func changeInside() throws {
        var watched = Watched(["a": ["n": 1], "b": ["n": 2], "c": ["n": 3]], try lastTwo(by: .path("n")))
        let delta = watched.set("c/text", "x")
        #expect(delta.removed.isEmpty && delta.entered.isEmpty)
        #expect(delta.changed.map(\.key) == ["c"])
        #expect(delta.changed.map(\.old) == [["n": 3]])
        #expect(delta.changed.map(\.new) == [["n": 3, "text": "x"]])
    }

    @Test("a child whose value changes but stays in the window is a change")
    func moveInside() throws {
        var watched = Watched(["a": 1, "b": 2, "c": 3], try lastTwo(by: .value))
        let delta = watched.set("b", 9)
        #expect(delta.removed.isEmpty && delta.entered.isEmpty)
        #expect(delta.changed.map(\.key) == ["b"])
    }

    @Test("check 88: a field of a child outside the window says nothing")
    func changeOutside() throws {
        var watched = Watched(["a": ["n": 1], "b": ["n": 2], "c": ["n": 3]], try lastTwo(by: .path("n")))
        #expect(watched.set("a/text", "x").isEmpty)
    }

    @Test("check 89: a leaf or nothing in place of the node is one empty replacement", arguments: [5, Node.empty])
    func replacedByLeaf(leaf: Node) throws {
        var watched = Watched(["a": 1, "b": 2], try lastTwo(by: .value))
        let delta = watched.set(.root, leaf)
        #expect(delta.isReset && delta.replacement?.isEmpty == true)
        #expect(watched.set(.root, leaf == 5 ? 6 : .empty).isEmpty)
        let back = watched.set("z", 1)
        #expect(back.replacement == ["z": 1])
    }

    @Test("deleting the last child is a replacement by nothing")
    func lastChild() throws {
        var watched = Watched(["a": 1], try lastTwo(by: .value))
        #expect(watched.set("a", .empty).replacement?.isEmpty == true)
    }

    @Test("a replacement with the same window says nothing")
    func sameWindow() throws {
        var watched = Watched(["a": 1, "b": 2, "c": 3], try lastTwo(by: .value))
        #expect(watched.set(.root, ["a": 0, "b": 2, "c": 3]).isEmpty)
        #expect(watched.set("d", 2).removed == ["b"])
    }

    @Test("the node's own priority is no change of a window")
    func ownPriority() throws {
        var watched = Watched(["a": 1, "b": 2, "c": 3], try lastTwo(by: .value))
        let old = watched.node
        let change = watched.node.setPriority(.number(1), at: .root)
        #expect(watched.group.follow([change], at: .root, old: old, new: watched.node).isEmpty)
    }

    @Test("one commit of many changes is one delta")
    func multiPath() throws {
        var watched = Watched(["a": 1, "b": 2, "c": 3, "d": 4], try lastTwo(by: .value))
        let delta = watched.set([("d", .empty), ("c/x", 7), ("e", 5), ("b", .empty), ("f/y", 1), ("f/z", 2)])
        #expect(watched.result == ["c": ["x": 7], "f": ["y": 1, "z": 2]])
        #expect(delta.removed == ["d"])
        #expect(delta.entered.map(\.key) == ["f"])
        #expect(delta.changed.map(\.key) == ["c"])
    }

    @Test("a window that empties out while it fills up ends with the right children")
    func deleteWholeWindow() throws {
        var watched = Watched(["a": 1, "b": 2, "c": 3, "d": 4], try lastTwo(by: .value))
        let delta = watched.set([("c", .empty), ("d", .empty)])
        #expect(delta.removed == ["c", "d"])
        #expect(Set(delta.entered.map(\.key)) == ["a", "b"])
    }

    @Test("the first priority among the children moves a priority window to a real order")
    func firstPriority() throws {
        var watched = Watched(["a": 1, "b": 2, "c": 3], try lastTwo(by: .priority))
        let delta = watched.set("a", Node(1, priority: .number(1)))
        #expect(delta.removed == ["b"])
        #expect(delta.entered.map(\.key) == ["a"])
        #expect(watched.set("c", Node(1, priority: .number(0))).changed.map(\.key) == ["c"])
        #expect(watched.set([("a", .empty), ("c", .empty)]).entered.map(\.key) == ["b"])
    }
}
