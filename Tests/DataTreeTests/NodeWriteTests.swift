import DataTree
import Testing

@Suite("Writing to a node")
struct NodeWriteTests {
    @Test("a child under a leaf makes an object that keeps the leaf's priority")
    func leafReplaced() {
        var node: Node = ["a": Node(5, priority: .number(3)), "z": 1]
        let change = node.set(1, at: "a/b/c")
        #expect(node["a"] == Node(["b": ["c": 1]], priority: .number(3)))
        #expect(change.path == "a")
        #expect(change.old == Node(5, priority: .number(3)))
        #expect(change.new == node["a"])
    }

    @Test("deleting below a leaf or below nothing does nothing", arguments: ["a/b", "a/b/c", "x", "x/y"] as [Path])
    func deleteNothing(path: Path) {
        var node: Node = ["a": 5]
        let change = node.set(.empty, at: path)
        #expect(node == ["a": 5])
        #expect(change.path == path)
        #expect(!change.isEffective)
    }

    @Test("deleting the last child removes its ancestors and their priorities up to one with other children")
    func pruning() {
        var node: Node = ["a": Node(["b": Node(["c": 1], priority: .number(2))], priority: .number(1)), "z": 1]
        let old = node["a"]
        let change = node.set(.empty, at: "a/b/c")
        #expect(node == ["z": 1])
        #expect(change.path == "a")
        #expect(change.old == old)
        #expect(change.new.isEmpty)
        let rest = node.set(.empty, at: "z")
        #expect(node.isEmpty)
        #expect(rest.path == .root)
        #expect(rest.old == ["z": 1])
    }

    @Test("writing under nothing reports the highest node that came into being")
    func creation() {
        var node: Node = ["a": ["x": 1]]
        let change = node.set(2, at: "a/b/c")
        #expect(change.path == "a/b")
        #expect(change.old.isEmpty)
        #expect(change.new == ["c": 2])
        var empty = Node.empty
        let first = empty.set(2, at: "a/b")
        #expect(first.path == .root)
        #expect(first.new == ["a": ["b": 2]])
    }

    @Test("replacing a value reports the written node")
    func replacement() {
        var node: Node = ["a": ["b": 1, "c": Node(2, priority: .number(1))]]
        let change = node.set(3, at: "a/b")
        #expect(change.path == "a/b")
        #expect(change.old == 1)
        #expect(change.new == 3)
        let cleared = node.set(2, at: "a/c")
        #expect(cleared.path == "a/c")
        #expect(node["a"]["c"].priority == .none)
        #expect(cleared.isEffective)
        #expect(!node.set(2, at: "a/c").isEffective)
    }

    @Test("a priority changes alone and is ignored where there is no node")
    func priority() {
        var node: Node = ["a": 5, "o": ["x": 1]]
        let change = node.setPriority(.number(3), at: "a")
        #expect(change.path == "a")
        #expect(node["a"].priority == .number(3))
        #expect(node["a"].leaf == .integer(5))
        #expect(node.hasPrioritizedChildren)
        node.setPriority(.string("p"), at: "o")
        #expect(node["o"]["x"] == 1)
        node.set(2, at: "o/y")
        #expect(node["o"] == Node(["x": 1, "y": 2], priority: .string("p")))
        #expect(!node.setPriority(.number(1), at: "missing").isEffective)
        #expect(!node.setPriority(.number(1), at: "a/b").isEffective)
        #expect(node["a"].isLeaf)
        node.setPriority(.none, at: "a")
        node.setPriority(.none, at: "o")
        #expect(!node.hasPrioritizedChildren)
    }

    @Test("a scalar may live at the root")
    func rootScalar() {
        var node: Node = 5
        #expect(node.set(6, at: .root).path == .root)
        #expect(node == 6)
        node.set(1, at: "a")
        #expect(node == ["a": 1])
    }

    @Test("an object of nothing is nothing, and of two children with one key the later wins")
    func construction() {
        #expect(Node(children: [("a", .empty)], priority: .number(1)).isEmpty)
        #expect(Node(children: [("b", 1), ("a", 1), ("b", 2)]) == ["a": 1, "b": 2])
        #expect(Node(children: [("b", 1), ("a", 1), ("b", .empty)]) == ["a": 1])
    }

    @Test("numbers have one form")
    func numbers() {
        #expect(Node(leaf: .double(1)).leaf == .integer(1))
        #expect(Node(leaf: .double(-0.0)).leaf == .integer(0))
        #expect(Node(leaf: .double(9.3e18)).leaf == .double(9.3e18))
    }
}
