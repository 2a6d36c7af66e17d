/// The name of a session, unique across hubs and restarts: the incarnation of the hub that opened it and 128 random
/// bits. It is a secret: whoever names it as `ls` ends that session.
///
/// Text form: `<incarnation>.<32 hexadecimal digits>`.
package struct SessionID: Hashable, Sendable, CustomStringConvertible {
    /// How many times this database had been started when the session opened.
    package let incarnation: UInt32
    let high: UInt64
    let low: UInt64

    package init(incarnation: UInt32, random: (UInt64, UInt64)) {
        self.incarnation = incarnation
        high = random.0
        low = random.1
    }

    /// Reads the text form; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 32, let incarnation = UInt32(parts[0]) else { return nil }
        let digits = parts[1].utf8
        let middle = digits.index(digits.startIndex, offsetBy: 16)
        guard let high = Self.number(digits[..<middle]), let low = Self.number(digits[middle...]) else { return nil }
        self.init(incarnation: incarnation, random: (high, low))
    }

    package var description: String {
        var text = Array("\(incarnation).".utf8)
        text.reserveCapacity(text.count + 32)
        for word in [high, low] {
            for shift in stride(from: 60, through: 0, by: -4) {
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 15
                text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func number(_ digits: Substring.UTF8View) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }
}
