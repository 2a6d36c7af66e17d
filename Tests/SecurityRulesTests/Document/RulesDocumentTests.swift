import Testing

@testable import SecurityRules

/// What the shape of a file is told, as lines with positions.
private func problems(_ text: String, limits: RulesLimits = RulesLimits()) -> [String] {
    var problems: [RulesProblem] = []
    do throws(RulesRefusal) {
        _ = try RulesDocument(Array(text.utf8), limits: limits, problems: &problems)
    } catch {
        return error.problems.map(\.description)
    }
    return RulesRefusal(problems).problems.map(\.description)
}

private func tree(_ text: String) throws -> RuleTree {
    var problems: [RulesProblem] = []
    let document = try RulesDocument(Array(text.utf8), problems: &problems)
    #expect(problems.isEmpty)
    return document.tree
}

@Suite("a rules file")
struct RulesDocumentTests {
    @Test("may have comments, commas before closing brackets and raw line breaks in strings")
    func relaxed() throws {
        let tree = try tree(
            """
            \u{FEFF}// first
            { /* here */ "rules": { // and here
              ".read": "true &&
                /* inside, // all of it */ false",
              ".indexOn": ["a", "b/c",], // a comment behind the comma
              "x": {".write": true, },
            },
            } // last
            """)
        guard case .expression(let text)? = tree.rules.first?.value else { throw Unexpected() }
        #expect(text.string == "true &&\n    /* inside, // all of it */ false")
        #expect(tree.indexes == ["a", "b/c"])
        #expect(tree.children.map(\.name) == ["x"])
        guard case .literal(true)? = tree.children.first?.tree.rules.first?.value else { throw Unexpected() }
    }

