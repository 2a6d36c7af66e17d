/// Checks UTF-8 (RFC 3629) that arrives in pieces, a character cut between two of them included.
///
/// libwebsockets can check text messages itself, but mixes in the payload of a PONG that comes between two fragments and then
/// closes healthy connections; so its check stays off.
struct UTF8Validation {
    /// Continuation bytes still to come for the character that was begun.
    private var missing: UInt8 = 0
    /// What the next continuation byte may be: narrower than 0x80…0xBF after some lead bytes.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether the pieces so far end between two characters.
    var isComplete: Bool { missing == 0 }

    /// Takes the next piece. `false` when the text cannot become valid any more.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        let count = bytes.count
        while index < count {
            if missing == 0 {
                // Most text is ASCII: eight bytes at a time.
                while count - index >= 8,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                { index += 8 }
                while index < count, bytes[index] < 0x80 { index += 1 }
                if index == count { return true }
                guard begin(bytes[index]) else { return false }
            } else {
                let byte = bytes[index]
                guard byte >= lowest, byte <= highest else { return false }
                (lowest, highest) = (0x80, 0xBF)
                missing -= 1
            }
            index += 1
        }
        return true
    }

    private mutating func begin(_ lead: UInt8) -> Bool {
        switch lead {
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lowest) = (2, 0xA0)
        case 0xED: (missing, highest) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lowest) = (3, 0x90)
        case 0xF4: (missing, highest) = (3, 0x8F)
        case 0xF1...0xF3: missing = 3
        default: return false
        }
        return true
    }
}
