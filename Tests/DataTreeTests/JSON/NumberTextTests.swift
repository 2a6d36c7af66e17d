import DataTree
import Testing

@Suite("Numbers as text")
struct NumberTextTests {
    /// The text that `value` is written as, and what that text reads as.
    func roundTrip(_ value: Double) throws -> (text: String, leaf: Leaf?) {
        var writer = JSONWriter()
        writer.double(value)
        return (String(decoding: writer.bytes, as: UTF8.self), try decode(writer.bytes).leaf)
    }

    @Test("300,000 random doubles survive writing and reading")
    func randomBits() throws {
        var random = SplitMix(seed: 7)
        var failures = 0
        for _ in 0..<300_000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            let leaf = try roundTrip(value).leaf
            if leaf?.number?.bitPattern != value.bitPattern { failures += 1 }
        }
        #expect(failures == 0)
    }

    @Test("doubles that people write survive, with few digits and many")
    func decimals() throws {
        var random = SplitMix(seed: 8)
        for digits in 1...17 {
            for _ in 0..<300 {
                var text = String((0..<digits).map { _ in "0123456789".randomElement(using: &random) ?? "0" })
                text = "1." + text + (Bool.random(using: &random) ? "e\(Int.random(in: -30...30, using: &random))" : "")
                guard let expected = Double(text) else { continue }
                #expect(try decode(Array(text.utf8)).leaf == .number(expected), "\(text)")
            }
        }
    }

    @Test("random integers of all sizes survive exactly")
    func integers() throws {
        var random = SplitMix(seed: 9)
        for _ in 0..<20_000 {
            let value = Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random)
            var writer = JSONWriter()
            writer.integer(value)
            #expect(String(decoding: writer.bytes, as: UTF8.self) == String(value))
            #expect(try decode(writer.bytes).leaf == .integer(value))
        }
    }

    static let texts: [(text: String, leaf: Leaf)] = [
        ("0e0", .integer(0)), ("-0.0e5", .integer(0)), ("1e22", .double(1e22)), ("1e23", .double(1e23)),
        ("9007199254740993.0", .integer(9_007_199_254_740_992)), ("0.000001e6", .integer(1)),
        ("123456789012345678e-18", .double(0.123456789012345678)), ("1e18", .integer(1_000_000_000_000_000_000)),
        ("9223372036854775808.0", .double(9.223372036854775808e18)), ("4.9e-324", .double(.leastNonzeroMagnitude)),
        ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)), ("2e-324", .integer(0)),
        ("1.00000000000000000000000000000000000000001", .integer(1)), ("10000000000000000000000e-22", .integer(1)),
        ("0." + String(repeating: "0", count: 400) + "1e401", .integer(1)), ("1e-999999999999999999999", .integer(0)),
    ]

    @Test("unusual spellings read as the nearest double", arguments: texts)
    func spellings(text: String, leaf: Leaf) throws {
        #expect(try decode(Array(text.utf8)).leaf == leaf)
    }
}
