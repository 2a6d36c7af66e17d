/// UTF-8 with every UTF-16 code unit by itself: a character beyond U+FFFF becomes its two surrogates, each of three
/// bytes (CESU-8, Unicode Technical Report 26). To RE2, which does not mind surrogates, a unit is then a character.
enum SurrogateText {
    /// Lends the text in that form. Text without such characters, which is nearly all there is, is lent as it is.
    static func withBytes<Result>(
        of utf8: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        guard let first = firstSupplementary(in: utf8) else { return body(utf8) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count * 3 / 2)
        bytes.append(contentsOf: utf8[..<first])
        var index = first
        while index < utf8.count {
            let byte = utf8[index]
            guard byte >= 0xF0, index + 3 < utf8.count else {
                bytes.append(byte)
                index += 1
                continue
            }
            let character =
                UInt32(byte & 0x07) << 18 | UInt32(utf8[index + 1] & 0x3F) << 12
                | UInt32(utf8[index + 2] & 0x3F) << 6 | UInt32(utf8[index + 3] & 0x3F)
            let pair = character &- 0x10000
            append(0xD800 | pair >> 10 & 0x3FF, to: &bytes)
            append(0xDC00 | pair & 0x3FF, to: &bytes)
            index += 4
        }
        return bytes.withUnsafeBytes(body)
    }

    private static func append(_ surrogate: UInt32, to bytes: inout [UInt8]) {
        bytes.append(0xED)
        bytes.append(UInt8(0x80 | surrogate >> 6 & 0x3F))
        bytes.append(UInt8(0x80 | surrogate & 0x3F))
    }

    /// Where the first byte of a character beyond U+FFFF stands; eight bytes are looked at in one go.
    private static func firstSupplementary(in bytes: UnsafeRawBufferPointer) -> Int? {
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // Of a byte from F0 up the four high bits are set, and only of such.
            guard word & word << 1 & word << 2 & word << 3 & 0x8080_8080_8080_8080 == 0 else { break }
            index += 8
        }
        return bytes[index...].firstIndex { $0 >= 0xF0 }
    }
}
