/// Rules as strict JSON, for tools that know no comments.
package enum StrictRulesText {
    /// The text without comments and without commas before closing brackets; raw control characters in strings are escaped.
    /// Line breaks and indentation stay.
    ///
    /// - Parameter text: rules that were accepted.
    package static func make(from text: String) -> String {
        var strict: [UInt8] = []
        strict.reserveCapacity(text.utf8.count)
        var scanner = Scanner(bytes: Array(text.utf8))
        while let token = scanner.next() {
            switch token {
            case .comment: break
            case .other(let bytes):
                if let byte = bytes.first, byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { dropComma(&strict) }
                strict += bytes
            }
        }
        return String(decoding: strict, as: UTF8.self)
    }

    /// Takes away a comma that only white space follows.
    private static func dropComma(_ text: inout [UInt8]) {
        guard let last = text.lastIndex(where: { !isSpace($0) }), text[last] == UInt8(ascii: ",") else { return }
        text.remove(at: last)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private struct Scanner {
        enum Token {
            case comment
            /// A string, or one byte of anything else.
            case other([UInt8])
        }

        let bytes: [UInt8]
        private var offset = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func next() -> Token? {
            guard offset < bytes.count else { return nil }
            switch bytes[offset] {
            case UInt8(ascii: "\""): return .other(string())
            case UInt8(ascii: "/") where isNext(UInt8(ascii: "/")):
                while offset < bytes.count, bytes[offset] != 0x0A { offset += 1 }
                return .comment
            case UInt8(ascii: "/") where isNext(UInt8(ascii: "*")):
                offset += 2
                while offset < bytes.count, !(bytes[offset] == UInt8(ascii: "*") && isNext(UInt8(ascii: "/"))) {
                    offset += 1
                }
                offset = min(offset + 2, bytes.count)
                return .comment
            case let byte:
                offset += 1
                return .other([byte])
            }
        }

        private func isNext(_ byte: UInt8) -> Bool { offset + 1 < bytes.count && bytes[offset + 1] == byte }

        private mutating func string() -> [UInt8] {
            var text: [UInt8] = [bytes[offset]]
            offset += 1
            while offset < bytes.count {
                let byte = bytes[offset]
                offset += 1
                switch byte {
                case UInt8(ascii: "\\") where offset < bytes.count:
                    text += [byte, bytes[offset]]
                    offset += 1
                case UInt8(ascii: "\""):
                    return text + [byte]
                case 0..<0x20:
                    text += "\\u00".utf8
                    text += [Self.digit(byte >> 4), Self.digit(byte & 15)]
                default:
                    text.append(byte)
                }
            }
            return text
        }

        private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
    }
}