    @Test(
        "is refused where it breaks the grammar",
        arguments: [
            ("", "1:1: Parse error."),
            ("  foo", "1:3: Parse error."),
            ("[]", "1:1: Parse error."),
            (#""text""#, "1:2: Expected 'rules' property."),
            ("{", "1:2: Expected '}'."),
            ("{}", "1:2: Expected 'rules' property."),
            (#"{"rule": {}}"#, "1:2: Expected 'rules' property."),
            (#"{"rules": {,}}"#, "1:12: Unexpected ','."),
            (#"{"rules": {"a": {},, "b": {}}}"#, "1:20: Expected '\"'."),
            (#"{"rules": {"a": {} "b": {}}}"#, "1:20: Expected ',' or '}'."),
            (#"{"rules": {"a" {}}}"#, "1:16: Expected ':'."),
            (#"{"rules": {".indexOn": ["a" "b"]}}"#, "1:29: Expected ',' or ']'."),
            (#"{"rules": {".read": "true}}"#, "1:28: Expected '\"'."),
            (#"{"rules": {".read": "\s"}}"#, #"1:22: Invalid escape: '\s'"#),
            (#"{"rules": {".read": "\u12"}}"#, #"1:22: Invalid escape: '\u'"#),
            ("{\"rules\": {\".read\": \"a\\\nb\"}}", "1:23: Invalid escape: '\\\n'"),
            (#"{"rules": {}} x"#, "1:15: Unexpected 'x'."),
            (#"{"rules": {"a": nil}}"#, "1:17: Unexpected 'n'."),
            ("{\"rules\": {} /* ", "1:14: Unterminated comment; end it with '*/'."),
            ("{\"rules\": {} / ", "1:14: Unexpected '/'."),
        ])
    func grammar(text: String, problem: String) { #expect(problems(text) == [problem]) }

    @Test(
        "is refused where something stands in the wrong place",
        arguments: [
            (
                #"{"rules": {".read": 1}}"#,
                "1:21: Invalid rule expression.  Expected 'true', 'false', or an expression string."
            ),
            (
                #"{"rules": {".validate": null}}"#,
                "1:25: Invalid rule expression.  Expected 'true', 'false', or an expression string."
            ),
            (
                #"{"rules": {".indexOn": ["a", 1]}}"#,
                "1:24: Invalid indexOn expression. Must be either a string or an array of strings"
            ),
            (#"{"rules": {"$a": {}, "$b": {}}}"#, "1:22: Cannot have multiple default rules ('$a' and '$b')."),
            (#"{"rules": {"a": "true"}}"#, "1:17: Expected '{'."),
            (#"{"rules": {".reed": "true"}}"#, "1:21: Expected '{'."),
            (#"{"rules": "true"}"#, "1:11: Expected '{'."),
            (#"{"rules": {".reed": {}}}"#, ##"1:12: String can't contain ".", "#", "$", "/", "[", or "]""##),
            (#"{"rules": {"a/b": {}}}"#, ##"1:12: String can't contain ".", "#", "$", "/", "[", or "]""##),
            (#"{"rules": {"$a$": {}}}"#, ##"1:12: String can't contain ".", "#", "$", "/", "[", or "]""##),
            (
                #"{"rules": {"$a": {"b": {"$a": {}}}}}"#,
                "1:25: '$a' stands for a key above already; use another name."
            ),
            (#"{"rules": {"a": {}, "a": {}}}"#, "1:21: 'a' is here twice; leave one out."),
            (
                #"{"rules": {}, "x": 1}"#,
                "1:15: Unexpected 'x' property; a rules file has 'rules' alone."
            ),
            (#"{"rules": {"": {}}}"#, "1:12: A key has between 1 and 768 bytes; use another one."),
        ])
    func shape(text: String, problem: String) { #expect(problems(text) == [problem]) }

    @Test("tells every problem of its shape, from the last to the first")
    func order() {
        let text = "{\"rules\": {\n\".read\": 1,\n\".write\": [], \"a\": 2}}"
        #expect(
            problems(text) == [
                "3:20: Expected '{'.",
                "3:11: Invalid rule expression.  Expected 'true', 'false', or an expression string.",
                "2:10: Invalid rule expression.  Expected 'true', 'false', or an expression string.",
            ])
    }

    @Test("has bounded size, depth and keys")
    func bounds() {
        var limits = RulesLimits()
        limits.textBytes = 12
        #expect(problems(#"{"rules": {}}"#, limits: limits).first?.contains("longer than 12 bytes") == true)
        limits = RulesLimits()
        limits.expressionBytes = 3
        #expect(problems(#"{"rules": {".read": "true"}}"#, limits: limits).first?.contains("3 bytes") == true)
        func nested(_ levels: Int) -> String {
            "{\"rules\": " + String(repeating: "{\"a\":", count: levels) + "{}" + String(repeating: "}", count: levels)
                + "}"
        }
        #expect(problems(nested(32)) == [])
        #expect(problems(nested(33)).first?.hasSuffix("levels, as data has; leave out what is below.") == true)
        #expect(problems(nested(20_000)).first?.contains("Nested too deep") == true)
        #expect(problems("{\"rules\": {\"\(String(repeating: "k", count: 768))\": {}}}") == [])
        #expect(problems("{\"rules\": {\"\(String(repeating: "k", count: 769))\": {}}}").count == 1)
    }

    @Test("must be UTF-8")
    func encoding() {
        var problems: [RulesProblem] = []
        let bytes = Array("{\"rules\": {\"é".utf8) + [0xFF] + Array("\": {}}}".utf8)
        let refusal = #expect(throws: RulesRefusal.self) { try RulesDocument(bytes, problems: &problems) }
        #expect(refusal?.description == "1:14: The text is not UTF-8; save it as UTF-8.\n")
    }

    @Test("knows where each byte of a decoded string came from")
    func offsets() throws {
        let text = #"{"rules": {".read": "a\n\u00e9b\ud83d\ude00c"}}"#
        let tree = try tree(text)
        guard case .expression(let string)? = tree.rules.first?.value else { throw Unexpected() }
        #expect(string.string == "a\néb😀c")
        let start = Array(text.utf8).firstIndex(of: UInt8(ascii: "a")).map { _ in 21 } ?? 0
        // a, \n, é (two bytes), b, 😀 (four bytes), c, end
        let expected = [0, 1, 3, 3, 9, 10, 10, 10, 10, 22, 23].map { $0 + start }
        #expect((0...10).map(string.fileOffset) == expected)
    }

    @Test("reads half a surrogate pair as U+FFFD")
    func surrogates() throws {
        let tree = try tree(#"{"rules": {".read": "\ud83d\u0041\ude00\ud83d"}}"#)
        guard case .expression(let string)? = tree.rules.first?.value else { throw Unexpected() }
        #expect(string.string == "\u{FFFD}A\u{FFFD}\u{FFFD}")
    }
}

private struct Unexpected: Error {}
