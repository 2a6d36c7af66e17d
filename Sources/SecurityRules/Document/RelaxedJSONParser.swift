/// Why a text is no JSON even by the relaxed grammar. Texts that the official service is known to answer are its own.
struct RelaxedJSONError: Error, Equatable {
    var offset: Int
    var text: String
}

/// Reads the JSON of rules files.
///
/// What it takes beyond JSON, as the official service does: `//` and `/* */` comments wherever white space may stand, a
/// comma before a closing bracket, raw control characters inside strings. What it does not: two commas in a row, a comma
/// at the start, a backslash before a line break.
struct RelaxedJSONParser {
    /// No rules file nests deeper than data, so this only keeps the parser's own stack small.
    static let greatestNesting = 64

    private let bytes: [UInt8]
    private var offset = 0

    /// `bytes` are valid UTF-8.
    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a whole file: one value, and nothing behind it.
    static func parse(_ bytes: [UInt8]) throws(RelaxedJSONError) -> RelaxedJSON {
        var parser = RelaxedJSONParser(bytes)
        try parser.skipSpace()
        let value = try parser.value(nesting: 0)
        try parser.skipSpace()
        if parser.offset < bytes.count { throw parser.unexpected() }
        return value
    }

    // MARK: - Values

    private mutating func value(nesting: Int) throws(RelaxedJSONError) -> RelaxedJSON {
        let start = offset
        guard let byte = peek else { throw unexpected() }
        if nesting > Self.greatestNesting {
            throw RelaxedJSONError(offset: start, text: "Nested too deep; rules have as many levels as data, 32.")
        }
        let content: RelaxedJSON.Content
        switch byte {
        case UInt8(ascii: "{"): content = .object(try object(nesting: nesting))
        case UInt8(ascii: "["): content = .array(try array(nesting: nesting))
        case UInt8(ascii: "\""): content = .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            skipWord()
            content = .number
        default:
            skipWord()
            switch String(decoding: bytes[start..<offset], as: UTF8.self) {
            case "true": content = .bool(true)
            case "false": content = .bool(false)
            case "null": content = .null
            default:
                offset = start
                throw unexpected()
            }
        }
        return RelaxedJSON(content: content, offset: start)
    }

    private mutating func object(nesting: Int) throws(RelaxedJSONError) -> [RelaxedJSON.Member] {
        offset += 1
        var members: [RelaxedJSON.Member] = []
        while true {
            try skipSpace()
            guard let byte = peek else { throw expected("'}'") }
            if byte == UInt8(ascii: "}") {
                offset += 1
                return members
            }
            if byte == UInt8(ascii: ","), members.isEmpty { throw unexpected() }
            guard byte == UInt8(ascii: "\"") else { throw expected("'\"'") }
            let keyOffset = offset
            let key = try string()
            try skipSpace()
            guard peek == UInt8(ascii: ":") else { throw expected("':'") }
            offset += 1
            try skipSpace()
            members.append(RelaxedJSON.Member(key: key, keyOffset: keyOffset, value: try value(nesting: nesting + 1)))
            try skipSpace()
            if peek == UInt8(ascii: ",") {
                offset += 1
            } else if peek != UInt8(ascii: "}") {
                throw expected("',' or '}'")
            }
        }
    }

    private mutating func array(nesting: Int) throws(RelaxedJSONError) -> [RelaxedJSON] {
        offset += 1
        var elements: [RelaxedJSON] = []
        while true {
            try skipSpace()
            guard let byte = peek else { throw expected("']'") }
            if byte == UInt8(ascii: "]") {
                offset += 1
                return elements
            }
            elements.append(try value(nesting: nesting + 1))
            try skipSpace()
            if peek == UInt8(ascii: ",") {
                offset += 1
            } else if peek != UInt8(ascii: "]") {
                throw expected("',' or ']'")
            }
        }
    }

    // MARK: - Strings

    private mutating func string() throws(RelaxedJSONError) -> DecodedString {
        offset += 1
        var result = DecodedString()
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                result.end(at: offset)
                offset += 1
                return result
            case UInt8(ascii: "\\"):
                let start = offset
                result.append(try escape(), escapedAt: start)
            default:
                result.append(byte, at: offset)
                offset += 1
            }
        }
        throw expected("'\"'")
    }

    /// Reads an escape; half a surrogate pair gives U+FFFD.
    private mutating func escape() throws(RelaxedJSONError) -> Unicode.Scalar {
        let start = offset
        offset += 1
        guard let byte = peek else { throw expected("'\"'") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = hexadecimalUnit() else { throw invalidEscape(from: start) }
            guard (0xD800...0xDBFF).contains(unit) else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
            let behind = offset
            if peek == UInt8(ascii: "\\"), behind + 1 < bytes.count, bytes[behind + 1] == UInt8(ascii: "u") {
                offset += 2
                if let low = hexadecimalUnit(), (0xDC00...0xDFFF).contains(low) {
                    return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
                }
                offset = behind
            }
            return "\u{FFFD}"
        default:
            throw invalidEscape(from: start)
        }
    }

    private mutating func hexadecimalUnit() -> UInt32? {
        guard offset + 4 <= bytes.count else { return nil }
        var unit: UInt32 = 0
        for byte in bytes[offset..<offset + 4] {
            guard let digit = hexadecimalDigit(byte) else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        offset += 4
        return unit
    }

    private func invalidEscape(from start: Int) -> RelaxedJSONError {
        var end = start + 2
        // A whole character, not its first byte.
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        let text = String(decoding: bytes[start..<min(end, bytes.count)], as: UTF8.self)
        return RelaxedJSONError(offset: start, text: "Invalid escape: '\(text)'")
    }

    // MARK: - White space

    private mutating func skipSpace() throws(RelaxedJSONError) {
        while let byte = peek {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: offset += 1
            // A byte order mark, as some editors put one in front.
            case 0xEF where bytes[offset...].starts(with: [0xEF, 0xBB, 0xBF]): offset += 3
            case UInt8(ascii: "/"): try skipComment()
            default: return
            }
        }
    }

    private mutating func skipComment() throws(RelaxedJSONError) {
        let start = offset
        switch offset + 1 < bytes.count ? bytes[offset + 1] : 0 {
        case UInt8(ascii: "/"):
            while let byte = peek, byte != 0x0A, byte != 0x0D { offset += 1 }
        case UInt8(ascii: "*"):
            offset += 2
            while offset < bytes.count {
                if bytes[offset] == UInt8(ascii: "*"), offset + 1 < bytes.count, bytes[offset + 1] == UInt8(ascii: "/")
                {
                    offset += 2
                    return
                }
                offset += 1
            }
            throw RelaxedJSONError(offset: start, text: "Unterminated comment; end it with '*/'.")
        default:
            throw unexpected()
        }
    }

    // MARK: - Bytes and errors

    private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipWord() {
        while let byte = peek, byte.isWordPart { offset += 1 }
    }

    private func expected(_ what: String) -> RelaxedJSONError {
        RelaxedJSONError(offset: offset, text: "Expected \(what).")
    }

    /// What stands here fits nowhere.
    private func unexpected() -> RelaxedJSONError {
        guard offset < bytes.count else { return RelaxedJSONError(offset: offset, text: "Unexpected end of text.") }
        var end = offset + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        let text = String(decoding: bytes[offset..<end], as: UTF8.self)
        return RelaxedJSONError(offset: offset, text: "Unexpected '\(text)'.")
    }
}

/// The value of a hexadecimal digit.
func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

extension UInt8 {
    /// Whether the byte may stand inside a number or a literal such as `true`.
    fileprivate var isWordPart: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
