import DataTree
import SecurityRules
import Testing

/// The operation of the only case of a file.
private func operation(_ json: String, data: String) throws -> RuleOperation {
    let file = "{\"data\": \(data), \"cases\": [{\(json), \"expect\": \"deny\"}]}"
    return try RuleOperation(try #require(try RuleCase.all(in: Array(file.utf8)).first), now: 7)
}

@Suite("the operation of a rule case")
struct RuleOperationTests {
    @Test("has its server values filled in from the data and the time")
    func serverValues() throws {
        let update = try operation(
            #"""
            "update": "/a", "values": {"t": {".sv": "timestamp"}, "n": {".sv": {"increment": 2}}}
            """#, data: #"{"a": {"n": 3, "x": 1}}"#)
        #expect(update.new == (try Node(json: #"{"a": {"n": 5, "t": 7, "x": 1}}"#)))
        guard case .write(let writes) = update.request else { throw Unexpected() }
        #expect(writes == [RuleWrite("a/t"), RuleWrite("a/n")])
        #expect(try operation(#""now": 9, "read": "/""#, data: "null").now == 9)
    }

    @Test("on a priority alone carries no value")
    func priority() throws {
        let set = try operation(
            #""set": "/a/.priority", "value": {".sv": {"increment": 2}}"#,
            data: #"{"a": {".value": "x", ".priority": 1}}"#)
        #expect(set.new.node(at: "a") == Node(leaf: .string("x"), priority: .number(3)))
        guard case .write(let writes) = set.request else { throw Unexpected() }
        #expect(writes == [RuleWrite("a", carried: .priority)])
    }

    @Test("that updates nothing asks at its base")
    func nothing() throws {
        let update = try operation(#""update": "/a", "values": {}"#, data: "null")
        guard case .write(let writes) = update.request else { throw Unexpected() }
        #expect(writes == [RuleWrite("a", carried: .nothing)] && update.new.isEmpty)
    }

    @Test("fails when an increment leaves the range of numbers")
    func overflow() {
        #expect(throws: IncrementOverflow.self) {
            try operation(#""set": "/n", "value": {".sv": {"increment": 1.7e308}}"#, data: #"{"n": 1.7e308}"#)
        }
    }
}

private struct Unexpected: Error {}
