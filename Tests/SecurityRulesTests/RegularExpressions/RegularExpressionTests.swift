import DataTree
import Testing

@testable import SecurityRules

/// Whether a pattern, written as between the slashes of a rule, is found in the text.
private func matches(_ pattern: String, _ text: String, i ignoresCase: Bool = false) throws -> Bool {
    try RegularExpression(pattern: pattern, ignoresCase: ignoresCase).matches(Text(text))
}

private func refusal(_ pattern: String) -> RegularExpressionError? {
    do throws(RegularExpressionError) {
        _ = try RegularExpression(pattern: pattern, ignoresCase: false)
        return nil
    } catch {
        return error
    }
}

@Suite("regular expressions of rules")
struct RegularExpressionTests {
    @Test(
        "match where their pattern is found in the text",
        arguments: [
            (#"ob"#, "bobby", true), ("ob", "bo", false), ("^ob", "bobby", false), ("by$", "bobby", true),
            ("^bobby$", "bobby", true), ("^bob$", "bobby", false), ("^a|b$", "ax", true), ("^a|b$", "xb", true),
            ("^a|b$", "xa", false), ("^(red|green)$", "green", true), ("^(red|green)$", "greenish", false),
            // Counts.
            ("^[a-z0-9_]{3,8}$", "ab", false), ("^[a-z0-9_]{3,8}$", "abcdefgh", true),
            ("^[a-z0-9_]{3,8}$", "abcdefghi", false), ("^a{2}$", "aa", true), ("^a{2}$", "aaa", false),
            ("^a{2,}$", "aaaa", true), ("^a{2,}$", "a", false), ("^a{0}b$", "b", true), ("^a{0,1000}$", "", true),
            ("^ab*$", "a", true), ("^ab+$", "a", false), ("^ab?$", "ab", true), ("^(ab)+$", "ababab", true),
            // A repeat sign behind another repeats what stands before both.
            ("^a+?$", "", true), ("^a{2}{3}$", "aaaaaa", true), ("^a{2}{3}$", "aaaa", false),
            // Classes.
            (#"^\d+\.\d\d$"#, "12.50", true), (#"^\d+\.\d\d$"#, "12x50", false), (#"^\w+$"#, "aZ_9", true),
            (#"^\w$"#, "é", false), (#"^\W$"#, "é", true), (#"^\d$"#, "٣", false), (#"^\D$"#, "٣", true),
            (#"^\s+$"#, " \t\r\n\u{0B}\u{0C}", true), (#"^\s$"#, "\u{A0}", false), (#"^\S$"#, "\u{A0}", true),
            (#"^[\s\S]$"#, "\n", true), (#"^[^\s\S]"#, "x", false),
            // Sets.
            ("^[^@]+@[^@]+$", "a@b@c", false), ("^[^@]+@[^@]+$", "a@b", true), ("^[/]x$", "/x", true),
            ("^[a-]+$", "a-", true), ("^[-a]+$", "-a", true), (#"^[\w-.]+$"#, "a-b.c", true),
            (#"^[.-\d]+$"#, "1-2.3", true), (#"^[!--]+$"#, "!#-", true), (#"^[\]\\^]+$"#, #"]\^"#, true),
            ("^[.$*(|]+$", ".$*(|", true), ("^[.]$", "a", false), ("^[[a]$", "[", true), ("^[a^]$", "^", true),
            ("^[[:alpha:]]$", "a]", true), ("^[à-ü]$", "é", true), ("^[à-ü]$", "z", false),
            // The dot, and what only looks special.
            ("^a.c$", "a\nc", true), ("^.$", "\u{2028}", true), ("^.$", "", false), ("^a}]$", "a}]", true),
            // Any character but six is itself behind a backslash.
            (#"^\n\t\b\u0041$"#, "ntbu0041", true), (#"^\$\^\(\)\[\{\|\.\*\+\?\\$"#, #"$^()[{|.*+?\"#, true),
            (#"^\/$"#, "/", true), (#"a\$"#, "a$", true), (#"a\$"#, "a", false),
            // What RE2 would read otherwise if it saw it.
            (#"^\Aa\z$"#, "Aaz", true), (#"^\Q.\E$"#, "QxE", true), (#"^\pL$"#, "pL", true), (#"^\p{2}$"#, "pp", true),
            (#"^\x41$"#, "x41", true), (#"^\C$"#, "C", true),
        ])
    func matching(pattern: String, text: String, expected: Bool) throws {
        #expect(try matches(pattern, text) == expected)
    }

    @Test(
        "with the i flag take a letter for its other forms",
        arguments: [
            ("^BOB", "bobby", true), ("^[A-C]+$", "abc", true), ("^[^a]$", "A", false), ("^[^a]$", "b", true),
            ("straße", "STRASSE", false), ("ß", "ẞ", true), ("ά", "Ά", true), ("σ", "ς", true), ("s", "ſ", true),
            ("k", "\u{212A}", true), ("i", "ı", false), ("i", "İ", false), ("ı", "I", false), ("ǅ", "ǆ", true),
            ("^[à-ü]+$", "ÉÀ", true), ("^[\u{100}-\u{FFFF}]+$", "ÿ", true), ("я", "Я", true),
            // Classes stay as they are.
            (#"^\w$"#, "ſ", false), (#"^\W$"#, "ſ", true), (#"^[^\W]$"#, "K", true), (#"^[\Wé]$"#, "k", false),
            (#"^[\wé]+$"#, "É_K", true),
        ])
    func ignoringCase(pattern: String, text: String, expected: Bool) throws {
        #expect(try matches(pattern, text, i: true) == expected)
    }

    @Test(
        "count characters beyond U+FFFF as two units, as length does",
        arguments: [
            ("^.$", "😀", false), ("^..$", "😀", true), ("^.{4}$", "a😀b", true), ("^[^a]$", "😀", false),
            ("^[^a]{2}$", "😀", true), (#"^\W\W$"#, "😀", true), ("😀", "a😀b", true), ("😀", "😁", false),
            ("^😀+$", "😀😀😀", true), ("^😀?$", "", true), (#"^\😀$"#, "😀", true), ("^[a😀]+$", "a😀a", true),
            ("^[😀]$", "😁", false), ("^[😀-🙏]+$", "😀😁🙏", true), ("^[😀-🙏]$", "🚀", false),
            ("^[\u{10000}-\u{10FFFF}]+$", "𐀀😀\u{10FFFF}", true), ("^[\u{10000}-\u{10FFFF}]$", "\u{FFFF}", false),
            ("^[\u{103FF}-\u{10401}]$", "\u{10400}", true), ("^[\u{103FF}-\u{10401}]$", "\u{10402}", false),
            ("^[\u{103FE}-\u{10BFF}]$", "\u{10BFF}", true), ("^[\u{103FE}-\u{10BFF}]$", "\u{103FD}", false),
            ("^[a-😀]+$", "é\u{FFFF}😀", true), ("^[a-😀]$", "Z", false), ("^.{17}$", "0123456789abcde😀", true),
            ("^[\u{100}-\u{FFFF}]+$", "😀", true),
        ])
    func supplementary(pattern: String, text: String, expected: Bool) throws {
        #expect(try matches(pattern, text) == expected)
    }

    @Test("take half of a surrogate pair for the unit that it is")
    func surrogates() throws {
        func matches(_ pattern: [UInt16], _ utf8: [UInt8]) throws -> Bool {
            let expression = try RegularExpression(units: pattern, ignoresCase: true)
            return utf8.withUnsafeBytes(expression.matches(utf8:))
        }
        let (lead, trail): (UInt16, UInt16) = (0xD83D, 0xDE00)
        let leadBytes: [UInt8] = [0xED, 0xA0, 0xBD]
        let trailBytes: [UInt8] = [0xED, 0xB8, 0x80]
        let any = Array("^.$".utf16)
        #expect(try matches(any, leadBytes) && matches(any, trailBytes))
        #expect(try matches([lead], leadBytes) && !matches([lead], trailBytes))
        #expect(try matches([lead, trail], leadBytes + trailBytes))
        #expect(try matches([lead, trail], Array("😀".utf8)))
        // The halves are found in a whole character too, as they are by contains.
        #expect(try matches([lead], Array("😀".utf8)) && matches([trail], Array("😀".utf8)))
        #expect(try !matches([trail], Array("😁".utf8)))
        // A pair the wrong way round is two halves.
        #expect(try matches([0x5E, trail, lead, 0x24], trailBytes + leadBytes))
        #expect(try !matches([trail, lead], leadBytes + trailBytes))
        // A range from one half to another, in a set: [\uD83D-\uDE00] with the halves apart.
        #expect(try matches([0x5B, lead, 0x2D, trail, 0x5D], trailBytes))
    }

    @Test("take text that is cut inside a character without harm")
    func truncated() throws {
        let expression = try RegularExpression(pattern: "a", ignoresCase: false)
        for count in 1...3 {
            let bytes = Array("aaaaaaa".utf8) + Array("😀".utf8).prefix(count)
            #expect(bytes.withUnsafeBytes(expression.matches(utf8:)))
        }
    }

    @Test("match empty text")
    func empty() throws {
        #expect(try matches("^a*$", ""))
        #expect(try !matches("a", ""))
        #expect(try RegularExpression(pattern: "a?", ignoresCase: false).matches(utf8: .init(start: nil, count: 0)))
    }

    @Test(
        "are refused outside their language, with a place and a remedy",
        arguments: [
            ("", 0, "it is empty; compare with '' instead"),
            ("^$", 0, "an alternative is empty; make what may be missing optional with '?'"),
            ("^(a|)$", 4, "an alternative is empty; make what may be missing optional with '?'"),
            ("a||b", 2, "an alternative is empty; make what may be missing optional with '?'"),
            ("a()", 2, "an alternative is empty; make what may be missing optional with '?'"),
            ("(^a|b)", 1, "'^' may only be its first character; escape it to mean the character"),
            ("a^", 1, "'^' may only be its first character; escape it to mean the character"),
            ("^^a", 1, "'^' may only be its first character; escape it to mean the character"),
            ("a$|b", 1, "'$' may only be its last character; escape it to mean the character"),
            ("(a$)", 2, "'$' may only be its last character; escape it to mean the character"),
            ("*a", 0, "'*' has nothing to repeat; escape it to mean the character"),
            ("^+a", 1, "'+' has nothing to repeat; escape it to mean the character"),
            ("a|?", 2, "'?' has nothing to repeat; escape it to mean the character"),
            ("({2})", 1, "'{' has nothing to repeat; escape it to mean the character"),
            ("a{", 1, "'{' begins no count; write {2}, {2,} or {2,5}, or escape it to mean the character"),
            ("a{,5}", 1, "'{' begins no count; write {2}, {2,} or {2,5}, or escape it to mean the character"),
            ("a{2", 1, "'{' begins no count; write {2}, {2,} or {2,5}, or escape it to mean the character"),
            ("a{2,x}", 1, "'{' begins no count; write {2}, {2,} or {2,5}, or escape it to mean the character"),
            ("a{1001}", 1, "it repeats more than 1000 times; repeat less"),
            ("a{1,99999999999999999999}", 1, "it repeats more than 1000 times; repeat less"),
            ("a{3,2}", 1, "the greater count stands first; write {least,most}"),
            ("(a", 0, "'(' is not closed; add ')' or escape it to mean the character"),
            ("a)", 1, "')' closes nothing; remove it or escape it to mean the character"),
            ("(?:a)", 0, "groups that begin with '(?' are not supported; use a plain group"),
            ("a(?=b)", 1, "groups that begin with '(?' are not supported; use a plain group"),
            ("[a", 0, "'[' is not closed; add ']' or escape it to mean the character"),
            ("[a-", 0, "'[' is not closed; add ']' or escape it to mean the character"),
            ("x[]", 1, "a set is empty; name at least one character in it"),
            ("[^]a]", 0, "a set is empty; name at least one character in it"),
            ("[az-a]", 2, "a range ends before it begins; turn it around"),
            ("[^😀]", 2, "a negated set holds a character beyond U+FFFF, which is two units long; name others"),
            ("a\\", 1, "'\\' is the last character and escapes nothing; remove it"),
            ("[\\", 1, "'\\' is the last character and escapes nothing; remove it"),
        ])
    func refusals(pattern: String, position: Int, text: String) {
        let refusal = refusal(pattern)
        #expect(refusal?.description == "unsupported regular expression: \(text)")
        #expect(refusal?.position == position)
    }

    @Test("are bounded in length and in depth")
    func bounds() {
        #expect(refusal(String(repeating: "a", count: 1_000)) == nil)
        #expect(refusal(String(repeating: "a", count: 1_001)) == RegularExpressionError(.patternTooLong, at: 1_000))
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
        }
        #expect(refusal(nested(100)) == nil)
        #expect(refusal(nested(101)) == RegularExpressionError(.nestedTooDeep, at: 100))
        #expect(refusal("a" + String(repeating: "*", count: 101)) == nil)
        #expect(
            refusal("a" + String(repeating: "*", count: 102)) == RegularExpressionError(.nestedTooDeep, at: 102))
    }

    @Test(
        "are refused when they take more memory than they may",
        arguments: [
            "(a{1000}){1000}", "a{1000}{1000}", "((a{100}){100}){100}", String(repeating: ".{1000}", count: 20),
        ])
    func memory(pattern: String) {
        #expect(refusal(pattern)?.reason == .patternTooLarge)
    }

    @Test("cost instructions, a number for each byte at most")
    func instructions() throws {
        let one = try RegularExpression(pattern: "^a{10}$", ignoresCase: false).instructions
        let ten = try RegularExpression(pattern: "^a{100}$", ignoresCase: false).instructions
        #expect(one >= 10 && ten >= 100 && ten < 200)
    }

    @Test(
        "that are hostile take time linear in the text", .timeLimit(.minutes(1)),
        arguments: [
            ("(a+)+$", "!"), ("^(a|a)*$", "!"), ("^((a*)*)*$", "!"), ("^(a*a*a*a*a*a*)*$", "!"), ("(a|aa)+$", "!"),
            ("^(([a-z])+.)+[A-Z]([a-z])+$", ""),
        ])
    func hostile(pattern: String, ending: String) throws {
        // A matcher that goes back would take more steps than there are atoms.
        #expect(try !matches(pattern, String(repeating: "a", count: 100_000) + ending))
    }

    @Test("match on several threads at once")
    func threads() async throws {
        let expression = try RegularExpression(pattern: "^[a-c]*d[a-c]{3}$", ignoresCase: true)
        let wrong = await withTaskGroup(of: Int.self) { group in
            for seed in 0..<8 {
                group.addTask {
                    var wrong = 0
                    for round in 0..<300 {
                        let head = String(repeating: "aBc", count: (seed * 31 + round) % 50)
                        if !expression.matches(Text(head + "Dabc")) { wrong += 1 }
                        if expression.matches(Text(head + "dab")) { wrong += 1 }
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
