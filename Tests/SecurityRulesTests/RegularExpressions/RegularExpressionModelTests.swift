import DataTree
import TestSupport
import Testing

@testable import SecurityRules

@Suite("regular expressions, held against a model")
struct RegularExpressionModelTests {
    @Test("match exactly where a matcher matches that tries every place", arguments: 0..<4 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed)
        var found = 0
        var refused = 0
        let rounds = TestScale.pick(400, short: 60)
        for _ in 0..<rounds {
            let model = RegularExpressionModel.random(&random, depth: 4)
            let (atStart, atEnd) = (Bool.random(using: &random), Bool.random(using: &random))
            let pattern = (atStart ? "^" : "") + model.text + (atEnd ? "$" : "")
            let expression: RegularExpression
            do throws(RegularExpressionError) {
                expression = try RegularExpression(pattern: pattern, ignoresCase: false)
            } catch {
                // Repeats of repeats may grow too large, and deep ones too long; nothing else may be refused.
                #expect([.patternTooLarge, .patternTooLong].contains(error.reason), "\(pattern)")
                refused += 1
                continue
            }
            for _ in 0..<6 {
                let text = Self.text(&random)
                let units = Array(text.utf16)
                let starts = atStart ? [0] : Set(0...units.count)
                let ends = model.ends(in: units, from: starts)
                let expected = atEnd ? ends.contains(units.count) : !ends.isEmpty
                #expect(expression.matches(Text(text)) == expected, "/\(pattern)/ in \(text.debugDescription)")
                if expected { found += 1 }
            }
        }
        // Patterns and texts are such that both answers are frequent.
        #expect(found > rounds && found < 5 * rounds && refused < rounds / 10)
    }

    private static func text(_ random: inout SeededRandom) -> String {
        let pieces = ["a", "b", "c", "A", "é", ".", "n", "7", " ", "-", "_", "\n", "}", "]", "😀", "😁", "\u{FFFF}"]
        return (0..<Int.random(in: 0...9, using: &random)).map { _ in
            pieces[Int.random(in: 0..<pieces.count, using: &random)]
        }.joined()
    }
}
