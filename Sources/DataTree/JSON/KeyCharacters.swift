/// Which characters no key may contain: `. # $ [ ] /` and the control characters U+0000 to U+001F and U+007F
/// (`INVALID_KEY_REGEX_` in `validation.ts` of the JavaScript SDK).
enum KeyCharacters {
    private static let low: UInt64 =
        0xFFFF_FFFF | bit(0x23) | bit(0x24) | bit(0x2E) | bit(0x2F)
    private static let high: UInt64 = bit(0x5B) | bit(0x5D) | bit(0x7F)

    @inline(__always)
    private static func bit(_ byte: UInt8) -> UInt64 { 1 &<< UInt64(byte & 63) }

    /// The first forbidden byte of a key in UTF-8, or nil.
    @inline(__always)
    static func firstForbidden(in bytes: UnsafeRawBufferPointer) -> UInt8? {
        for byte in bytes where byte < 0x80 {
            let mask = byte < 64 ? low : high
            if mask &>> UInt64(byte & 63) & 1 != 0 { return byte }
        }
        return nil
    }

    /// How error texts name a byte: `'.'`, or `byte 0x1F` for what has no picture.
    static func name(of byte: UInt8) -> String {
        switch byte {
        case 0x21...0x7E: "'\(Character(Unicode.Scalar(byte)))'"
        default: "byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }
}
