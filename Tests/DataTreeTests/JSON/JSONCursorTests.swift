import DataTree
import Testing

@Suite("JSON cursor")
struct JSONCursorTests {
    /// Runs `body` with a cursor over `json`.
    func read<Result>(
        _ json: String, _ body: (inout JSONCursor) throws -> Result
    ) throws -> Result {
        try Array(json.utf8).withUnsafeBytes { bytes in
            var cursor = JSONCursor(bytes)
            return try body(&cursor)
        }
    }

    @Test("a message is read member by member")
    func message() throws {
        let json =
            #" {"t":"d", "d":{"r":7,"a":"p","b":{"p":"/a//b/","d":{"x":[1,null,"two"]},"h":"","u":[{}, {"k":true}]}},"n":null}"#
        try read(json) { cursor in
            #expect(cursor.peek() == .object)
            try cursor.enterObject()
            #expect(try cursor.nextName() == "t")
            #expect(try cursor.readString() == "d")
            #expect(try cursor.nextKey() == "d")
            try cursor.enterObject()
            #expect(try cursor.nextName() == "r")
            #expect(try cursor.readInteger() == 7)
            #expect(try cursor.nextName() == "a")
            #expect(try cursor.readString() == "p")
            #expect(try cursor.nextName() == "b")
            try cursor.enterObject()
            #expect(try cursor.nextName() == "p")
            #expect(try cursor.readPath() == Path("a/b"))
            #expect(try cursor.nextName() == "d")
            #expect(try cursor.readNode().json == #"{"x":{"0":1,"2":"two"}}"#)
            #expect(cursor.lastNodeDepth == 2)
            #expect(try cursor.nextName() == "h")
            #expect(try cursor.readString() == "")
            #expect(try cursor.nextName() == "u")
            try cursor.enterArray()
            #expect(try cursor.nextElement())
            try cursor.enterObject()
            #expect(try cursor.nextName() == nil)
            #expect(try cursor.nextElement())
            try cursor.enterObject()
            #expect(try cursor.nextName() == "k")
            #expect(try cursor.readBool())
            #expect(try cursor.nextName() == nil)
            #expect(try !cursor.nextElement())
            #expect(try cursor.nextName() == nil)
            #expect(try cursor.nextName() == nil)
            #expect(try cursor.nextName() == "n")
            try cursor.readNull()
            #expect(try cursor.nextName() == nil)
            try cursor.expectEnd()
            #expect(cursor.peek() == nil)
        }
    }

    @Test("names compare with literals; long and escaped ones by their text")
    func names() throws {
        try read(#"{"credentials":1,"\u0061":2,"authvars":3,"é":4}"#) { cursor in
            try cursor.enterObject()
            let long = try #require(try cursor.nextName())
            #expect(long != "credentials" && long != "authvars")
            #expect(try cursor.text(of: long) == "credentials")
            _ = try cursor.skipValue()
            let escaped = try #require(try cursor.nextName())
            #expect(escaped != "a")
            #expect(try cursor.text(of: escaped) == "a")
            _ = try cursor.skipValue()
            #expect(try cursor.nextName() == "authvars")
            _ = try cursor.skipValue()
            #expect(try cursor.nextKey() == "é")
        }
    }

    @Test("reading goes on behind a value that is well formed but no data")
    func rejectedValue() throws {
        try read(#"{"d":{"a.b":[1,{"x":"y"}]},"e":1}"#) { cursor in
            try cursor.enterObject()
            #expect(try cursor.nextName() == "d")
            #expect(throws: JSONError(offset: 6, reason: .keyCharacter(0x2E))) { try cursor.readNode() }
            #expect(try cursor.nextName() == "e")
            #expect(try cursor.readInteger() == 1)
            #expect(try cursor.nextName() == nil)
        }
        #expect(throws: JSONError(offset: 12, reason: .expectedCommaOrEnd(found: 0x32))) {
            try read(#"{"a.b":[1.5 2]}"#) { cursor in try cursor.readNode() }
        }
    }

    @Test("a skipped value is told by its range, at any depth")
    func skipping() throws {
        let deep = String(repeating: #"[{"a":"#, count: 5000) + "1" + String(repeating: "}]", count: 5000)
        for value in ["1", "-1.5e3", "true", "null", #""a\"\u00e9""#, "[]", "{}", #"[1, {"a" : [ ] }, ""]"#, deep] {
            try read("[ \(value) ,2]") { cursor in
                try cursor.enterArray()
                #expect(try cursor.nextElement())
                #expect(try cursor.skipValue() == 2..<2 + value.utf8.count)
                #expect(try cursor.nextElement())
                #expect(try cursor.readInteger() == 2)
                #expect(try !cursor.nextElement())
            }
        }
    }

    @Test("skipping finds the same syntax errors as reading", arguments: NodeJSONTests.refusals)
    func skippingErrors(json: String, offset: Int, reason: JSONError.Reason) {
        let error = JSONError(offset: offset, reason: reason)
        guard error.isSyntax, reason != .trailingBytes else { return }
        #expect(throws: error) { try read(json) { cursor in try cursor.skipValue() } }
    }

    @Test("a value of another kind is refused and can still be skipped")
    func wrongKind() throws {
        try read(#"["x",1.5]"#) { cursor in
            try cursor.enterArray()
            #expect(try cursor.nextElement())
            #expect(throws: JSONError(offset: 1, reason: .unexpectedKind(expected: .number))) {
                try cursor.readInteger()
            }
            _ = try cursor.skipValue()
            #expect(try cursor.nextElement())
            #expect(throws: JSONError(offset: 5, reason: .notAnInteger)) { try cursor.readInteger() }
        }
    }

    @Test(
        "calls that do not fit the text throw",
        arguments: ["", "{", "[", #"{"a""#, "1", "]", "}", ",", ":", #""\u"#, "t", "-"])
    func misuse(json: String) {
        let calls: [(inout JSONCursor) throws -> Void] = [
            { cursor in _ = try cursor.nextKey() }, { cursor in _ = try cursor.nextElement() },
            { cursor in try cursor.enterObject() }, { cursor in try cursor.enterArray() },
            { cursor in _ = try cursor.readString() }, { cursor in _ = try cursor.readBool() },
            { cursor in _ = try cursor.readNumber() }, { cursor in try cursor.readNull() },
            { cursor in _ = try cursor.readNode() }, { cursor in _ = try cursor.skipValue() },
            { cursor in try cursor.expectEnd() },
        ]
        for first in calls {
            for second in calls {
                try? read(json) { cursor in
                    do { try first(&cursor) } catch {}
                    try second(&cursor)
                }
            }
        }
    }
}
