import DataTree
import Testing

@Suite("Bodies of updates in slices")
struct UpdateDecoderTests {
    /// Name and export form of each change, or the error.
    func decode(
        _ body: String, cut: Int = .max, limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> (changes: [String], depth: Int)? {
        var decoder = UpdateDecoder(limits: limits)
        var rest = Array(body.utf8)[...]
        while !rest.isEmpty {
            let slice = rest.prefix(cut)
            rest = rest.dropFirst(cut)
            try slice.withUnsafeBufferPointer { bytes throws(JSONError) in
                try decoder.feed(UnsafeRawBufferPointer(bytes))
            }
        }
        let depth = decoder.depth
        guard case .changes(let changes) = try decoder.finish() else { return nil }
        return (changes.map { "\($0.name)=\($0.node.json)" }, depth)
    }

    static let bodies: [(body: String, changes: [String], depth: Int)] = [
        ("{}", [], 0),
        (#"{"x":1,"a":null}"#, ["x=1", "a=null"], 1),
        (#"{"p/q":1,"r/s":{"t":[2]}}"#, ["p/q=1", #"r/s={"t":{"0":2}}"#], 4),
        (#"{"a":1,"b":2,"a":{"c":3}}"#, ["b=2", #"a={"c":3}"#], 2),
        (#"{"a/.priority":5,".priority":"p"}"#, ["a/.priority=5", #".priority="p""#], 1),
        (#"{"":1,".value":2,"$#[]/../":3,"a\u00e9":4}"#, ["=1", ".value=2", "$#[]/../=3", "aé=4"], 2),
        (
            #"{"n":{".sv":{"increment":2}},"t":{".sv":"timestamp"},"v":{".value":1,".priority":2}}"#,
            [#"n={".sv":{"increment":2}}"#, #"t={".sv":"timestamp"}"#, #"v={".value":1,".priority":2}"#], 1
        ),
        (#" { "a" : { "b" : { } } } "#, ["a=null"], 2),
        (
            #"{"a-name-too-long-to-be-packed/b":1,"a-name-too-long-to-be-packed/c":2}"#,
            ["a-name-too-long-to-be-packed/b=1", "a-name-too-long-to-be-packed/c=2"], 2
        ),
    ]

    @Test("14 to 17, names are paths, their nodes are kept apart, also empty ones", arguments: bodies)
    func changes(body: String, changes: [String], depth: Int) throws {
        for cut in [1, 2, 3, 5, .max] {
            let decoded = try decode(body, cut: cut)
            #expect(decoded?.changes == changes)
            #expect(decoded?.depth == depth)
        }
    }

    @Test("18, null as the whole body is told apart from no change", arguments: ["null", " null\n"])
    func null(body: String) throws {
        for cut in [1, 2, 3, .max] { #expect(try decode(body, cut: cut) == nil) }
    }

    static let refusals: [(body: String, offset: Int, reason: JSONError.Reason)] = [
        ("5", 0, .unexpectedKind(expected: .object)), (" [1]", 1, .unexpectedKind(expected: .object)),
        (#""a""#, 0, .unexpectedKind(expected: .object)), ("true", 0, .unexpectedKind(expected: .object)),
        ("", 0, .unexpectedEnd), ("  ", 2, .unexpectedEnd), ("nul", 3, .unexpectedEnd),
        ("x", 0, .expectedValue(found: 0x78)),
        (#"{"a":"#, 5, .unexpectedEnd), (#"{"a":1}x"#, 7, .trailingBytes), ("null 1", 5, .trailingBytes),
        (#"{"a":{"b.c":1}}"#, 6, .keyCharacter(0x2E)), (#"{"a":{"x/y":1}}"#, 6, .keyCharacter(0x2F)),
        (#"{"a":{"":1}}"#, 6, .emptyKey), (#"{"a":{".value":1,"b":2}}"#, 5, .valueBesideChildren),
        (#"{"a":{".sv":"nope"}}"#, 12, .unknownServerValue),
    ]

    @Test("19, other bodies are refused, and what is below a name is checked as in a write", arguments: refusals)
    func refused(body: String, offset: Int, reason: JSONError.Reason) {
        for cut in [1, 2, 3, .max] {
            #expect(throws: JSONError(offset: offset, reason: reason)) { try decode(body, cut: cut) }
        }
    }

    @Test("a name may be a path of long keys, but does not grow without end")
    func longNames() throws {
        let limits = JSONLimits(keyBytes: 20)
        let longest = 21 * 32
        let fits = String(repeating: "a", count: longest)
        #expect(try decode("{\"\(fits)\":1}", limits: limits)?.changes == ["\(fits)=1"])
        #expect(throws: JSONError(offset: 1, reason: .keyTooLong(limit: longest))) {
            try decode("{\"\(fits)a\":1}", cut: 7, limits: limits)
        }
        #expect(throws: JSONError(offset: 1, reason: .keyTooLong(limit: longest))) {
            try decode("{\"" + String(repeating: "a", count: 7 * longest), cut: 100, limits: limits)
        }
        #expect(throws: JSONError(offset: 6, reason: .keyTooLong(limit: 20))) {
            try decode("{\"a\":{\"" + String(repeating: "a", count: 21) + "\":1}}", cut: 3, limits: limits)
        }
    }

    @Test(
        "it agrees with the reader of whole texts, whatever the cut",
        arguments: bodies.map(\.body) + refusals.map(\.body))
    func agreement(body: String) {
        let bytes = Array(body.utf8)
        #expect(bytes.withUnsafeBytes { nodeDecodingDisagreement($0) } == nil)
    }
}
