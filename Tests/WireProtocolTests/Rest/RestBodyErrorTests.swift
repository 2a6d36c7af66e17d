import DataTree
import Testing
import WireProtocol

@Suite("Refusals of bodies")
struct RestBodyErrorTests {
    static let position = LineCounter.Position(line: 3, column: 9)

    func text(_ reason: JSONError.Reason, at position: LineCounter.Position? = Self.position) -> String {
        let error = RestError(body: JSONError(offset: 0, reason: reason), at: position)
        #expect(error.status == 400 && !error.isPlainText)
        return error.text
    }

    @Test("51, 52 and 19, what is no JSON, and a PATCH that is no object, have one text")
    func syntax() {
        let expected = "Invalid data; couldn't parse JSON object, array, or value."
        for reason in [
            JSONError.Reason.unexpectedEnd, .trailingBytes, .invalidUTF8, .expectedValue(found: 0x78),
            .unexpectedKind(expected: .object),
        ] { #expect(text(reason) == expected) }
    }

    @Test("53 to 55, a bad key is named by its place")
    func keys() {
        let rule = "Key value can't be empty or contain $ # [ ] / or ."
        #expect(text(.keyCharacter(0x2E)) == "Invalid data; couldn't parse key beginning at 3:9. \(rule)")
        #expect(text(.emptyKey) == "Invalid data; couldn't parse key beginning at 3:9. \(rule)")
        #expect(text(.emptyKey, at: nil) == "Invalid data; couldn't parse key. \(rule)")
        #expect(
            text(.keyTooLong(limit: 768))
                == "Invalid data; key beginning at 3:9 is longer than 768 bytes. Use a shorter one.")
    }

    @Test("48, 61 and 62, other data that cannot be stored is explained, with its place if it is known")
    func others() {
        #expect(
            text(.stringTooLong(limit: 10_485_760))
                == "Invalid data at 3:9. A string is longer than 10485760 bytes; store it in smaller pieces.")
        #expect(text(.nestedTooDeep(limit: 5), at: nil).hasPrefix("Invalid data. Objects and arrays are nested"))
        #expect(text(.unknownServerValue).hasPrefix("Invalid data at 3:9. An unknown server value; send "))
        #expect(
            RestError(.tooDeep("a", limit: 32)).text
                == "Invalid data. The write at \"/a\" reaches more than 32 keys deep; store the data flatter.")
    }

    func changes(_ body: String, at path: Path = "base") throws(RestError) -> [String] {
        var decoder = UpdateDecoder()
        var update = UpdateBody.null
        var depth = 0
        do throws(JSONError) {
            try Array(body.utf8).withUnsafeBufferPointer { bytes throws(JSONError) in
                try decoder.feed(UnsafeRawBufferPointer(bytes))
            }
            depth = decoder.depth
            update = try decoder.finish()
        } catch {
            throw RestError(body: error, at: nil)
        }
        guard case .changes(let changes) = update else { return [] }
        return try RestUpdate.changes(changes, at: path, depth: depth).map { "\($0.0)=\($0.1.json)" }
    }

    @Test("15 and 16, names of an update are paths; outer slashes mean nothing")
    func names() throws {
        #expect(
            try changes(#"{"p/q":1,"/r/":null,"s/.priority":2,".priority":null}"#)
                == ["p/q=1", "r=null", "s/.priority=2", ".priority=null"])
    }

    @Test("56, a bad name of an update is quoted")
    func badNames() {
        for name in ["a/b$", "", "/", "a.b", ".value", ".priority/a", "a/.priority/b"] {
            #expect(
                throws: RestError(
                    text: "Invalid data; couldn't parse key \"\(name)\". "
                        + "Key value can't be empty or contain $ # [ ] / or .")
            ) { try changes("{\"\(name)\":1}") }
        }
        #expect(throws: RestError.self) { try changes(#"{".info/x":1}"#, at: .root) }
        #expect(
            throws: RestError(
                text: "Invalid data. The value for \"/base/a/.priority\" is no priority; "
                    + "send null, a number or a string.")
        ) { try changes(#"{"a/.priority":true}"#) }
    }

    @Test("one place of an update may not be at or below another; levels count from the root")
    func combinations() {
        #expect(
            throws: RestError(
                text: "Invalid data. The update names \"/base/a\" and \"/base/a/b\" below it; name each place once.")
        ) { try changes(#"{"a/b":1,"a":2}"#) }
        let deep = String(repeating: "k/", count: 30) + "k"
        #expect(throws: Never.self) { try changes("{\"\(deep)\":1}") }
        #expect(
            throws: RestError(
                text: "Invalid data. The write at \"/base\" reaches more than 32 keys deep; store the data flatter.")
        ) { try changes("{\"\(deep)\":{\"k\":1}}") }
    }
}
