import DataTree
import Testing

@Suite("Writing in slices")
struct NodeSerializerTests {
    /// All slices of at most about `count` bytes.
    func slices(of node: Node, upTo count: Int) -> [[UInt8]] {
        var serializer = NodeSerializer(node)
        var slices: [[UInt8]] = []
        var goesOn = true
        while goesOn {
            var slice: [UInt8] = []
            goesOn = serializer.next(upTo: count, into: &slice)
            slices.append(slice)
        }
        #expect(serializer.isFinished)
        return slices
    }

    @Test("slices of any size make the text that the writer makes", arguments: NodeJSONTests.readings)
    func anySize(json: String, written: String) throws {
        let node = try Node(json: json)
        for count in 1...40 {
            #expect(Array(slices(of: node, upTo: count).joined()) == Array(written.utf8))
        }
    }

    @Test("slices keep near their size, long strings included, and end between characters")
    func bounded() throws {
        let long = String(repeating: "aé€😀\n", count: 20_000)
        let node = Node(children: [
            ("long", Node(leaf: .string(Text(long)), priority: .number(1))), ("x", Node(leaf: .integer(1))),
            ("records", Node(children: (0..<500).map { (Key("k\($0)"), Node(leaf: .integer(Int64($0)))) })),
        ])
        for count in [1, 100, 5000, 100_000] {
            let slices = slices(of: node, upTo: count)
            #expect(Array(slices.joined()) == Array(node.json.utf8))
            for slice in slices {
                #expect(slice.count <= count + 8300)
                #expect(String(validating: slice, as: UTF8.self) != nil)
            }
        }
        #expect(try Node(json: node.json) == node)
    }

    @Test("nodes deeper than any recursion would bear are written")
    func deep() throws {
        let json = String(repeating: #"{"a":"#, count: 1000) + "1" + String(repeating: "}", count: 1000)
        let node = try Node(json: json)
        #expect(node.json == json)
        #expect(Array(slices(of: node, upTo: 10).joined()) == Array(json.utf8))
    }

    @Test("a slice goes behind what the output holds already")
    func appending() {
        var output = Array("abc".utf8)
        var serializer = NodeSerializer(Node(leaf: .bool(true)))
        #expect(!serializer.next(upTo: 1, into: &output))
        #expect(String(decoding: output, as: UTF8.self) == "abctrue")
        #expect(!serializer.next(upTo: 1, into: &output))
        #expect(output.count == 7)
    }

    @Test("the writer quotes keys, paths and texts")
    func writer() {
        var writer = JSONWriter()
        writer.raw(#"{"p":"#)
        writer.path("a/b\"c/1")
        writer.raw(",")
        writer.key("k\\")
        writer.raw(":")
        writer.string("é\u{7}")
        writer.raw(",")
        writer.text("t")
        writer.raw(",")
        writer.integer(.min)
        writer.raw(",")
        writer.double(1e21)
        writer.raw(",")
        writer.double(.infinity)
        writer.raw("}")
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"p":"a/b\"c/1","k\\":"é\u0007","t",-9223372036854775808,1e+21,null}"#)
    }
}
