import SecurityRules
import Testing

@testable import hearth

private func excerpt(
    _ text: String, _ line: Int, _ column: Int, length: Int = 1, width: Int = 120, note: String = ""
) -> [String]? {
    var style = TextStyle.plain
    style.width = width
    return SourceExcerpt(
        SourceText(Array(text.utf8)), at: SourcePosition(line: line, column: column), length: length)?
        .lines(style, indent: "", note: note)
}

@Suite("a line of a file with a sign under it")
struct SourceExcerptTests {
    @Test("shows the line without its indentation, and marks what is meant")
    func plain() {
        #expect(excerpt("{\n  \"a\": true,\r\n}", 2, 8, length: 4) == ["   2 | \"a\": true,", "     |      ^~~~"])
        #expect(excerpt("\t\tx y", 1, 5, note: "here") == ["   1 | x y", "     |   ^ here"])
    }

    @Test("marks to the end of the line what goes on behind it")
    func multiline() {
        #expect(excerpt("a &&\nb", 1, 1, length: 6) == ["   1 | a &&", "     | ^~~~"])
    }

    @Test("marks the place behind the last character")
    func end() {
        #expect(excerpt("ab", 1, 3) == ["   1 | ab", "     |   ^"])
        #expect(excerpt("", 1, 1) == ["   1 | ", "     | ^"])
        #expect(excerpt("  ", 1, 2) == ["   1 |  ", "     | ^"])
        #expect(excerpt("ab", 2, 1) == nil)
    }

    @Test("counts columns as a terminal does")
    func widths() {
        // Columns of the file count UTF-16 units: two for a picture, which a terminal also gives two columns.
        #expect(excerpt("名前😀é: x", 1, 8) == ["   1 | 名前😀é: x", "     |          ^"])
        #expect(excerpt("a\u{1B}[31mb\tc", 1, 8) == ["   1 | a\u{FFFD}[31mb c", "     |        ^"])
    }

    @Test("shows a stretch of a long line around what is meant")
    func long() {
        let line = String(repeating: "0123456789", count: 20)
        let inside = excerpt(line, 1, 101, length: 5, width: 47)
        #expect(
            inside == [
                "   1 | ...7890123456789012345678901234567890...", "     |                 ^~~~~",
            ])
        let front = excerpt(line, 1, 1, length: 200, width: 47, note: "long")
        #expect(
            front == [
                "   1 | 0123456789012345678901234567890123456...", "     | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ long",
            ])
        #expect(excerpt(line, 1, 200, width: 47)?.allSatisfy { $0.count <= 47 } == true)
        #expect(excerpt(line, 1, 200, width: 47)?.last?.hasSuffix("^") == true)
    }
}

@Suite("text of others, as it is shown")
struct ShownTextTests {
    @Test("has no effect on a terminal and fits on a line")
    func safe() {
        #expect(shown("a\u{1B}[2Jb\u{7F}\u{9B}") == "a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}")
        #expect(shown("a\n      && b\r\n\tc") == "a && b c")
        #expect(shown("\u{202E}abc\u{2066}") == "\u{FFFD}abc\u{FFFD}")
        #expect(shown("👩‍🚒 é 名前") == "👩‍🚒 é 名前")
        #expect(shown("a  b") == "a  b")
    }
}
