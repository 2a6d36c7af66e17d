/// A key in sixteen plain bytes, as pages of the tree hold it: no reference count, and two keys of one form compare as
/// two words.
///
/// The lowest byte of `low` names the form and, for texts, the length. Each text has exactly one form:
/// - integer-like: biased value, text length, whether it lacks a minus sign;
/// - push identifier: 16 to 20 characters of the 64-character push alphabet, six bits each. That alphabet is in ASCII
///   order, so the packed words compare as the text does;
/// - short: up to fifteen collated bytes;
/// - long: the first fifteen collated bytes; the whole text is kept beside the packed key.
struct PackedKey: Hashable, Sendable {
    var high: UInt64
    var low: UInt64

    enum Form { case short, long, integer, pushIdentifier }

    private static let longTag: UInt64 = 0x3F
    private static let integerTag: UInt64 = 0x40
    private static let pushTag: UInt64 = 0x80
    private static let familyMask: UInt64 = 0xC0

    @inline(__always)
    var form: Form {
        switch low & Self.familyMask {
        case Self.integerTag: .integer
        case Self.pushTag: .pushIdentifier
        default: low & 0xFF == Self.longTag ? .long : .short
        }
    }

    @inline(__always)
    var isLong: Bool { low & 0xFF == Self.longTag }

    /// Integer-like keys match `^-?(0*)[0-9]{1,10}$` and fit a signed 32-bit integer (`tryParseInt` in the JavaScript
    /// SDK's `util.ts`).
    init?(integerLike bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        guard count > 0, count < 0x100_0000 else { return nil }
        let isNegative = bytes[0] == UInt8(ascii: "-")
        var index = isNegative ? 1 : 0
        guard index < count, bytes[index] &- UInt8(ascii: "0") < 10 else { return nil }
        while index < count, bytes[index] == UInt8(ascii: "0") { index += 1 }
        guard count - index <= 10 else { return nil }
        var value: Int64 = 0
        while index < count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
            index += 1
        }
        if isNegative { value = -value }
        guard let value = Int32(exactly: value) else { return nil }
        let biased = UInt64(UInt32(bitPattern: value) ^ 0x8000_0000)
        high = biased << 32 | UInt64(count) << 8 | (isNegative ? 0 : 1)
        low = Self.integerTag
    }

    init?(pushIdentifier bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        guard count >= 16, count <= 20 else { return nil }
        var first: UInt64 = 0
        var second: UInt64 = 0
        for index in 0..<10 {
            let code = pushCode(bytes[index])
            guard code < 64 else { return nil }
            first = first << 6 | UInt64(code)
        }
        for index in 10..<count {
            let code = pushCode(bytes[index])
            guard code < 64 else { return nil }
            second = second << 6 | UInt64(code)
        }
        second <<= UInt64(6 * (20 - count))
        high = first << 4 | second >> 56
        low = second << 8 | Self.pushTag | UInt64(count)
    }

    init?(short bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        guard count <= 15 else { return nil }
        high = Self.word(bytes, from: 0, to: min(count, 8)) << UInt64(8 * max(0, 8 - count))
        low = UInt64(count)
        if count > 8 {
            low |= Self.word(bytes, from: 8, to: count) << UInt64(8 * (16 - count))
        }
    }

    /// The form for texts that fit nowhere else; `collated` has more than fifteen bytes.
    init(prefixOf collated: [UInt8]) {
        high = 0
        low = 0
        for index in 0..<8 { high = high << 8 | UInt64(collated[index]) }
        for index in 8..<15 { low = low << 8 | UInt64(collated[index]) }
        low = low << 8 | Self.longTag
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in start..<end { word = word << 8 | UInt64(collate(bytes[index])) }
        return word
    }

    /// The length of the text in UTF-8 bytes; for a long key, of the packed part.
    var utf8Count: Int {
        switch form {
        case .integer: Int(high >> 8 & 0xFF_FFFF)
        case .pushIdentifier: Int(low & 0x3F)
        case .short: Int(low & 0xFF)
        case .long: 15
        }
    }

    /// The text's byte at `index`, which must be less than `utf8Count`.
    func byte(at index: Int) -> UInt8 {
        switch form {
        case .pushIdentifier: return pushCharacter(code(at: index))
        case .short, .long: return restore(collatedByte(at: index))
        case .integer:
            let isNegative = high & 0xFF == 0
            if index == 0, isNegative { return UInt8(ascii: "-") }
            let value = Int64(Int32(bitPattern: UInt32(high >> 32) ^ 0x8000_0000)).magnitude
            let place = utf8Count - 1 - index
            guard place < 10 else { return UInt8(ascii: "0") }
            var digits = value
            for _ in 0..<place { digits /= 10 }
            return UInt8(ascii: "0") + UInt8(digits % 10)
        }
    }

    @inline(__always)
    private func collatedByte(at index: Int) -> UInt8 {
        let word = index < 8 ? high : low
        return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index & 7)))
    }

    @inline(__always)
    private func code(at index: Int) -> UInt8 {
        if index < 10 { return UInt8(truncatingIfNeeded: high >> UInt64(58 - 6 * index)) & 0x3F }
        let second = (high & 0xF) << 56 | low >> 8
        return UInt8(truncatingIfNeeded: second >> UInt64(54 - 6 * (index - 10))) & 0x3F
    }

    /// Whether this key sorts before another. `long` and `otherLong` are the whole collated texts of long keys.
    @inline(__always)
    func precedes(_ long: @autoclosure () -> [UInt8]?, _ other: PackedKey, _ otherLong: @autoclosure () -> [UInt8]?)
        -> Bool
    {
        precedes(other) ?? precedesSlowly(long(), other, otherLong())
    }

    /// Whether this key sorts before another; nil where the two words do not tell. Searching pages asks this first: a
    /// closure that reaches for a long key would copy the page's content for each comparison.
    @inline(__always)
    func precedes(_ other: PackedKey) -> Bool? {
        guard (low ^ other.low) & Self.familyMask == 0, !(isLong && self == other) else { return nil }
        return high != other.high ? high < other.high : low < other.low
    }

    /// Comparison across forms, and of long keys with a common prefix.
    @inline(never)
    func precedesSlowly(_ long: [UInt8]?, _ other: PackedKey, _ otherLong: [UInt8]?) -> Bool {
        if (form == .integer) != (other.form == .integer) { return form == .integer }
        let count = long?.count ?? utf8Count
        let otherCount = otherLong?.count ?? other.utf8Count
        for index in 0..<min(count, otherCount) {
            let byte = long?[index] ?? collate(self.byte(at: index))
            let otherByte = otherLong?[index] ?? collate(other.byte(at: index))
            if byte != otherByte { return byte < otherByte }
        }
        return count < otherCount
    }
}

/// The place of a character in the push alphabet, or 255 (`nextPushId` in the JavaScript SDK's `NextPushId.ts`).
@inline(__always)
func pushCode(_ character: UInt8) -> UInt8 {
    switch character {
    case 0x61...0x7A: character - 59
    case 0x41...0x5A: character - 54
    case 0x30...0x39: character - 47
    case 0x2D: 0
    case 0x5F: 37
    default: 255
    }
}

/// The inverse of `pushCode`, for codes below 64.
@inline(__always)
func pushCharacter(_ code: UInt8) -> UInt8 {
    switch code {
    case 0: 0x2D
    case 1...10: code + 47
    case 11...36: code + 54
    case 37: 0x5F
    default: code + 59
    }
}
