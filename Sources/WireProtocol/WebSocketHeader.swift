/// The header of an unmasked, final text frame as a server sends it (RFC 6455, section 5.2).
enum WebSocketHeader {
    /// The longest header a frame of this room needs: a single message or segment stays below 65,536 bytes, but `Frame` also
    /// accepts what a test hands it.
    static let longest = 10

    /// Bytes the header of a payload of `count` bytes takes.
    static func length(forPayload count: Int) -> Int {
        count <= 125 ? 2 : (count <= 0xFFFF ? 4 : 10)
    }

    /// Appends the header of a text frame with a payload of `count` bytes.
    static func append(forPayload count: Int, to bytes: inout [UInt8]) {
        bytes.append(0x81)
        if count <= 125 {
            bytes.append(UInt8(truncatingIfNeeded: count))
        } else if count <= 0xFFFF {
            bytes.append(126)
            bytes.append(UInt8(truncatingIfNeeded: count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: count))
        } else {
            bytes.append(127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: count >> shift))
            }
        }
    }

    /// Writes the header of a payload that begins at `end` into the bytes just before it and returns where the header begins.
    static func write(forPayload count: Int, endingAt end: Int, in bytes: inout [UInt8]) -> Int {
        let start = end - length(forPayload: count)
        bytes[start] = 0x81
        switch end - start {
        case 2:
            bytes[start + 1] = UInt8(truncatingIfNeeded: count)
        case 4:
            bytes[start + 1] = 126
            bytes[start + 2] = UInt8(truncatingIfNeeded: count >> 8)
            bytes[start + 3] = UInt8(truncatingIfNeeded: count)
        default:
            bytes[start + 1] = 127
            for index in 0..<8 {
                bytes[start + 2 + index] = UInt8(truncatingIfNeeded: count >> (56 - 8 * index))
            }
        }
        return start
    }

    /// Reads the header at `start`; nil when it is no complete, final, unmasked text frame that lies inside `bytes`.
    static func payload(at start: Int, in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        guard start + 2 <= bytes.count, bytes[start] == 0x81 else { return nil }
        var count = Int(bytes[start + 1])
        var begin = start + 2
        if count == 126 || count == 127 {
            let extended = count == 126 ? 2 : 8
            guard start + 2 + extended <= bytes.count else { return nil }
            count = 0
            for index in begin..<(begin + extended) { count = (count << 8) | Int(bytes[index]) }
            begin += extended
        } else if count > 127 {
            return nil
        }
        guard count >= 0, count <= bytes.count - begin else { return nil }
        return begin..<(begin + count)
    }
}
