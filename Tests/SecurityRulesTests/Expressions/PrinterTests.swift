import TestSupport
import Testing

@testable import SecurityRules

@Suite("printing an expression")
struct PrinterTests {
    @Test("gives a text that reads as the same expression")
    func roundTrip() throws {
        for seed in 0..<UInt64(TestScale.pick(1500, short: 300)) {
            let expression = RandomExpression.make(seed: seed, depth: 1 + Int(seed % 5))
            let text = expression.printed
            let read = try Parser.parse(Array(text.utf8))
            #expect(read.hasShape(of: expression), "seed \(seed): \(text)")
            #expect(read.printed == text, "seed \(seed)")
        }
    }

    @Test("gives numbers as JavaScript does")
    func numbers() {
        let cases: [(Double, String)] = [
            (0, "0"), (-0.0, "0"), (5, "5"), (-7, "-7"), (1.5, "1.5"), (-0.25, "-0.25"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"), (1.5e300, "1.5e+300"), (123456789.125, "123456789.125"), (1e-6, "0.000001"),
            (1e-7, "1e-7"), (1.25e-9, "1.25e-9"), (.leastNonzeroMagnitude, "5e-324"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
            (140_697_207_346_512_832, "140697207346512830"), (0.1, "0.1"), (0.1 + 0.2, "0.30000000000000004"),
            (9007199254740992, "9007199254740992"),
            (18_446_744_073_709_551_616, "18446744073709552000"), (.nan, "NaN"), (.infinity, "Infinity"),
            (-.infinity, "-Infinity"),
        ]
        for (value, text) in cases { #expect(printedNumber(value) == text) }
    }
}
