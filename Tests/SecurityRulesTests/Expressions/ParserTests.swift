import Testing

@testable import SecurityRules

/// The expression in one style, with parentheses only where they are needed; or the error as `offset: text`.
private func printed(_ text: String) -> String {
    do throws(ExpressionError) {
        return try Parser.parse(Array(text.utf8)).printed
    } catch {
        return "\(error.offset): \(error.text)"
    }
}

@Suite("the parser of expressions")
struct ParserTests {
    @Test(
        "knows how tightly each operator binds",
        arguments: [
            ("a || b && c", "a || b && c"),
            ("(a || b) && c", "(a || b) && c"),
            ("a || (b && c)", "a || b && c"),
            ("!(true || false && false)", "!(true || false && false)"),
            ("a == 1 < 2", "a == 1 < 2"),
            ("(a == 1) < 2", "(a == 1) < 2"),
            ("a - (b - c)", "a - (b - c)"),
            ("(a - b) - c", "a - b - c"),
            ("a % (b * c)", "a % (b * c)"),
            ("a + b * c", "a + b * c"),
            ("-(-a)", "-(-a)"),
            ("- -a", "-(-a)"),
            ("!!a", "!!a"),
            ("-a.b", "-a.b"),
            ("(-a).b", "(-a).b"),
            ("a ? b : c ? d : e || f", "a ? b : c ? d : e || f"),
            ("(a ? b : c) ? d : e", "(a ? b : c) ? d : e"),
            ("a && (b && c)", "a && (b && c)"),
            ("a === b !== c", "a == b != c"),
            ("a[b ? c : d](e, [f, 'g'])['h']", "a[b ? c : d](e, [f, 'g'])['h']"),
            ("(1).x", "(1).x"),
            ("a/b/c", "a / b / c"),
            ("a.matches(/[/]\\//i) / 2", "a.matches(/[/]\\//i) / 2"),
        ])
    func precedence(text: String, expected: String) { #expect(printed(text) == expected) }

    @Test(
        "reads numbers and strings as JavaScript writes them",
        arguments: [
            ("0x1F", "31"), (".5", "0.5"), ("5.", "5"), ("1e3", "1000"), ("1E-7", "1e-7"), ("1e21", "1e+21"),
            ("123456789012345680000", "123456789012345680000"), ("0.000001", "0.000001"), ("1.50", "1.5"),
            ("1e400", "1e999"), ("4.35", "4.35"), ("9007199254740993", "9007199254740992"), ("5e-324", "5e-324"),
            (#"'a\'b'"#, #"'a\'b'"#), (#""a'b""#, #"'a\'b'"#), (#"'\x41é\q\/'"#, "'Aéq/'"), (#"'\n\t'"#, #"'\n\t'"#),
            (#"'\0\v'"#, #"'\x00\x0b'"#), (#"'\ud83d\ude00\ud83d'"#, "'😀\u{FFFD}'"), (#"'\xZ\u12'"#, "'xZu12'"),
        ])
    func literals(text: String, expected: String) { #expect(printed(text) == expected) }

    @Test("skips white space and comments")
    func space() {
        #expect(printed("\u{FEFF}a\u{A0}// x\n&&\t/* && b\r\n */ c") == "a && c")
    }

    @Test(
        "refuses what the language leaves out, at its place",
        arguments: [
            ("a = b", "2: Rule expressions may not contain assignments."),
            ("a += b", "2: Rule expressions may not contain assignments."),
            ("(a = b)", "3: Rule expressions may not contain assignments."),
            ("a & b", "2: Rule expressions may not contain the & operator."),
            ("a >>> b", "2: Rule expressions may not contain the >>> operator."),
            ("a++", "1: Rule expressions may not contain the ++ operator."),
            ("~a", "0: Rule expressions may not contain the ~ operator."),
            ("+a", "0: Rule expressions may not contain the unary + operator."),
            ("a ** b", "2: Rule expressions may not contain the ** operator."),
            ("a => b", "2: Rule expressions may not contain functions."),
            ("{}", "0: Rule expressions may not contain object literals."),
            ("`a`", "0: Rule expressions may not contain template literals."),
            ("a; b", "1: Rule expressions may not contain ';'."),
            ("typeof a", "0: Rule expressions may not contain 'typeof'."),
            ("this.a", "0: Rule expressions may not contain 'this'."),
            ("'a' in b", "4: Rule expressions may not contain 'in'."),
            ("a ||| b", "4: syntax error"),
            ("a, b", "1: syntax error"),
            ("a ? b", "5: Unexpected end of expression"),
            ("a ? b, c", "5: Expected ':'."),
            ("", "0: Unexpected end of expression"),
            ("a ==", "4: Unexpected end of expression"),
            ("a(b", "3: Unexpected end of expression"),
            ("a b", "2: missing ; before statement"),
            ("a 'b'", "2: missing ; before statement"),
            ("3x", "1: missing ; before statement"),
            ("(a b)", "3: Expected ')'."),
            ("a[b", "3: Unexpected end of expression"),
            ("a[b)", "3: Expected ']'."),
            ("a)", "1: syntax error"),
            ("a.", "2: Unexpected end of expression"),
            ("a.'b'", "2: syntax error"),
            ("'abc", "0: unterminated string literal"),
            ("'a\nb'", "0: unterminated string literal"),
            ("/ab", "0: unterminated regular expression literal"),
            ("/a\nb/", "0: unterminated regular expression literal"),
            ("/[/]", "0: unterminated regular expression literal"),
            ("/a/g", "0: regular expressions do not support flags other than i"),
            ("/a/ii", "0: regular expressions do not support flags other than i"),
            ("a /* b", "2: unterminated comment"),
            ("a # b", "2: illegal character"),
        ])
    func refusals(text: String, expected: String) { #expect(printed(text) == expected) }

    @Test(
        "refuses to nest deeper than its limit, in whatever way",
        arguments: ["(", "!", "-(", "a[", "f(", "[", "a ? b : ", "a ? ", "a * (", "(!("])
    func nesting(opening: String) {
        let text = String(repeating: opening, count: 100_000)
        #expect(printed(text).contains("Nested deeper than 200 levels"))
    }

    @Test("refuses rows of operators that would make a tree higher than its limit", arguments: [" + a", ".b", "()"])
    func rows(suffix: String) {
        #expect(!printed("a" + String(repeating: suffix, count: 199)).contains("Nested"))
        #expect(printed("a" + String(repeating: suffix, count: 10_000)).contains("Nested deeper than 200 levels"))
    }

    @Test("takes any number of conditions in a row")
    func conditions() throws {
        let text = Array(repeating: "a", count: 10_000).joined(separator: " || ")
        #expect(printed(text) == text)
    }

    @Test("notes where each node stands, parentheses around the first operand included")
    func places() throws {
        let text = " ( a + b ) == c.d"
        let expression = try Parser.parse(Array(text.utf8))
        let bytes = Array(text.utf8)
        let texts = expression.nodes.map { String(decoding: bytes[$0.start..<$0.end], as: UTF8.self) }
        #expect(texts == ["a", "b", "a + b", "c", "c.d", "( a + b ) == c.d"])
    }
}
