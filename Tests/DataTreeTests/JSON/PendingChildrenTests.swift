import DataTree
import Testing

@Suite("Objects of all sizes from JSON")
struct PendingChildrenTests {
    private static let pool: [String] =
        (0..<20).map { "k\($0)" } + (0..<12).map { String($0) } + [
            "05", "-3", "2147483648", "é", "\u{FFE5}", "😀", "a b",
        ]
        + (0..<8).map { "-OhiveVvAAAAAAAAAAA\($0)" } + (0..<8).map { "a key longer than fifteen bytes, number \($0)" }

    @Test("children in any order, with duplicates, nulls and long keys, become what the tree makes of them")
    func randomObjects() throws {
        var random = SplitMix(seed: 11)
        for round in 0..<400 {
            let count = Int.random(in: 0...(round % 4 == 0 ? 60 : 18), using: &random)
            var keys = (0..<count).map { _ in Self.pool[Int.random(in: 0..<Self.pool.count, using: &random)] }
            if round % 3 == 0 { keys = keys.sorted { Key($0) < Key($1) } }
            if round % 5 == 0 { keys.removeAll { $0.utf8.count > 15 } }
            var children: [(Key, Node)] = []
            var members: [String] = []
            for (index, key) in keys.enumerated() {
                let isNull = Int.random(in: 0..<4, using: &random) == 0
                children.append((Key(key), isNull ? .empty : Node(leaf: .integer(Int64(index)))))
                members.append("\"\(key)\":" + (isNull ? "null" : String(index)))
            }
            let inner = Node(children: children)
            let json = "{\"before\":[true,\"\(round)\"],\"in\":{\(members.joined(separator: ","))},\"last\":1}"
            let expected = Node(children: [
                (
                    "before",
                    Node(children: [("0", Node(leaf: .bool(true))), ("1", Node(leaf: .string(Text("\(round)"))))])
                ),
                ("in", inner), ("last", Node(leaf: .integer(1))),
            ])
            let read = try Node(json: json)
            #expect(read == expected, "\(json)")
            #expect(read.leafCount == expected.leafCount && read.hash() == expected.hash())
        }
    }

    @Test("wide objects and arrays are read whole", arguments: [16, 17, 256, 257, 5000])
    func wide(count: Int) throws {
        let array = "[" + (0..<count).map(String.init).joined(separator: ",") + "]"
        let object = "{" + (0..<count).reversed().map { "\"\($0)\":\($0)" }.joined(separator: ",") + "}"
        let node = try Node(json: array)
        #expect(node.childCount == count)
        #expect(try Node(json: object) == node)
        #expect(node.child(atRank: count - 1)?.node.leaf == .integer(Int64(count - 1)))
    }
}
