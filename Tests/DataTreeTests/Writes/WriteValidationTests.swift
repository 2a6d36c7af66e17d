import DataTree
import Testing

@Suite("Write validation")
struct WriteValidationTests {
    let validation = WriteValidation(limits: WriteLimits(depth: 4, keyBytes: 6, stringBytes: 10))

    static let paths: [(path: String, error: WriteError?)] = [
        ("", nil), ("a/b/c/d", nil), ("a/b/c/d/e", .tooDeep("a/b/c/d/e", limit: 4)), ("a/.priority", nil),
        (".priority", nil), ("a/b/c/d/.priority", nil), ("a/.x/b", .keyCharacter(0x2E, "a/.x")),
        (".info/x", .reservedPath(".info/x")), ("a/.info", .keyCharacter(0x2E, "a/.info")),
        ("abcdef", nil), ("a/abcdefg", .keyTooLong(in: "a", limit: 6)), ("ééé", nil),
        ("éééé", .keyTooLong(in: "", limit: 6)),
        ("a#", .keyCharacter(0x23, "a#")), ("$x", .keyCharacter(0x24, "$x")), ("[", .keyCharacter(0x5B, "[")),
        ("]", .keyCharacter(0x5D, "]")), ("\u{1}", .keyCharacter(1, "\u{1}")),
        ("\u{7F}", .keyCharacter(0x7F, "\u{7F}")),
        ("\u{80}", nil),
    ]

    @Test("paths are checked key by key", arguments: paths)
    func path(path: String, error: WriteError?) {
        #expect(thrown { () throws(WriteError) in try validation.validate(path: Path(path)) } == error)
        #expect(thrown { () throws(WriteError) in try validation.validate(.empty, at: Path(path)) } == error)
    }

    @Test("values are checked for keys, strings and depth, the path counted")
    func values() throws {
        let one = Node(leaf: .integer(1))
        func check(_ node: Node, at path: Path) -> WriteError? {
            thrown { () throws(WriteError) in try validation.validate(node, at: path) }
        }
        let deep = Node(children: [("x", Node(children: [("y", one)]))])
        #expect(check(deep, at: "a/b") == nil)
        #expect(check(deep, at: "a/b/c") == .tooDeep("a/b/c/x", limit: 4))
        #expect(thrown { () throws(WriteError) in try validation.validate(depth: 2, at: "a/b") } == nil)
        #expect(
            thrown { () throws(WriteError) in try validation.validate(depth: 2, at: "a/b/c") }
                == .tooDeep("a/b/c", limit: 4))
        #expect(check(Node(children: [("a.b", one)]), at: "q") == .keyCharacter(0x2E, "q/a.b"))
        #expect(check(Node(children: [("", one)]), at: "q") == .emptyKey(in: "q"))
        #expect(check(Node(leaf: .string("0123456789")), at: "q") == nil)
        #expect(check(Node(leaf: .string("0123456789a")), at: "q") == .stringTooLong("q", limit: 10))
        #expect(
            check(Node(leaf: .integer(1), priority: .string("0123456789a")), at: "q") == .stringTooLong("q", limit: 10))
        #expect(check(one, at: "a/b/c/d/.priority") == nil)
        #expect(check(Node(leaf: .bool(true)), at: "a/.priority") == .notAPriority("a/.priority"))
    }

    @Test(
        "the paths of an update must not contain each other",
        arguments: [
            (["a", "b/c", "b/d"], nil), (["a", "a/b"], ("a", "a/b")), (["a/b", "/a/b/"], ("a/b", "a/b")),
            (["b/c/d", "a", "b"], ("b", "b/c/d")), (["a/b", "a-b", "a"], ("a", "a/b")),
            (["a", "a/.priority"], ("a", "a/.priority")),
            (["", "x"], ("", "x")),
        ] as [([Path], (Path, Path)?)])
    func overlaps(paths: [Path], overlap: (Path, Path)?) {
        let changes = paths.map { ($0, Node(leaf: .integer(1))) }
        let error = thrown { () throws(WriteError) in try validation.validate(changes: changes, at: "r") }
        #expect(error == overlap.map { .overlappingPaths(Path("r").appending($0.0), Path("r").appending($0.1)) })
    }

    @Test("the official limits hold by default")
    func defaults() {
        #expect(WriteLimits() == WriteLimits(depth: 32, keyBytes: 768, stringBytes: 10_485_760))
        let path = Path(keys: (0..<33).map { Key("k\($0)") })
        #expect(thrown { () throws(WriteError) in try WriteValidation().validate(path: path.prefix(32)) } == nil)
        #expect(
            thrown { () throws(WriteError) in try WriteValidation().validate(path: path) } == .tooDeep(path, limit: 32))
    }

    static let texts: [(WriteError, String)] = [
        (.emptyKey(in: "a"), "A key under \"/a\" is empty; give it at least one character"),
        (.keyCharacter(0x2E, "a.b"), "A key of \"/a.b\" has '.'; leave out . # $ [ ] / and control characters"),
        (.keyTooLong(in: "a", limit: 768), "A key under \"/a\" is longer than 768 bytes; use a shorter one"),
        (.tooDeep("a/b", limit: 32), "The write at \"/a/b\" reaches more than 32 keys deep; store the data flatter"),
        (.stringTooLong("a", limit: 10), "The string at \"/a\" is longer than 10 bytes; store it in smaller pieces"),
        (
            .notAPriority("a/.priority"),
            "The value for \"/a/.priority\" is no priority; send null, a number or a string"
        ),
        (.reservedPath(".info/x"), "\"/.info/x\" belongs to the client; write somewhere else"),
        (.overlappingPaths("a", "a/b"), "The update names \"/a\" and \"/a/b\" below it; name each place once"),
    ]

    @Test("errors say what, where and the remedy", arguments: texts)
    func errorText(error: WriteError, text: String) {
        #expect(error.description == text)
    }

    private func thrown(_ body: () throws(WriteError) -> Void) -> WriteError? {
        do throws(WriteError) {
            try body()
            return nil
        } catch {
            return error
        }
    }
}
