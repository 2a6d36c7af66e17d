import DataTree
import Testing

/// How JSON in export form becomes a node, told by how the node is written back (children in key order).
@Suite("JSON to nodes and back")
struct NodeJSONTests {
    static let readings: [(json: String, written: String)] = [
        ("null", "null"), ("true", "true"), ("false", "false"), ("0", "0"), ("-0", "0"), ("-0.0", "0"), ("1", "1"),
        ("1.0", "1"), ("1.5", "1.5"), ("1e3", "1000"), ("1E+3", "1000"), ("100e-2", "1"), ("1e21", "1e+21"),
        ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
        ("9223372036854775808", "9.223372036854776e+18"), ("9007199254740993", "9007199254740993"),
        ("123456789012345678901234567890", "1.2345678901234568e+29"), ("0.1", "0.1"), ("1e-400", "0"),
        (#""""#, #""""#), (#""hey""#, #""hey""#), (#""a\"b\\c\/d\b\f\n\r\t""#, #""a\"b\\c/d\b\f\n\r\t""#),
        (#""\u0000\u001f\u007f\u00e9""#, "\"\\u0000\\u001f\u{7F}é\""), (#""\ud83d\ude00""#, "\"😀\""),
        (#""\ud800""#, "\"\u{FFFD}\""), (#""\ude00x""#, "\"\u{FFFD}x\""), (#""\ud83d\ud83d\ude00""#, "\"\u{FFFD}😀\""),
        (#""\ud83d\n""#, "\"\u{FFFD}\\n\""),
        ("{}", "null"), ("[]", "null"), (#"{"a":null,"b":{"c":null},"d":[]}"#, "null"),
        (#"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#), (#" { "a" : [ 1 , 2 ] } "#, #"{"a":{"0":1,"1":2}}"#),
        ("[1,null,3]", #"{"0":1,"2":3}"#), ("[[true],[],[[false]]]", #"{"0":{"0":true},"2":{"0":{"0":false}}}"#),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#), (#"{"a":1,"b":1,"a":null}"#, #"{"b":1}"#), (#"{"a":1,"a":null}"#, "null"),
        (#"{"10":1,"9":2,"a":3,"-1":4}"#, #"{"-1":4,"9":2,"10":1,"a":3}"#),
        (#"{"a\"b\\c":1}"#, #"{"a\"b\\c":1}"#), (#"{"\u0061":1}"#, #"{"a":1}"#),
        ("{\"e\u{301}\":1,\"\u{e9}\":2}", "{\"e\u{301}\":1,\"\u{e9}\":2}"),
        (#"{".value":5}"#, "5"), (#"{".value":null}"#, "null"), (#"{".value":null,".priority":1}"#, "null"),
        (#"{".value":5,".priority":1}"#, #"{".value":5,".priority":1}"#),
        (#"{".priority":1.5,".value":"x"}"#, #"{".value":"x",".priority":1.5}"#),
        (#"{".value":5,".priority":null}"#, "5"), (#"{".value":1,".value":2}"#, "2"),
        (#"{"a":1,".priority":"p"}"#, #"{".priority":"p","a":1}"#), (#"{".priority":7}"#, "null"),
        (#"{"a":null,".priority":7}"#, "null"), (#"{"a":1,".priority":2,".priority":null}"#, #"{"a":1}"#),
        (#"{"a":{".value":1,".priority":2},"b":3}"#, #"{"a":{".value":1,".priority":2},"b":3}"#),
        (#"{".sv":"timestamp"}"#, #"{".sv":"timestamp"}"#),
        (#"{"t":{".sv":{"increment":-1.5}}}"#, #"{"t":{".sv":{"increment":-1.5}}}"#),
        (#"{".sv":{"increment":2},".priority":3}"#, #"{".value":{".sv":{"increment":2}},".priority":3}"#),
        (
            #"{".value":{".sv":"timestamp"},".priority":{".sv":"timestamp"}}"#,
            #"{".value":{".sv":"timestamp"},".priority":{".sv":"timestamp"}}"#
        ),
    ]

    @Test("a value reads as the SDKs read it and is written in one canonical form", arguments: readings)
    func reading(json: String, written: String) throws {
        #expect(Array(try Node(json: json).json.utf8) == Array(written.utf8))
        #expect(Array(try Node(json: written).json.utf8) == Array(written.utf8))
        // Inside a container the same holds.
        let inside = try Node(json: "{\"x\":\(json)}").json
        #expect(Array(inside.utf8) == Array((written == "null" ? written : "{\"x\":\(written)}").utf8))
    }

    static let refusals: [(json: String, offset: Int, reason: JSONError.Reason)] = [
        ("", 0, .unexpectedEnd), ("   ", 3, .unexpectedEnd), ("{", 1, .unexpectedEnd), (#"{"a""#, 4, .unexpectedEnd),
        (#"{"a":"#, 5, .unexpectedEnd), (#"{"a":1"#, 6, .unexpectedEnd), (#"{"a":1,"#, 7, .unexpectedEnd),
        ("[1,", 3, .unexpectedEnd), (#""abc"#, 4, .unexpectedEnd), (#""abc\"#, 5, .unexpectedEnd),
        ("tru", 3, .unexpectedEnd),
        ("trux", 3, .invalidLiteral), ("nil", 1, .invalidLiteral), ("True", 0, .expectedValue(found: 0x54)),
        ("{a:1}", 1, .expectedKey(found: 0x61)), (#"{"a":1,}"#, 7, .expectedKey(found: 0x7D)),
        ("[1,]", 3, .expectedValue(found: 0x5D)), ("[,1]", 1, .expectedValue(found: 0x2C)),
        (#"{"a" 1}"#, 5, .expectedColon(found: 0x31)), (#"{"a":1 "b":2}"#, 7, .expectedCommaOrEnd(found: 0x22)),
        (#"{"a":1]"#, 6, .expectedCommaOrEnd(found: 0x5D)), ("[1}", 2, .expectedCommaOrEnd(found: 0x7D)),
        ("[01]", 2, .expectedCommaOrEnd(found: 0x31)), ("1 2", 2, .trailingBytes), ("{}}", 2, .trailingBytes),
        ("01", 1, .trailingBytes), ("-", 1, .invalidNumber), ("-a", 1, .invalidNumber), ("1.", 2, .invalidNumber),
        ("1.e3", 2, .invalidNumber), ("1e", 2, .invalidNumber), ("1e+", 3, .invalidNumber),
        ("+1", 0, .expectedValue(found: 0x2B)),
        (".5", 0, .expectedValue(found: 0x2E)), ("1e400", 0, .numberOutOfRange), ("[-1e400]", 1, .numberOutOfRange),
        ("NaN", 0, .expectedValue(found: 0x4E)), ("\"a\u{1}\"", 2, .controlCharacter(1)),
        ("\"a\\\n\"", 3, .controlCharacter(10)),
        (#""\x""#, 1, .invalidEscape), (#""ab\u12g4""#, 3, .invalidEscape), (#""\u12""#, 1, .invalidEscape),
        (#"{"":1}"#, 1, .emptyKey), (#"{"a.b":1}"#, 1, .keyCharacter(0x2E)), (#"{".x":1}"#, 1, .keyCharacter(0x2E)),
        (#"{"a":{"$":1}}"#, 6, .keyCharacter(0x24)), (#"{"a#":1}"#, 1, .keyCharacter(0x23)),
        (#"{"a[":1}"#, 1, .keyCharacter(0x5B)), (#"{"a]":1}"#, 1, .keyCharacter(0x5D)),
        (#"{"a/b":1}"#, 1, .keyCharacter(0x2F)),
        (#"{"\u0001":1}"#, 1, .keyCharacter(1)), ("{\"\u{7F}\":1}", 1, .keyCharacter(0x7F)),
        (#"{".value":1,"a":2}"#, 0, .valueBesideChildren), (#"{"a":null,".value":1}"#, 0, .valueBesideChildren),
        (#"{".value":[1]}"#, 10, .valueNotScalar), (#"{".value":{"a":1}}"#, 10, .valueNotScalar),
        (#"{".value":{".value":1}}"#, 10, .valueNotScalar), (#"{"a":1,".priority":true}"#, 19, .invalidPriority),
        (#"{"a":1,".priority":{"b":1}}"#, 19, .invalidPriority), (#"{"a":1,".priority":[]}"#, 19, .invalidPriority),
        (#"{".sv":"now"}"#, 7, .unknownServerValue), (#"{".sv":1}"#, 7, .unknownServerValue),
        (#"{".sv":null}"#, 7, .unknownServerValue), (#"{".sv":[]}"#, 7, .unknownServerValue),
        (#"{".sv":{}}"#, 7, .unknownServerValue), (#"{".sv":{"decrement":1}}"#, 8, .unknownServerValue),
        (#"{".sv":{"increment":"1"}}"#, 20, .unknownServerValue),
        (#"{".sv":{"increment":{}}}"#, 20, .unknownServerValue),
        (#"{".sv":"timestamp","a":1}"#, 0, .serverValueBesideChildren),
        (#"{".sv":"timestamp",".value":1}"#, 0, .serverValueBesideChildren),
    ]

    @Test("what is no JSON or no data is refused with the place and the reason", arguments: refusals)
    func refusal(json: String, offset: Int, reason: JSONError.Reason) {
        #expect(throws: JSONError(offset: offset, reason: reason)) { try Node(json: json) }
    }

    static let badUTF8: [[UInt8]] = [
        [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82],
        [0xF0, 0x8F, 0x80, 0x80],
        [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x28, 0xA1], [0xF0, 0x9F, 0x98, 0x22],
    ]

    @Test("text that is not UTF-8 is refused, in strings and keys", arguments: badUTF8)
    func invalidUTF8(bytes: [UInt8]) {
        let prefix = Array(#"{"k":"long enough for a word "#.utf8)
        let error = JSONError(offset: prefix.count, reason: .invalidUTF8)
        #expect(throws: error) { try decode(prefix + bytes + Array(#" and more of it"}"#.utf8)) }
        #expect(throws: JSONError(offset: 2, reason: .invalidUTF8)) {
            try decode(Array(#"{""#.utf8) + bytes + Array(#" ":1}"#.utf8))
        }
    }

    @Test("nesting, keys and strings have limits that are counted, not crashed into")
    func limits() throws {
        let limits = JSONLimits(depth: 10, stringBytes: 20, keyBytes: 5)
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
        }
        #expect(try Node(json: nested(10), limits: limits).leafCount == 1)
        #expect(throws: JSONError(offset: 10, reason: .nestedTooDeep(limit: 10))) {
            try Node(json: nested(11), limits: limits)
        }
        #expect(throws: JSONError(offset: 1000, reason: .nestedTooDeep(limit: 1000))) {
            try Node(json: nested(1_000_000))
        }
        #expect(throws: JSONError(offset: 0, reason: .stringTooLong(limit: 20))) {
            try Node(json: "\"" + String(repeating: "x", count: 21) + "\"", limits: limits)
        }
        #expect(
            try Node(json: "\"" + String(repeating: #"\u0041"#, count: 20) + "\"", limits: limits)
                == Node(json: "\"AAAAAAAAAAAAAAAAAAAA\""))
        #expect(throws: JSONError(offset: 1, reason: .keyTooLong(limit: 5))) {
            try Node(json: #"{"abcdef":1}"#, limits: limits)
        }
        #expect(try Node(json: #"{"abcde":1}"#, limits: limits).childCount == 1)
        #expect(throws: JSONError(offset: 0, reason: .numberTooLong)) {
            try Node(json: String(repeating: "1", count: 2000))
        }
        let unlimited = JSONLimits(depth: .max, stringBytes: .max, keyBytes: .max)
        let long = String(repeating: "x", count: 5000)
        #expect(try Node(json: #"{"\#(long)":"\#(long)"}"#, limits: unlimited).leafCount == 1)
    }

    @Test("data from a hub is read as the official clients read it")
    func received() throws {
        func read(_ json: String) throws -> String { try Node(json: json, limits: JSONLimits(form: .received)).json }
        #expect(try read(#"{".value":1,"a":2}"#) == "1")
        #expect(try read(#"{"a":1,".else":{"x":[1,{"y":"z"}],"":true},".more":5}"#) == #"{"a":1}"#)
        #expect(try read(#"{"a.b$":1}"#) == #"{"a.b$":1}"#)
    }

    @Test("error texts say what, where and the remedy")
    func errorTexts() {
        let error = #expect(throws: JSONError.self) { try Node(json: #"{"a.b":1}"#) }
        #expect(error?.description == "A key contains '.'; leave out . # $ [ ] / and control characters (at byte 1)")
        let syntax = #expect(throws: JSONError.self) { try Node(json: "[1 2]") }
        #expect(
            syntax?.description
                == "A comma or a closing bracket was expected, not '2'; add what is missing (at byte 3)")
        #expect(error?.isSyntax == false && syntax?.isSyntax == true)
    }
}

func decode(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) -> Node {
    try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
        var cursor = JSONCursor(UnsafeRawBufferPointer(buffer), limits: limits)
        let node = try cursor.readNode()
        try cursor.expectEnd()
        return node
    }
}
