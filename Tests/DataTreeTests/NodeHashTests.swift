import DataTree
import Testing

@Suite("Node hash")
struct NodeHashTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        var name: String
        var node: Node
        var hash: String
        var testDescription: String { name }

        init(_ name: String, _ node: Node, _ hash: String) {
            self.name = name
            self.node = node
            self.hash = hash
        }
    }

    static let vectors: [Vector] = [
        Vector("1", 1, "YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="),
        Vector("0", 0, "7ysMph9WPitGP7poMnMHMVPtUlI="),
        Vector("-0", Node(leaf: .double(-0.0)), "7ysMph9WPitGP7poMnMHMVPtUlI="),
        Vector("-1", -1, "dMw8oUBNk57KCeIcgAKXVS2BfB0="),
        Vector("0.5", 0.5, "u83SjUmpQucleXhADEt2TUBMwAE="),
        Vector("5", 5, "w28swksk9+tXf5jEdS9R5oSFAv8="),
        Vector("10", 10, "+r5aI9HvKKagELki8SYKBk0q7D4="),
        Vector("true", true, "E5z61QM0lN/U2WsOnusszCTkR8M="),
        Vector("false", false, "aSSNoqcS4oQwJ2xxH20rvpp3zP0="),
        Vector("empty text", "", "Ki0Xy0V6morg0TO3Sxi/jwugYDQ="),
        Vector("hello", "hello", "z6sRbrNLwbHX5fdjpvsTtWgXUFc="),
        Vector("composed e acute", "\u{e9}", "1M+kSgpwpb2WVucwSmGGq+h8/uU="),
        Vector("decomposed e acute", "e\u{301}", "33Mx8t4PL5PTL/hAs1ai1jzzuPo="),
        Vector("emoji", "\u{1F600}", "MK8AFmo8GmKyFMO+8POk61hHbOQ="),
        Vector("number with a priority", Node(1, priority: .number(1)), "MEW0UDkkMtVWOWOEkIqiXwuoUGs="),
        Vector("text with a priority", Node("x", priority: .string("p")), "Ee+tTXV5cvjTnBMuKXMyU8fA5VY="),
        Vector("one child", ["a": 1], "gIphxiFGusLh2VwSNVKSvNu90m4="),
        Vector("two children", ["b": 2, "a": 1], "AUZnXhNqrfbznYVxcCvNpzpjvTU="),
        Vector("integer keys", ["10": "t", "9": "n", "a": "z"], "74r8U/QzxfSAWWuJMCh0iTtSlIQ="),
        Vector(
            "number priorities", ["a": Node(1, priority: .number(2)), "b": Node(1, priority: .number(1))],
            "Hbshog8epOUNdSPDO3e8VIoAsfw="),
        Vector(
            "mixed priorities", ["a": Node(1, priority: .string("s")), "b": Node(1, priority: .number(9)), "c": 1],
            "LbapPszH4PbZar+Byq7f2GpjIxc="),
        Vector("object with a priority", Node(["a": 1], priority: .number(7)), "f5Bfu6f66znP4CPZ7csMl140inw="),
        Vector("array", ["0": 1, "1": 2, "2": 3], "h6XOC3OcidJlNC1Velmi3gphgQk="),
        Vector("deep", ["a": ["b": ["c": "deep"]]], "8CDSsaYCmXRi8LjwD+/bKPw1yOM="),
        Vector("nothing but nulls", ["a": .empty, "b": ["c": .empty]], ""),
        Vector("UTF-16 key order", ["\u{ffe5}": 1, "\u{1F600}": 2], "gy4rjer7WVKcauIboLN0EuCWBmM="),
        Vector(
            "integer-like keys and one too large", ["-5": 1, "5": 2, "05": 3, "2147483648": 4],
            "ZdQcMH7yHxm2VBG5hm66yjtpcTs="),
        Vector(
            "the SDK's own example",
            ["intNode": 4, "doubleNode": 4.5623, "stringNode": "hey guys", "boolNode": true],
            "6Mc4jFmNdrLVIlJJjz2/MakTK9I="),
    ]

    @Test("hashes are those of the SDKs", arguments: vectors)
    func hash(of vector: Vector) {
        #expect(vector.node.hash() == vector.hash)
        #expect(vector.node.hash() == vector.hash, "the cached hash is the same")
    }

    @Test("the iOS variant orders by key where all children have a priority")
    func variant() {
        let all: Node = ["a": Node(1, priority: .number(2)), "b": Node(1, priority: .number(1))]
        let some: Node = ["a": Node(1, priority: .number(2)), "b": 1]
        #expect(all.hash(variant: .keyOrderWhenAllPrioritized) != all.hash())
        #expect(some.hash(variant: .keyOrderWhenAllPrioritized) == some.hash())
        let parent: Node = ["all": all, "some": some]
        #expect(parent.hash(variant: .keyOrderWhenAllPrioritized) != parent.hash())
    }

    @Test("a change below gives a new hash, and undoing it gives the old one")
    func change() {
        var node: Node = ["a": ["b": 1, "c": 2]]
        let hash = node.hash()
        let before = node
        node.set(3, at: "a/b")
        #expect(node.hash() == (["a": ["b": 3, "c": 2]] as Node).hash())
        #expect(before.hash() == hash)
        node.set(1, at: "a/b")
        #expect(node.hash() == hash)
        node.setPriority(.number(1), at: "a")
        #expect(node.hash() != hash)
        node.setPriority(.none, at: "a")
        #expect(node.hash() == hash)
    }
}
