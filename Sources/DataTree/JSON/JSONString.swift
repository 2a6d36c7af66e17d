/// Scanning and unescaping of what stands between the quotes of a JSON string.
///
/// Raw pointers, because every byte of every message passes here; each loop stays below the given end.
enum JSONString {
    /// What a scan from the first byte after the opening quote found.
    struct Scan {
        /// Where the scan stopped: at the closing quote, at a control character, or at the end of the bytes.
        var end: Int
        var hasEscapes = false
        var isASCII = true
        /// The bytes ended behind a backslash whose character is still missing.
        var endsInEscape = false

        init(from start: Int) { end = start }
    }

    /// Moves `scan` on to the next byte that is a closing quote or a control character, or to `limit`.
    ///
    /// `scan` may come from an earlier slice of the same string, with `end` set to the start of the new slice.
    @inline(__always)
    static func advance(_ scan: inout Scan, in bytes: UnsafePointer<UInt8>, to limit: Int) {
        let tops: UInt64 = 0x8080_8080_8080_8080
        var index = scan.end
        if scan.endsInEscape, index < limit {
            if bytes[index] >= 0x80 { scan.isASCII = false }
            // A control character cannot be escaped: leave it for the check below.
            if bytes[index] >= 0x20 { index += 1 }
            scan.endsInEscape = false
        }
        while true {
            while limit - index >= 8 {
                // Eight bytes at a time.
                let word = UnsafeRawPointer(bytes + index).loadUnaligned(as: UInt64.self).littleEndian
                let stops = JSONEscape.specialBytes(in: word)
                if stops == 0 {
                    if word & tops != 0 { scan.isASCII = false }
                    index += 8
                    continue
                }
                let clear = stops.trailingZeroBitCount & ~7
                if word & tops & ((1 &<< UInt64(truncatingIfNeeded: clear)) &- 1) != 0 { scan.isASCII = false }
                index += clear >> 3
                break
            }
            while index < limit {
                let byte = bytes[index]
                if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
                if byte >= 0x80 { scan.isASCII = false }
                index += 1
            }
            guard index < limit, bytes[index] == 0x5C else { break }
            scan.hasEscapes = true
            guard index + 1 < limit else {
                scan.endsInEscape = true
                index = limit
                break
            }
            if bytes[index + 1] < 0x20 {
                index += 1
                break
            }
            if bytes[index + 1] >= 0x80 { scan.isASCII = false }
            index += 2
        }
        scan.end = index
    }

    /// Appends the text of the string content `start ..< end` to `output`.
    ///
    /// A `\u` escape of half a surrogate pair becomes U+FFFD: a client that sends one would send it again after every
    /// reconnect if it were refused, and the WebSocket layers of the official clients replace lone halves in the same
    /// way. Returns the index of the escape that is not valid, or nil.
    static func unescape(
        _ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int, into output: inout [UInt8]
    ) -> Int? {
        var index = start
        output.reserveCapacity(output.count + (end - start))
        while index < end {
            var run = index
            while run < end, bytes[run] != 0x5C { run += 1 }
            output.append(contentsOf: UnsafeBufferPointer(start: bytes + index, count: run - index))
            index = run
            guard index < end else { break }
            guard index + 1 < end else { return index }
            switch bytes[index + 1] {
            case 0x22: output.append(0x22)
            case 0x5C: output.append(0x5C)
            case 0x2F: output.append(0x2F)
            case 0x62: output.append(0x08)
            case 0x66: output.append(0x0C)
            case 0x6E: output.append(0x0A)
            case 0x72: output.append(0x0D)
            case 0x74: output.append(0x09)
            case 0x75:
                guard let unit = hexUnit(bytes, at: index + 2, end: end) else { return index }
                index += 6
                var scalar = UInt32(unit)
                if unit & 0xF800 == 0xD800 {
                    scalar = 0xFFFD
                    if unit < 0xDC00, end - index >= 6, bytes[index] == 0x5C, bytes[index + 1] == 0x75,
                        let low = hexUnit(bytes, at: index + 2, end: end), low & 0xFC00 == 0xDC00
                    {
                        scalar = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF))
                        index += 6
                    }
                }
                append(scalar, to: &output)
                continue
            default: return index
            }
            index += 2
        }
        return nil
    }

    /// The index of the first escape between `start` and `end` that is not valid, or nil.
    static func firstInvalidEscape(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int? {
        var index = start
        while index < end {
            guard bytes[index] == 0x5C else {
                index += 1
                continue
            }
            guard index + 1 < end else { return index }
            switch bytes[index + 1] {
            case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: index += 2
            case 0x75:
                guard hexUnit(bytes, at: index + 2, end: end) != nil else { return index }
                index += 6
            default: return index
            }
        }
        return nil
    }

    private static func hexUnit(_ bytes: UnsafePointer<UInt8>, at start: Int, end: Int) -> UInt16? {
        guard end - start >= 4 else { return nil }
        var unit: UInt16 = 0
        for index in start..<start + 4 {
            let digit: UInt8
            switch bytes[index] {
            case 0x30...0x39: digit = bytes[index] - 0x30
            case 0x41...0x46: digit = bytes[index] - 0x41 + 10
            case 0x61...0x66: digit = bytes[index] - 0x61 + 10
            default: return nil
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    private static func append(_ scalar: UInt32, to output: inout [UInt8]) {
        switch scalar {
        case 0..<0x80:
            output.append(UInt8(truncatingIfNeeded: scalar))
        case 0x80..<0x800:
            output.append(0xC0 | UInt8(truncatingIfNeeded: scalar >> 6))
            output.append(0x80 | UInt8(truncatingIfNeeded: scalar & 0x3F))
        case 0x800..<0x10000:
            output.append(0xE0 | UInt8(truncatingIfNeeded: scalar >> 12))
            output.append(0x80 | UInt8(truncatingIfNeeded: scalar >> 6 & 0x3F))
            output.append(0x80 | UInt8(truncatingIfNeeded: scalar & 0x3F))
        default:
            output.append(0xF0 | UInt8(truncatingIfNeeded: scalar >> 18))
            output.append(0x80 | UInt8(truncatingIfNeeded: scalar >> 12 & 0x3F))
            output.append(0x80 | UInt8(truncatingIfNeeded: scalar >> 6 & 0x3F))
            output.append(0x80 | UInt8(truncatingIfNeeded: scalar & 0x3F))
        }
    }
}
