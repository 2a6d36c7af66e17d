import DataTree
import Testing

@Suite("Snapshots on other threads")
struct NodeSnapshotThreadTests {
    private static func tree() -> Node {
        Node(
            children: (0..<300).map { number in
                let record = Node(children: (0..<10).map { (Key("field\($0)"), Node(leaf: .integer(Int64($0)))) })
                return (Key("record\(number)"), number % 5 == 0 ? record.withPriority(.number(1)) : record)
            })
    }

    @Test("snapshots are hashed, compared and dropped by workers while the tree is written")
    func workers() async {
        var random = SplitMix(seed: 5)
        var node = Self.tree()
        await withTaskGroup(of: Bool.self) { group in
            var previous = node
            for round in 0..<60 {
                let snapshot = node
                let before = previous
                let expected = Int64(round)
                node.set(Node(leaf: .integer(expected)), at: "round")
                let after = node
                group.addTask {
                    var differs = false
                    Node.difference(from: snapshot, to: after) { path, _, new in
                        differs = path == "round" && new.leaf == .integer(expected)
                    }
                    return differs && snapshot.hash() == snapshot.hash(variant: .standard) && before != after
                }
                previous = snapshot
                for _ in 0..<20 {
                    let path = Path("record\(random.next() % 300)/field\(random.next() % 10)")
                    node.set(Node(leaf: .integer(Int64(random.next() % 1000))), at: path)
                }
                // Both threads may fill in the hash of the same shared pages.
                if round % 10 == 0 { #expect(node.hash().utf8.count == 28) }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
