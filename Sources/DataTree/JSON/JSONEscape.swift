/// Escaping of text for JSON strings: quotes, backslashes and control characters, nothing else.
enum JSONEscape {
    static func appendQuoted(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        output.append(0x22)
        append(text, to: &output)
        output.append(0x22)
    }

    static func appendQuoted(_ key: Key, to output: inout [UInt8]) {
        output.append(0x22)
        append(key, to: &output)
        output.append(0x22)
    }

    /// Appends a key, escaped.
    static func append(_ key: Key, to output: inout [UInt8]) {
        let start = output.count
        key.append(to: &output)
        // Keys hardly ever need escapes; the few that do are written again.
        let needsEscapes = output.withUnsafeBytes { buffer in
            firstSpecial(UnsafeRawBufferPointer(rebasing: buffer[start...]), from: 0) < buffer.count - start
        }
        guard needsEscapes else { return }
        let plain = Array(output[start...])
        output.removeLast(plain.count)
        plain.withUnsafeBytes { append($0, to: &output) }
    }

    /// Appends text (UTF-8), escaped.
    static func append(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        var index = 0
        while index < text.count {
            let special = firstSpecial(text, from: index)
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[index..<special]))
            guard special < text.count else { return }
            output.append(0x5C)
            switch text[special] {
            case 0x22: output.append(0x22)
            case 0x5C: output.append(0x5C)
            case 0x08: output.append(0x62)
            case 0x0C: output.append(0x66)
            case 0x0A: output.append(0x6E)
            case 0x0D: output.append(0x72)
            case 0x09: output.append(0x74)
            case let control:
                output.append(contentsOf: "u00".utf8)
                output.append(control < 0x10 ? 0x30 : 0x31)
                output.append(hexDigit(control & 0x0F))
            }
            index = special + 1
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    /// Has the top bit set in the lowest byte of the word that is a quote, a backslash or below 0x20, and none set if
    /// there is no such byte. Other bytes above may be marked too.
    @inline(__always)
    static func specialBytes(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        return (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- (ones &* 0x20)) & ~word))
            & tops & ~(word & tops)
    }

    /// The index of the first byte from `start` on that must be escaped, or the count.
    @inline(__always)
    private static func firstSpecial(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        let count = text.count
        while count - index >= 8 {
            let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
            let special = specialBytes(in: word)
            if special != 0 { return index + (special.trailingZeroBitCount >> 3) }
            index += 8
        }
        while index < count {
            let byte = text[index]
            if byte == 0x22 || byte == 0x5C || byte < 0x20 { return index }
            index += 1
        }
        return count
    }
}
