import DataTree
import Testing

/// The conformance checks on what a query selects.
@Suite("Query results")
struct QueryResultTests {
    private func keys(_ node: Node) -> [String] {
        var keys: [String] = []
        node.forEachChild { key, _ in
            keys.append("\(key)")
            return true
        }
        return keys
    }

    /// The selected keys in the order of the query, found by growing a limit one by one.
    private func ordered(_ node: Node, by index: Query.Index) throws -> [String] {
        var order: [String] = []
        for count in 1...max(1, node.childCount) {
            let limited = try Query(index: index, limit: .init(count: count, anchor: .first)).apply(to: node)
            order += keys(limited).filter { !order.contains($0) }
        }
        return order
    }

    private let mixed: Node = [
        "absent": ["other": 1], "one": ["n": 1], "two": ["n": 2], "letter": ["n": "a"], "yes": ["n": true],
    ]

    @Test("check 75: startAt a number on a child path takes larger numbers and strings, not null or booleans")
    func startAtNumber() throws {
        let query = try Query(index: .path("n"), start: QueryBound(value: .number(2), key: .least))
        #expect(keys(query.apply(to: mixed)) == ["letter", "two"])
    }

    @Test("check 76: startAt null takes all, endAt null only children without the value")
    func nullBounds() throws {
        let fromNull = try Query(index: .path("n"), start: QueryBound(value: .null, key: .least))
        #expect(fromNull.apply(to: mixed) == mixed)
        let toNull = try Query(index: .path("n"), end: QueryBound(value: .null, key: .greatest))
        #expect(keys(toNull.apply(to: mixed)) == ["absent"])
    }

    private let twos: Node = ["a": ["n": 2], "j": ["n": 2], "k": ["n": 2], "l": ["n": 2], "m": ["n": 3], "z": ["n": 1]]

    @Test("check 77: the two spellings of startAfter a value are one query and leave out all with that value")
    func startAfterValue() throws {
        let web = try Query(
            index: .path("n"), start: QueryBound(value: .number(2), key: .greatest, isInclusive: false))
        let mobile = try Query(index: .path("n"), start: QueryBound(value: .number(2), key: .greatest))
        #expect(keys(web.apply(to: twos)) == ["m"])
        #expect(mobile.apply(to: twos) == web.apply(to: twos))
        #expect(mobile == web)
    }

    @Test("check 78: startAfter a value and a key leaves out that key and keeps later keys of the same value")
    func startAfterKey() throws {
        let query = try Query(
            index: .path("n"), start: QueryBound(value: .number(2), key: .key("k"), isInclusive: false))
        #expect(keys(query.apply(to: twos)) == ["l", "m"])
    }

    @Test("check 79: a range of keys counts integer-like keys as numbers")
    func keyRange() throws {
        let node: Node = ["5": 1, "05": 1, "9": 1, "10": 1, "100": 1, "a": 1]
        let query = try Query(index: .key, start: QueryBound(key: "5"), end: QueryBound(key: "10"))
        #expect(keys(query.apply(to: node)) == ["5", "05", "9", "10"])
    }

    @Test("check 80: values are ordered false, true, numbers, strings, objects")
    func valueOrder() throws {
        let node: Node = [
            "g": ["x": 0], "f": "b", "e": "a", "d": 3, "c": -1, "b": true, "a": false,
        ]
        #expect(try ordered(node, by: .value) == ["a", "b", "c", "d", "e", "f", "g"])
    }

    @Test("check 81: priorities are ordered none, numbers, strings, and equal ones by key")
    func priorityOrder() throws {
        let node: Node = [
            "a": Node(0, priority: .string("a")), "b": Node(0, priority: .number(2)),
            "c": Node(0, priority: .number(1)), "d": 0, "e": Node(["x": 1], priority: .number(1)),
        ]
        #expect(try ordered(node, by: .priority) == ["d", "c", "e", "b", "a"])
    }

    @Test("check 82: a limit counts from the end it is anchored to")
    func limitAnchors() throws {
        let node: Node = ["a": 3, "b": 1, "c": 2]
        let first = try Query(index: .value, limit: .init(count: 2, anchor: .first))
        let last = try Query(index: .value, limit: .init(count: 2, anchor: .last))
        #expect(keys(first.apply(to: node)) == ["b", "c"])
        #expect(keys(last.apply(to: node)) == ["a", "c"])
    }

    @Test("check 83: the result holds the window alone, without the node's own priority")
    func ownPriority() throws {
        let node = Node(["a": Node(1, priority: .number(4)), "b": 2], priority: .number(9))
        let query = try Query(index: .key, limit: .init(count: 1, anchor: .first))
        let result = query.apply(to: node)
        #expect(result == ["a": Node(1, priority: .number(4))])
        #expect(result.priority == .none)
    }

    @Test("check 89: a filtering query of a leaf or of nothing is empty")
    func leaves() throws {
        let query = try Query(index: .key, limit: .init(count: 1, anchor: .first))
        #expect(query.apply(to: 5).isEmpty)
        #expect(query.apply(to: .empty).isEmpty)
    }

    @Test("check 91: the hash of a listen is that of the filtered node")
    func filteredHash() throws {
        let node = Node(["a": 1, "b": 2], priority: .number(9))
        let query = try Query(index: .key, limit: .init(count: 1, anchor: .first))
        #expect(query.apply(to: node).hash() == (["a": 1] as Node).hash())
        #expect(query.apply(to: node).hash() != node.hash())
    }

    @Test("a query that only names an index is the whole node, its priority and leaves included")
    func completeQueries() {
        let node = Node(["a": 1], priority: .number(9))
        #expect(Query.complete(by: .value).apply(to: node) == node)
        #expect(Query.default.apply(to: 5) == 5)
        #expect(!Query.complete(by: .value).filters)
        #expect(Query.default.isDefault && !Query.complete(by: .value).isDefault)
    }

    @Test("equalTo takes every key of a value, or one")
    func equalTo() throws {
        let all = try Query(
            index: .path("n"), start: QueryBound(value: .number(2), key: .least),
            end: QueryBound(value: .number(2), key: .greatest))
        #expect(keys(all.apply(to: twos)) == ["a", "j", "k", "l"])
        let one = try Query(
            index: .path("n"), start: QueryBound(value: .number(2), key: .key("k")),
            end: QueryBound(value: .number(2), key: .key("k")))
        #expect(keys(one.apply(to: twos)) == ["k"])
    }

    @Test("endBefore a value leaves out all with that value")
    func endBefore() throws {
        let query = try Query(
            index: .path("n"), end: QueryBound(value: .number(2), key: .least, isInclusive: false))
        #expect(keys(query.apply(to: twos)) == ["z"])
    }

    @Test("keys and values that look alike stay apart")
    func spellings() throws {
        let node: Node = ["e\u{301}": "e\u{301}", "\u{e9}": "\u{e9}"]
        let query = try Query(
            index: .value, start: QueryBound(value: .string("\u{e9}"), key: .least),
            end: QueryBound(value: .string("\u{e9}"), key: .greatest))
        #expect(query.apply(to: node) == ["\u{e9}": "\u{e9}"])
    }
}
