import DataTree

/// Cuts an expression into tokens, one at a time: whether a slash divides or opens a regular expression is for the parser
/// to know.
struct Lexer {
    private let bytes: [UInt8]
    private var offset = 0

    /// `bytes` are valid UTF-8.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next token. `expectsOperand` says that an operand may start here, and so a regular expression.
    mutating func next(expectsOperand: Bool) throws(ExpressionError) -> Token {
        try skipSpace()
        let start = offset
        let kind = try kind(expectsOperand: expectsOperand)
        return Token(kind: kind, start: start, end: offset)
    }

    private mutating func kind(expectsOperand: Bool) throws(ExpressionError) -> Token.Kind {
        guard let byte = peek() else { return .end }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return .string(try string(quote: byte))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(number())
        case UInt8(ascii: ".") where peek(1).map(Self.isDigit) ?? false: return .number(number())
        case UInt8(ascii: "/") where expectsOperand: return try regularExpression()
        default: break
        }
        if Self.isNameStart(byte) { return .name(name()) }
        for (text, symbol) in Symbol.longestFirst where text[0] == byte && bytes[offset...].starts(with: text) {
            offset += text.count
            return .symbol(symbol)
        }
        throw ExpressionError(offset: offset, text: "illegal character")
    }

    // MARK: - Names and numbers

    /// Characters beyond ASCII count as letters: a wildcard may be called by any key.
    private static func isNameStart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "$"), 0x80...0xFF:
            true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private mutating func name() -> Text {
        let start = offset
        while let byte = peek(), Self.isNameStart(byte) || Self.isDigit(byte), spaceLength == 0 { offset += 1 }
        return Text(utf8: Array(bytes[start..<offset]))
    }

    /// JavaScript's decimal and hexadecimal numbers (decision D2).
    private mutating func number() -> Double {
        if peek() == UInt8(ascii: "0"), let mark = peek(1), mark | 0x20 == UInt8(ascii: "x"),
            peek(2).flatMap(hexadecimalDigit) != nil
        {
            offset += 2
            var value = 0.0
            while let digit = peek().flatMap(hexadecimalDigit) {
                value = value * 16 + Double(digit)
                offset += 1
            }
            return value
        }
        var text = digits()
        if text.isEmpty { text = "0" }
        if peek() == UInt8(ascii: ".") {
            offset += 1
            let fraction = digits()
            text += "." + (fraction.isEmpty ? "0" : fraction)
        }
        if let mark = peek(), mark | 0x20 == UInt8(ascii: "e") {
            let isSigned = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-")
            if peek(isSigned ? 2 : 1).map(Self.isDigit) ?? false {
                text += isSigned && peek(1) == UInt8(ascii: "-") ? "e-" : "e"
                offset += isSigned ? 2 : 1
                text += digits()
            }
        }
        // What is too large for a double reads as infinity, as in JavaScript.
        return Double(text) ?? .infinity
    }

    private mutating func digits() -> String {
        let start = offset
        while let byte = peek(), Self.isDigit(byte) { offset += 1 }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    // MARK: - Strings

    private mutating func string(quote: UInt8) throws(ExpressionError) -> Text {
        let start = offset
        offset += 1
        var result: [UInt8] = []
        while let byte = peek() {
            switch byte {
            case quote:
                offset += 1
                return Text(utf8: result)
            case 0x0A, 0x0D:
                throw ExpressionError(offset: start, text: "unterminated string literal")
            case UInt8(ascii: "\\"):
                offset += 1
                appendEscape(to: &result)
            default:
                result.append(byte)
                offset += 1
            }
        }
        throw ExpressionError(offset: start, text: "unterminated string literal")
    }

    /// Reads what follows a backslash. Half a surrogate pair becomes U+FFFD, as in stored data.
    private mutating func appendEscape(to result: inout [UInt8]) {
        guard let byte = peek() else { return }
        offset += 1
        switch byte {
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "v"): result.append(0x0B)
        case UInt8(ascii: "0"): result.append(0x00)
        case UInt8(ascii: "x"):
            guard let value = hexadecimal(2) else { return result.append(byte) }
            append(value, to: &result)
        case UInt8(ascii: "u"):
            guard let unit = hexadecimal(4) else { return result.append(byte) }
            guard (0xD800...0xDBFF).contains(unit) else { return append(unit, to: &result) }
            let behind = offset
            if peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") {
                offset += 2
                if let low = hexadecimal(4), (0xDC00...0xDFFF).contains(low) {
                    return append(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), to: &result)
                }
                offset = behind
            }
            append(unit, to: &result)
        default: result.append(byte)
        }
    }

    private func append(_ value: UInt32, to result: inout [UInt8]) {
        result.append(contentsOf: String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
    }

    private mutating func hexadecimal(_ count: Int) -> UInt32? {
        guard offset + count <= bytes.count else { return nil }
        var value: UInt32 = 0
        for byte in bytes[offset..<offset + count] {
            guard let digit = hexadecimalDigit(byte) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        offset += count
        return value
    }

    // MARK: - Regular expressions

    private mutating func regularExpression() throws(ExpressionError) -> Token.Kind {
        let start = offset
        let unterminated = ExpressionError(offset: start, text: "unterminated regular expression literal")
        offset += 1
        var isInSet = false
        scan: while true {
            guard let byte = peek(), byte != 0x0A, byte != 0x0D else { throw unterminated }
            switch byte {
            case UInt8(ascii: "/") where !isInSet: break scan
            case UInt8(ascii: "["): isInSet = true
            case UInt8(ascii: "]"): isInSet = false
            case UInt8(ascii: "\\"):
                offset += 1
                guard let escaped = peek(), escaped != 0x0A, escaped != 0x0D else { throw unterminated }
            default: break
            }
            offset += 1
        }
        let body = Text(utf8: Array(bytes[start + 1..<offset]))
        offset += 1
        let flags = name()
        guard flags.utf8Count == 0 || flags == "i" else {
            throw ExpressionError(offset: start, text: "regular expressions do not support flags other than i")
        }
        return .regularExpression(body, flags: flags)
    }

    // MARK: - White space

    private mutating func skipSpace() throws(ExpressionError) {
        while true {
            let length = spaceLength
            if length > 0 {
                offset += length
            } else if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "/") {
                while let byte = peek(), byte != 0x0A, byte != 0x0D { offset += 1 }
            } else if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                try skipBlockComment()
            } else {
                return
            }
        }
    }

    private mutating func skipBlockComment() throws(ExpressionError) {
        let start = offset
        offset += 2
        while peek() != nil {
            if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                offset += 2
                return
            }
            offset += 1
        }
        throw ExpressionError(offset: start, text: "unterminated comment")
    }

    /// The length of the white space character that stands here; 0 if none does.
    private var spaceLength: Int {
        switch peek() {
        case 0x20, 0x09, 0x0A, 0x0D: 1
        // No-break space.
        case 0xC2 where peek(1) == 0xA0: 2
        // Byte order mark.
        case 0xEF where peek(1) == 0xBB && peek(2) == 0xBF: 3
        default: 0
        }
    }

    private func peek(_ distance: Int = 0) -> UInt8? {
        offset + distance < bytes.count ? bytes[offset + distance] : nil
    }
}
