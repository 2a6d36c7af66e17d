import DataTree
import Testing

@Suite("Hashes of ranges")
struct CompoundHashTests {
    @Test(
        "the published texts and hashes",
        arguments: [
            (#"{"foo":"bar"}"#, ["LmKmJmXugtGlEGoulMbz86myDNw=", ""], ["foo"]),
            (#"{"a":1,"b":true}"#, ["xtNJpwbLW3yURTAmbL8mSj1b4GA=", ""], ["b"]), ("null", [""], []),
        ] as [(String, [String], [Path])])
    func vectors(json: String, hashes: [String], paths: [Path]) throws {
        #expect(CompoundHash(of: try Node(json: json)) == CompoundHash(hashes: hashes, paths: paths))
    }

    @Test("ranges open with the keys above them, and integers come before 10")
    func ranges() throws {
        // Every leaf ends a range; each then hashes like a node with that leaf alone.
        let node = try Node(json: #"{"bar":{"deep":"value"},"foo":{"other-deep":"value"},"2":"two","10":"ten"}"#)
        let hash = CompoundHash(of: node, rangeBytes: 0)
        #expect(hash.paths == ["2", "10", "bar/deep", "foo/other-deep"])
        let alone = try [
            #"{"2":"two"}"#, #"{"10":"ten"}"#, #"{"bar":{"deep":"value"}}"#, #"{"foo":{"other-deep":"value"}}"#,
        ]
        .map { CompoundHash(of: try Node(json: $0)).hashes[0] }
        #expect(hash.hashes == alone + [""])
        #expect(hash.isWellFormed)
    }

    @Test("no range ends with a priority; a leaf at the root is one range")
    func priorities() throws {
        let node = try Node(json: #"{"foo":{"!before":1,".priority":"p","after":2},"q":{".value":1,".priority":2}}"#)
        #expect(CompoundHash(of: node, rangeBytes: 0).paths == ["foo/!before", "foo/after", "q"])
        let leaf = Node(leaf: .string(Text(String(repeating: "x", count: 50_000))))
        #expect(CompoundHash(of: leaf).paths == [.root])
    }

    @Test("nodes of usual sizes get a sensible number of ranges", arguments: [(500, 15), (5000, 50), (50_000, 150)])
    func sizes(children: Int, ranges: Int) {
        let node = Node(children: (0..<children).map { (Key("key-\($0)"), Node(leaf: .string("value"))) })
        let count = CompoundHash(of: node).hashes.count
        #expect(Double(count) > 0.9 * Double(ranges) && Double(count) < 1.1 * Double(ranges))
    }

    @Test("a node has no differences to its own hash, except priorities no SDK hashes", arguments: [0, 100, 512])
    func same(rangeBytes: Int) {
        var random = SplitMix(seed: 3)
        for _ in 0..<200 {
            let node = randomNode(depth: 3, using: &random)
            #expect(CompoundHash(of: node, rangeBytes: rangeBytes).differences(in: node) == [])
        }
    }

    @Test("only ranges that differ are sent, and with them the client has the server's state")
    func property() {
        var random = SplitMix(seed: 4)
        for round in 0..<500 {
            let client = randomNode(depth: 3, using: &random)
            var server = client
            for _ in 0..<Int.random(in: 0...4, using: &random) { mutate(&server, using: &random) }
            if round % 10 == 0 { server = randomNode(depth: 3, using: &random) }
            let hash = CompoundHash(of: client, rangeBytes: Int.random(in: 0...120, using: &random))
            let merges = hash.differences(in: server)
            // As on the wire: what JSON cannot carry must not matter.
            let sent = merges.map { RangeMerge(start: $0.start, end: $0.end, node: reread($0.node)) }
            #expect(sent.reduce(client) { $1.applied(to: $0) } == server, "\(client.json) to \(server.json): \(merges)")
            if client == server { #expect(merges == []) }
        }
    }

    @Test("one changed leaf of many sends one range")
    func oneRange() {
        var node = Node(children: (0..<5000).map { (Key("key-\($0)"), Node(leaf: .string("value"))) })
        let hash = CompoundHash(of: node)
        node.set(Node(leaf: .string("other")), at: "key-2500")
        let merges = hash.differences(in: node)
        #expect(merges.count == 1 && merges[0].node.childCount < 200)
        #expect(merges[0].node["key-2500"].leaf == .string("other"))
    }

    @Test("a priority that stands alone in its range takes a child along")
    func lonePriority() throws {
        let client = try Node(json: #"{"x":{"1":"a","2":"b"},"y":1}"#)
        let server = try Node(json: #"{"x":{"1":"a","2":"b",".priority":5},"y":1}"#)
        let merges = CompoundHash(of: client, rangeBytes: 0).differences(in: server)
        #expect(
            merges == [
                RangeMerge(start: "x/1", end: "y", node: try Node(json: #"{"x":{"2":"b",".priority":5},"y":1}"#))
            ])
    }

    @Test(
        "a hash that makes no sense gets the whole node",
        arguments: [
            CompoundHash(hashes: [], paths: []), CompoundHash(hashes: ["a"], paths: ["a"]),
            CompoundHash(hashes: ["a", "b", ""], paths: ["b", "a"]),
            CompoundHash(hashes: ["a", "b", ""], paths: ["a", "a"]),
        ])
    func malformed(hash: CompoundHash) throws {
        let node = try Node(json: #"{"a":1}"#)
        #expect(hash.differences(in: node) == [RangeMerge(start: nil, end: nil, node: node)])
        #expect(RangeMerge(start: nil, end: nil, node: node).applied(to: Node(leaf: .bool(true))) == node)
    }

    private func reread(_ node: Node) -> Node { (try? Node(json: node.json)) ?? .empty }

    private static let keys: [Key] = ["1", "2", "10", "-a", "-b", "a", "b", "z\"\\"]

    private func randomNode(depth: Int, using random: inout SplitMix) -> Node {
        var priority = Priority.none
        switch Int.random(in: 0..<8, using: &random) {
        case 0: priority = .number(Double(Int.random(in: 0..<3, using: &random)))
        case 1: priority = .string("p\"")
        default: break
        }
        if depth == 0 || Int.random(in: 0..<4, using: &random) == 0 {
            let leaves: [Leaf] = [.bool(true), .integer(1), .integer(2), .double(0.5), .string("x"), .string("a\\\"b")]
            return Node(leaf: leaves[Int.random(in: 0..<leaves.count, using: &random)], priority: priority)
        }
        let children = (0..<Int.random(in: 0...5, using: &random)).map { _ in
            (
                Self.keys[Int.random(in: 0..<Self.keys.count, using: &random)],
                randomNode(depth: depth - 1, using: &random)
            )
        }
        return Node(children: children, priority: priority)
    }

    private func mutate(_ node: inout Node, using random: inout SplitMix) {
        let keys = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            Self.keys[Int.random(in: 0..<Self.keys.count, using: &random)]
        }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: node.set(.empty, at: Path(keys: keys))
        case 1: node.setPriority(.number(9), at: Path(keys: keys))
        default: node.set(randomNode(depth: 1, using: &random), at: Path(keys: keys))
        }
    }
}
