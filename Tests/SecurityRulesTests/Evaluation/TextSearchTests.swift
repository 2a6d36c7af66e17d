import DataTree
import TestSupport
import Testing

@testable import SecurityRules

@Suite("searching text")
struct TextSearchTests {
    @Test("finds and replaces what a plain search would, for needles of all lengths")
    func model() {
        var random = SeededRandom(7)
        for _ in 0..<TestScale.pick(1500, short: 300) {
            func letters(_ count: ClosedRange<Int>) -> [UInt8] {
                (0..<Int.random(in: count, using: &random)).map { _ in UInt8.random(in: 97...98, using: &random) }
            }
            let text = letters(0...80)
            let needle = letters(1...24)
            let replacement = letters(0...3)
            var expected: [UInt8] = []
            var index = 0
            var isFound = false
            while index < text.count {
                if text[index...].starts(with: needle) {
                    isFound = true
                    expected += replacement
                    index += needle.count
                } else {
                    expected.append(text[index])
                    index += 1
                }
            }
            #expect(TextSearch.contains(Text(utf8: text), Text(utf8: needle)) == isFound)
            let replaced = TextSearch.replace(
                Text(utf8: text), Text(utf8: needle), with: Text(utf8: replacement), limit: 1000)
            #expect(replaced == Text(utf8: expected))
        }
    }

    @Test("takes time linear in the text for a needle that almost fits everywhere")
    func linear() {
        // By the plain way these would be 250 billion comparisons.
        let text = Text(utf8: Array(repeating: 97, count: 1_000_000))
        let needle = Text(utf8: Array(repeating: 97, count: 500_000) + [98])
        #expect(!TextSearch.contains(text, needle))
    }
}
