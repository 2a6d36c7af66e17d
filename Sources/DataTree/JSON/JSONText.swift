/// The small fixed parts of JSON's grammar.
enum JSONText {
    @inline(__always)
    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Compares the word at `start` (whose first byte chose it) with `true`, `false` or `null`. Returns the index
    /// behind the bytes that match and whether that is the whole word.
    static func matchLiteral(
        _ bytes: UnsafePointer<UInt8>, from start: Int, to limit: Int
    ) -> (end: Int, isComplete: Bool) {
        let word: StaticString =
            switch bytes[start] {
            case 0x74: "true"
            case 0x66: "false"
            default: "null"
            }
        // A static string literal in ASCII always has a pointer.
        let expected = word.utf8Start
        let count = word.utf8CodeUnitCount
        var matched = 0
        while matched < count, start + matched < limit, bytes[start + matched] == expected[matched] { matched += 1 }
        return (start + matched, matched == count)
    }

    /// The leaf that a word stands for; nil is `null`.
    @inline(__always)
    static func literal(startingWith byte: UInt8) -> Leaf? {
        switch byte {
        case 0x74: .bool(true)
        case 0x66: .bool(false)
        default: nil
        }
    }

    @inline(__always)
    static func kind(of byte: UInt8) -> JSONKind {
        switch byte {
        case 0x7B: .object
        case 0x5B: .array
        case 0x22: .string
        case 0x2D, 0x30...0x39: .number
        case 0x74: .true
        case 0x66: .false
        case 0x6E: .null
        default: .invalid
        }
    }
}
