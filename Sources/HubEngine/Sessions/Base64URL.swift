/// Base64 with the URL alphabet and without padding, as tokens use it (RFC 7515, section 2).
package enum Base64URL {
    /// The bytes that `text` stands for; nil when it is not base64url. Padding is tolerated at the end.
    package static func decode(
        _ text: some Collection<UInt8>, padding: UInt8 = UInt8(ascii: "=")
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        var padded = false
        for character in text {
            if character == padding {
                padded = true
                continue
            }
            guard !padded, let value = value(of: character) else { return nil }
            pending = (pending << 6 | value) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
            }
        }
        return bits == 6 ? nil : bytes
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"), UInt8(ascii: "+"): 62
        case UInt8(ascii: "_"), UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
