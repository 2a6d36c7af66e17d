import DataTree
import TestSupport
import Testing

@testable import Storage

@Suite struct PathCodeTests {
    private static let texts = [
        "", "0", "-0", "00", "-00", "000", "1", "01", "9", "10", "42", "007", "-1", "-01", "-9", "-10", "-42",
        "2147483647",
        "02147483647", "2147483648", "-2147483648", "-2147483649", "-", "a", "A", "ab", "abc", "a b", "users",
        "-Nabc_123",
        "é", "e\u{301}", "ｚ", "\u{FFFF}", "\u{E000}", "🙂", "𐀀", "\u{7F}", "\u{80}", "\u{0}", "\u{1}", "\u{2}", "\u{3}",
        "\u{3}\u{1}", "a\u{1}b", "a\u{0}", "a\u{2}", "\u{3}\u{F}", "\u{4}", " ", "!", "~",
        String(repeating: "0", count: 300) + "5",
        String(repeating: "x", count: 700),
    ]

    private func randomKey(_ random: inout SeededRandom) -> Key {
        if Bool.random(using: &random) { return Key(PathCodeTests.texts.randomElement(using: &random) ?? "") }
        let pieces = ["a", "0", "-", "7", "\u{1}", "\u{3}", "é", "🙂", "\u{FF5A}", "Z", "_"]
        return Key(
            (0..<Int.random(in: 0...6, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        )
    }

    @Test("a path comes back as it was", arguments: texts)
    func roundTrips(text: String) throws {
        for path in [[Key(text)], [Key("a"), Key(text)], [Key(text), Key(text), Key("b")]].map(Path.init(keys:)) {
            let bytes = PathCode.encode(path)
            #expect(try bytes.withUnsafeBytes { try PathCode.decode($0) } == path)
        }
    }

    @Test("bytes sort as paths do", arguments: 0..<8)
    func keepsOrder(seed: Int) {
        var random = SeededRandom(UInt64(seed))
        for _ in 0..<4000 {
            let left = Path(keys: (0..<Int.random(in: 0...3, using: &random)).map { _ in randomKey(&random) })
            var right = Path(keys: (0..<Int.random(in: 0...3, using: &random)).map { _ in randomKey(&random) })
            if Bool.random(using: &random) {
                right = left.prefix(Int.random(in: 0...3, using: &random)).appending(right)
            }
            let isBefore = PathCode.encode(left).lexicographicallyPrecedes(PathCode.encode(right))
            #expect(isBefore == (left < right), "\(left.keys) \(right.keys)")
            #expect((PathCode.encode(left) == PathCode.encode(right)) == (left == right))
        }
    }

    @Test("all that is below a path lies between it and the next separator value", arguments: 0..<4)
    func keepsSubtreesTogether(seed: Int) {
        var random = SeededRandom(UInt64(seed))
        for _ in 0..<2000 {
            let top = Path(keys: [randomKey(&random)])
            let other = Path(keys: (0..<Int.random(in: 1...3, using: &random)).map { _ in randomKey(&random) })
            let start = PathCode.encode(top)
            let end = start + [PathCode.separator + 1]
            let bytes = PathCode.encode(other)
            let isInside = !bytes.lexicographicallyPrecedes(start) && bytes.lexicographicallyPrecedes(end)
            #expect(isInside == other.hasPrefix(top), "\(top.keys) \(other.keys)")
        }
    }

    @Test("bytes that are no path throw")
    func refusesNonsense() {
        let cases: [[UInt8]] = [
            [1], [0x61, 1], [0x61, 1, 1, 0x62], [0x61, 0], [2], [2, 0x61], [2, 0x62, 0x31], [2, 0x6B, 0x31],
            [2, 0x61, 0x78],
            [2, 0x61, 0x31, 2], [2, 0x61, 0x31, 2, 0, 0, 0], [2, 0x61, 0x31, 0x61], [3], [3, 0x20], [0xC3, 0x28],
            [0xFF],
            [2, 0x6A] + Array("9999999999".utf8),
        ]
        for bytes in cases {
            _ = #expect(throws: PathCode.Malformed.self, "\(bytes)") {
                try bytes.withUnsafeBytes { _ = try PathCode.decode($0) }
            }
        }
        var random = SeededRandom(3)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...4, using: &random) : UInt8.random(in: 0...255, using: &random)
            }
            guard let path = try? bytes.withUnsafeBytes({ try PathCode.decode($0) }) else { continue }
            #expect(!path.keys.isEmpty || bytes.isEmpty)
        }
    }
}
