/// Steps over JSON values by syntax alone.
enum JSONSkip {
    /// The index behind the value that starts at `start` (behind white space).
    ///
    /// Nesting is kept as one bit a level, so any depth that fits a message can be skipped.
    static func value(_ bytes: UnsafePointer<UInt8>, from start: Int, to limit: Int) throws(JSONError) -> Int {
        var index = start
        var open = BitStack()
        while true {
            // A value.
            while index < limit, JSONText.isWhitespace(bytes[index]) { index += 1 }
            guard index < limit else { throw JSONError(offset: limit, reason: .unexpectedEnd) }
            switch bytes[index] {
            case 0x22:
                index = try string(bytes, from: index, to: limit)
            case 0x7B, 0x5B:
                let isObject = bytes[index] == 0x7B
                index += 1
                while index < limit, JSONText.isWhitespace(bytes[index]) { index += 1 }
                guard index < limit else { throw JSONError(offset: limit, reason: .unexpectedEnd) }
                if bytes[index] == (isObject ? 0x7D : 0x5D) {
                    index += 1
                } else {
                    open.push(isObject)
                    if isObject { index = try key(bytes, from: index, to: limit) }
                    continue
                }
            case 0x2D, 0x30...0x39:
                let (end, isValid) = NumberText.skip(bytes, from: index, to: limit)
                guard isValid else { throw JSONError(offset: end, reason: .invalidNumber) }
                index = end
            case 0x74, 0x66, 0x6E:
                let (end, isComplete) = JSONText.matchLiteral(bytes, from: index, to: limit)
                guard isComplete else {
                    throw JSONError(offset: end, reason: end < limit ? .invalidLiteral : .unexpectedEnd)
                }
                index = end
            default:
                throw JSONError(offset: index, reason: .expectedValue(found: bytes[index]))
            }
            // What may follow it, as often as containers end here.
            while true {
                guard let isObject = open.top else { return index }
                while index < limit, JSONText.isWhitespace(bytes[index]) { index += 1 }
                guard index < limit else { throw JSONError(offset: limit, reason: .unexpectedEnd) }
                if bytes[index] == 0x2C {
                    index += 1
                    if isObject { index = try key(bytes, from: index, to: limit) }
                    break
                }
                guard bytes[index] == (isObject ? 0x7D : 0x5D) else {
                    throw JSONError(offset: index, reason: .expectedCommaOrEnd(found: bytes[index]))
                }
                index += 1
                open.pop()
            }
        }
    }

    /// Steps over a key and its colon.
    private static func key(_ bytes: UnsafePointer<UInt8>, from start: Int, to limit: Int) throws(JSONError) -> Int {
        var index = start
        while index < limit, JSONText.isWhitespace(bytes[index]) { index += 1 }
        guard index < limit else { throw JSONError(offset: limit, reason: .unexpectedEnd) }
        guard bytes[index] == 0x22 else {
            throw JSONError(offset: index, reason: .expectedKey(found: bytes[index]))
        }
        index = try string(bytes, from: index, to: limit)
        while index < limit, JSONText.isWhitespace(bytes[index]) { index += 1 }
        guard index < limit else { throw JSONError(offset: limit, reason: .unexpectedEnd) }
        guard bytes[index] == 0x3A else {
            throw JSONError(offset: index, reason: .expectedColon(found: bytes[index]))
        }
        return index + 1
    }

    private static func string(_ bytes: UnsafePointer<UInt8>, from start: Int, to limit: Int) throws(JSONError) -> Int {
        var scan = JSONString.Scan(from: start + 1)
        JSONString.advance(&scan, in: bytes, to: limit)
        guard scan.end < limit else { throw JSONError(offset: limit, reason: .unexpectedEnd) }
        guard bytes[scan.end] == 0x22 else {
            throw JSONError(offset: scan.end, reason: .controlCharacter(bytes[scan.end]))
        }
        if !scan.isASCII, let invalid = UTF8Validation.firstInvalid(bytes, from: start + 1, to: scan.end) {
            throw JSONError(offset: invalid, reason: .invalidUTF8)
        }
        if scan.hasEscapes, let invalid = JSONString.firstInvalidEscape(bytes, from: start + 1, to: scan.end) {
            throw JSONError(offset: invalid, reason: .invalidEscape)
        }
        return scan.end + 1
    }

    /// A stack of bits; the first 64 need no allocation.
    private struct BitStack {
        private var low: UInt64 = 0
        private var rest: [UInt64] = []
        private var depth = 0

        var top: Bool? { depth == 0 ? nil : low & 1 != 0 }

        mutating func push(_ bit: Bool) {
            if depth > 0, depth & 63 == 0 {
                rest.append(low)
                low = 0
            }
            low = low << 1 | (bit ? 1 : 0)
            depth += 1
        }

        mutating func pop() {
            low >>= 1
            depth -= 1
            if depth > 0, depth & 63 == 0, let word = rest.popLast() { low = word }
        }
    }
}
