import DataTree
import Testing

@Suite("Server values")
struct ServerValueTests {
    static let increments: [(existing: String, delta: String, result: String)] = [
        ("5", "2", "7"), ("null", "2", "2"), (#""x""#, "2", "2"), (#"{"a":1}"#, "2", "2"), ("true", "2", "2"),
        ("1", "0.5", "1.5"), ("1.5", "-0.5", "1"), ("5", "-5", "0"), ("9007199254740991", "1", "9007199254740992"),
        ("-9007199254740991", "-1", "-9007199254740992"), ("9223372036854775807", "1", "9.223372036854776e+18"),
        ("1e308", "7e307", "1.7e+308"), (#"{".value":5,".priority":3}"#, "1", "6"),
    ]

    @Test("an increment adds to a number and replaces anything else", arguments: increments)
    func increment(existing: String, delta: String, result: String) throws {
        let write = try Node(json: "{\"n\":{\".sv\":{\"increment\":\(delta)}},\"m\":1}")
        let tree = try Node(json: "{\"n\":\(existing),\"other\":true}")
        let resolved = try write.resolved(ServerValueContext(timestamp: 1), existing: tree)
        #expect(resolved.json == "{\"m\":1,\"n\":\(result)}")
        #expect(!resolved.containsDeferred)
    }

    @Test("an increment beyond all numbers is refused with its place")
    func overflow() throws {
        let write = try Node(json: #"{"a":{"b":{".sv":{"increment":1.7e308}}}}"#)
        let tree = try Node(json: #"{"a":{"b":1.7e308}}"#)
        let error = #expect(throws: IncrementOverflow.self) {
            try write.resolved(ServerValueContext(timestamp: 1), existing: tree)
        }
        #expect(
            error?.description
                == "The increment at \"/a/b\" leaves the range of numbers; write a value below 1.8e308 there")
    }

    @Test("all timestamps of a request are equal, as values and as priorities")
    func timestamps() throws {
        let write = try Node(
            json: #"""
                {"a":{".sv":"timestamp"},"b":{".value":{".sv":"timestamp"},".priority":{".sv":"timestamp"}},
                 "c":{"d":1,".priority":{".sv":"timestamp"}},"e":{".value":2,".priority":{".sv":{"increment":2}}}}
                """#)
        let tree = try Node(json: #"{"e":{".value":1,".priority":3}}"#)
        let resolved = try write.resolved(ServerValueContext(timestamp: 1_767_225_600_123), existing: tree)
        #expect(
            resolved.json == #"{"a":1767225600123,"b":{".value":1767225600123,".priority":1767225600123},"#
                + #""c":{".priority":1767225600123,"d":1},"e":{".value":2,".priority":5}}"#)
    }

    @Test("a value without server values is returned as it is")
    func nothingToDo() throws {
        let node = try Node(json: #"{"a":1}"#)
        #expect(try node.resolved(ServerValueContext(timestamp: 1), existing: .empty).isIdentical(to: node))
    }

    @Test("a server value at the root of a write resolves too")
    func root() throws {
        let write = try Node(json: #"{".sv":"timestamp",".priority":"p"}"#)
        let resolved = try write.resolved(ServerValueContext(timestamp: 9), existing: .empty)
        #expect(resolved.json == #"{".value":9,".priority":"p"}"#)
    }

    @Test(
        "a write to .priority takes null, numbers, strings and server values",
        arguments: [
            ("null", Priority.none), ("1", .number(1)), ("1.5", .number(1.5)), (#""a""#, .string("a")),
            (#"{".sv":"timestamp"}"#, .deferred(.timestamp)), ("true", nil), (#"{"a":1}"#, nil),
            (#"{".value":1,".priority":2}"#, nil),
        ])
    func priority(json: String, priority: Priority?) throws {
        #expect(Priority(try Node(json: json)) == priority)
    }
}
