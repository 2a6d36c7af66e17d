import Testing

@testable import DataTree

@Suite("Query group")
struct QueryGroupTests {
    private func equalTo(_ owner: String) throws -> Query {
        let value = ValueOrder.string(Text(owner))
        return try Query(
            index: .path("owner"), start: QueryBound(value: value, key: .least),
            end: QueryBound(value: value, key: .greatest))
    }

    private func wide(_ count: Int) -> Node {
        Node(children: (0..<count).map { (Key("k\($0)"), Node(leaf: .integer(Int64($0)))) })
    }

    @Test("only the queries that a commit concerns have an update")
    func concerned() throws {
        var node: Node = ["a": ["owner": "ann"], "b": ["owner": "bob"]]
        var group = QueryGroup()
        for owner in ["ann", "bob", "cyd"] { _ = group.add(try equalTo(owner), node: node) }
        let old = node
        let change = node.set("bob", at: "a/owner")
        let updates = group.follow([change], at: .root, old: old, new: node)
        #expect(updates.map(\.query) == [try equalTo("ann"), try equalTo("bob")])
        #expect(updates.map(\.delta.removed) == [["a"], []])
        #expect(updates.map { $0.delta.entered.map(\.key) } == [[], ["a"]])
    }

    @Test("changes above, below and beside the path are told apart")
    func placesOfChanges() throws {
        var root: Node = ["rooms": ["r": ["a": ["owner": "ann"]]], "else": 1]
        let path: Path = "rooms/r"
        var group = QueryGroup()
        _ = group.add(try equalTo("ann"), node: root.node(at: path))

        func commit(_ target: Path, _ value: Node) -> [QueryGroup.Update] {
            let old = root
            let change = root.set(value, at: target)
            return group.follow([change], at: path, old: old.node(at: path), new: root.node(at: path))
        }
        #expect(commit("else", 2).isEmpty)
        #expect(commit("rooms/s/a/owner", "ann").isEmpty)
        #expect(commit("rooms/r/b/owner", "ann").first?.delta.entered.map(\.key) == ["b"])
        #expect(commit("rooms", ["r": ["c": ["owner": "ann"]]]).first?.delta.replacement == ["c": ["owner": "ann"]])
        #expect(commit("rooms/r/c/owner", .empty).first?.delta.replacement?.isEmpty == true)
    }

    @Test("queries of one path and index share it, and the last one to go takes it along")
    func sharedIndex() throws {
        let node = wide(100)
        let first = try Query(index: .value, limit: .init(count: 2, anchor: .first))
        let last = try Query(index: .value, limit: .init(count: 2, anchor: .last))
        var group = QueryGroup(inlineCount: 10)
        #expect(group.add(first, node: node) == nil)
        #expect(group.add(last, node: node) == nil)
        #expect(group.unbuiltIndexes == [.value])
        let buildWork = group.startBuilding(.value, node: node)
        let build = try #require(buildWork)
        #expect(group.unbuiltIndexes.isEmpty)
        let updates = group.install(build.run(), node: node)
        #expect(updates.map(\.query) == [first, last])
        #expect(updates.map(\.delta.replacement) == [["k0": 0, "k1": 1], ["k98": 98, "k99": 99]])
        #expect(group.startBuilding(.value, node: node) == nil)
        group.remove(first)
        #expect(group.result(of: first, in: node) == ["k0": 0, "k1": 1])
        group.remove(last)
        #expect(group.isEmpty)
        #expect(group.result(of: first, in: node) == nil)
    }

    @Test("a pinned index stays without queries")
    func pinned() {
        let node = wide(20)
        var group = QueryGroup()
        group.pin(.value, node: node)
        #expect(!group.isEmpty)
        #expect(group.result(of: .complete(by: .value), in: node) == node)
        group.unpin(.value)
        #expect(group.isEmpty)
    }

    @Test("key queries, and priority queries without priorities, need no index")
    func naturalOrder() throws {
        let node = wide(100)
        var group = QueryGroup(inlineCount: 10)
        #expect(group.add(try Query(index: .key, limit: .init(count: 1, anchor: .first)), node: node) == ["k0": 0])
        #expect(group.add(try Query(limit: .init(count: 1, anchor: .last)), node: node) == ["k99": 99])
        #expect(group.unbuiltIndexes.isEmpty)
    }

    @Test("a build that was overtaken by a replacement or a removal is void")
    func voidBuilds() throws {
        var node = wide(100)
        let query = try Query(index: .value, limit: .init(count: 1, anchor: .last))
        var group = QueryGroup(inlineCount: 10)
        _ = group.add(query, node: node)
        let earlyWork = group.startBuilding(.value, node: node)
        let early = try #require(earlyWork)
        let old = node
        node = wide(200)
        #expect(group.replace(old: old, new: node).isEmpty)
        #expect(group.install(early.run(), node: node).isEmpty)
        #expect(group.unbuiltIndexes == [.value])
        let lateWork = group.startBuilding(.value, node: node)
        let late = try #require(lateWork)
        group.remove(query)
        #expect(group.install(late.run(), node: node).isEmpty)
        #expect(group.add(query, node: node) == nil)
        #expect(group.install(late.run(), node: node).isEmpty)
    }

    @Test("a complete query is answered and not kept")
    func completeQueries() {
        var group = QueryGroup()
        #expect(group.add(.complete(by: .value), node: 5) == 5)
        #expect(group.isEmpty)
    }

    @Test("a window's size does not depend on its limit, nor a commit's work")
    func hugeLimit() throws {
        var node = wide(5000)
        let query = try Query(index: .value, limit: .init(count: 4000, anchor: .last))
        var group = QueryGroup(inlineCount: .max)
        _ = group.add(query, node: node)
        let old = node
        let change = node.set(9000, at: "k0")
        let delta = group.follow([change], at: .root, old: old, new: node).first?.delta
        #expect(delta?.removed == ["k1000"])
        #expect(delta?.entered.map(\.key) == ["k0"])
        #expect(group.result(of: query, in: node)?.childCount == 4000)
    }
}
