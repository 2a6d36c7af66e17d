import Testing

@testable import Gateway

@Suite("UTF-8 validation")
struct UTF8ValidationTests {
    private func accepts(_ pieces: [[UInt8]]) -> Bool {
        var validation = UTF8Validation()
        for piece in pieces where !piece.withUnsafeBytes({ validation.accept($0) }) { return false }
        return validation.isComplete
    }

    @Test(
        "accepts text of all lengths of characters",
        arguments: [
            "", "plain", "grüße", "日本語テキスト", "👩‍👩‍👧‍👦",
            "\u{0}\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}\u{D7FF}\u{E000}",
        ])
    func valid(text: String) {
        #expect(accepts([Array(text.utf8)]))
    }

    @Test("accepts characters that are cut anywhere")
    func cut() {
        let bytes = Array("a€𝄞é\u{10FFFF}日".utf8)
        for position in 0...bytes.count {
            #expect(accepts([Array(bytes[..<position]), Array(bytes[position...])]))
        }
        #expect(accepts(bytes.map { [$0] }))
    }

    @Test(
        "refuses what is no UTF-8",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xE2, 0x82], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xF0, 0x9D, 0x84],
        ] as [[UInt8]])
    func invalid(bytes: [UInt8]) {
        #expect(!accepts([bytes]))
        #expect(!accepts([Array("some ASCII text before it".utf8) + bytes]))
        #expect(!accepts(bytes.map { [$0] }))
    }

    @Test("agrees with the standard library on random bytes")
    func random() {
        var generator = SplitMix(state: 3)
        let alphabet: [UInt8] = [
            0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4,
        ]
        for _ in 0..<20_000 {
            let bytes = (0..<Int(generator.next() % 12)).map { _ in
                alphabet[Int(generator.next() % UInt64(alphabet.count))]
            }
            #expect(accepts([bytes]) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
        }
    }
}
