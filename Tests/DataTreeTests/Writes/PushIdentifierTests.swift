import DataTree
import Testing

@Suite("Push identifiers")
struct PushIdentifierTests {
    /// A generator of numbers that always draws the same one.
    struct Constant: RandomNumberGenerator {
        var value: UInt64
        mutating func next() -> UInt64 { value }
    }

    @Test("eight characters of time come before twelve of randomness")
    func layout() {
        var generator = PushIdentifierGenerator()
        var random = Constant(value: 0)
        #expect(generator.next(milliseconds: 0, using: &random).description == "--------------------")
        let key = generator.next(milliseconds: 1_767_225_600_123, using: &random).description
        #expect(key == expected(1_767_225_600_123) + "------------")
        random = Constant(value: .max)
        #expect(generator.next(milliseconds: 1 << 48 - 1, using: &random).description.hasPrefix("zzzzzzzz"))
    }

    /// The time part, computed the slow way.
    private func expected(_ milliseconds: Int64) -> String {
        let alphabet = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
        var rest = milliseconds
        var text = ""
        for _ in 0..<8 {
            text = String(alphabet[Int(rest % 64)]) + text
            rest /= 64
        }
        return text
    }

    @Test("keys ascend, within a millisecond and when the clock goes back")
    func ascending() {
        var generator = PushIdentifierGenerator()
        var random = SystemRandomNumberGenerator()
        var last = generator.next(milliseconds: 5, using: &random)
        for step in 0..<10_000 {
            let key = generator.next(milliseconds: Int64(step / 100 - step % 7), using: &random)
            #expect(last < key && key.utf8Count == 20)
            last = key
        }
    }

    @Test("the random part carries over, at last into the time")
    func carry() {
        var generator = PushIdentifierGenerator()
        var random = Constant(value: .max)
        let first = generator.next(milliseconds: 1, using: &random)
        #expect(first.description == "-------0zzzzzzzzzzzz")
        #expect(generator.next(milliseconds: 1, using: &random).description == "-------1------------")
        #expect(generator.next(milliseconds: 1, using: &random).description == "-------1-----------0")
    }

    @Test("times before 1970 and beyond 48 bits are clamped", arguments: [Int64.min, -1, 1 << 48, .max])
    func clamped(milliseconds: Int64) {
        var generator = PushIdentifierGenerator()
        var random = SystemRandomNumberGenerator()
        let first = generator.next(milliseconds: milliseconds, using: &random)
        #expect(first < generator.next(milliseconds: milliseconds, using: &random))
    }
}
