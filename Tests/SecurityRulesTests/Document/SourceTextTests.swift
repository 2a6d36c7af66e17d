import SecurityRules
import Testing

@Suite("places in a rules file")
struct SourceTextTests {
    private func position(_ text: String, _ offset: Int) -> String {
        SourceText(Array(text.utf8)).position(of: offset).description
    }

    @Test("lines and columns begin at one, and a line feed begins the next line")
    func lines() {
        #expect(position("", 0) == "1:1")
        #expect(position("ab\ncd\n", 1) == "1:2")
        #expect(position("ab\ncd\n", 2) == "1:3")
        #expect(position("ab\ncd\n", 3) == "2:1")
        #expect(position("ab\ncd\n", 6) == "3:1")
    }

    @Test("columns count UTF-16 code units")
    func columns() {
        #expect(position("é😀x", 2) == "1:2")
        #expect(position("é😀x", 6) == "1:4")
    }

    @Test("an offset outside the text counts as its nearer end")
    func outside() {
        #expect(position("ab", 99) == "1:3")
        #expect(position("ab", -1) == "1:1")
    }

    @Test("a line is given without its end")
    func lineText() {
        let source = SourceText(Array("a\r\nb\n".utf8))
        #expect(source.line(1) == "a")
        #expect(source.line(2) == "b")
        #expect(source.line(3) == "")
        #expect(source.line(4) == nil)
        #expect(source.line(0) == nil)
    }
}
