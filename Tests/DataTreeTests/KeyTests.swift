import DataTree
import Testing

@Suite("Key")
struct KeyTests {
    /// Keys in protocol order; each is less than all that follow.
    static let ordered = [
        "-2147483648", "-10", "-5", "-05", "0", "-0", "00", "-00", "000", "5", "05", "005",
        "00000000000000000000000005", "9",
        "10", "2147483647", "",
        "\u{1}", "-", "-2147483649", "-9999999999", "-A", "-N", "-NabcdefghijklmnopQ", "-NabcdefghijklmnopQr",
        "-NabcdefghijklmnopQrs", "-NabcdefghijklmnopQrst", "-NabcdefghijklmnopQrstu", "-NabcdefghijklmnopQs", "-a-",
        "01234567890123456", "1.5", "10000000000", "2147483648",
        "A", "Z", "_", "a", "a\u{0}", "aa", "abcdefgh", "abcdefghi", "abcdefghijklmno", "abcdefghijklmnop",
        "abcdefghijklmnop ",
        "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz0", "abcdefghijklmnor", "e\u{301}", "z", "\u{e9}",
        "\u{20ac}", "\u{d7ff}",
        "\u{10000}", "\u{1F600}", "\u{1F600}\u{1F600}\u{1F600}\u{1F600}\u{1F600}", "\u{10ffff}", "\u{e000}", "\u{ffe5}",
        "\u{ffe5}\u{ffe5}\u{ffe5}\u{ffe5}\u{ffe5}\u{ffe5}", "\u{ffff}",
    ]

    @Test("keys sort integers first, then by UTF-16 code unit, in a total order")
    func order() {
        for (index, left) in Self.ordered.enumerated() {
            for (otherIndex, right) in Self.ordered.enumerated() {
                #expect(
                    (Key(left) < Key(right)) == (index < otherIndex),
                    "\(left.debugDescription) \(right.debugDescription)")
                #expect((Key(left) == Key(right)) == (index == otherIndex))
            }
        }
    }

    @Test("a key gives back its exact text", arguments: ordered)
    func roundTrip(text: String) {
        let key = Key(text)
        var bytes: [UInt8] = []
        key.append(to: &bytes)
        #expect(bytes == Array(text.utf8))
        #expect(Array(key.description.utf8) == Array(text.utf8))
        #expect(key.utf8Count == text.utf8.count)
    }

    @Test("random keys sort as a plain comparison of their texts does")
    func randomOrder() {
        var random = SplitMix(seed: 7)
        let pieces = [
            "", "a", "-", "0", "5", "z", "_", "\u{e9}", "\u{ffe5}", "\u{1F600}", "-NabcdefghijklmN", "qrst", "\u{0}",
        ]
        func text() -> String {
            (0..<Int(random.next() % 9)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
        }
        for _ in 0..<20_000 {
            let left = text()
            let right = text()
            guard !Key(left).isIntegerLike || !Key(right).isIntegerLike else { continue }
            let expected =
                if Key(left).isIntegerLike != Key(right).isIntegerLike { Key(left).isIntegerLike } else {
                    left.utf16.lexicographicallyPrecedes(right.utf16)
                }
            #expect((Key(left) < Key(right)) == expected, "\(left.debugDescription) \(right.debugDescription)")
            #expect((Key(left) == Key(right)) == left.utf8.elementsEqual(right.utf8))
        }
    }

    @Test(
        "keys that read as 32-bit integers are told from those that do not",
        arguments: [
            ("0", true), ("-0", true), ("00", true), ("2147483647", true), ("-2147483648", true),
            ("0000000000000000000000001", true),
            ("2147483648", false), ("-2147483649", false), ("", false), ("-", false), ("+1", false), ("1.0", false),
            ("1e3", false),
            ("12345678901", false), (" 1", false), ("--1", false),
        ])
    func integerLike(text: String, isIntegerLike: Bool) {
        #expect(Key(text).isIntegerLike == isIntegerLike)
    }

    @Test("composed and decomposed spellings are two keys")
    func canonicalEquivalence() {
        #expect(Key("e\u{301}") != Key("\u{e9}"))
        #expect(Set([Key("e\u{301}"), Key("\u{e9}")]).count == 2)
    }
}

/// A small deterministic random generator.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
