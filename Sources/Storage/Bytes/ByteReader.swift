/// Bytes that do not have the expected form.
package struct ByteError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Reason: String, Sendable {
        case ended = "the bytes end too early"
        case oversizedNumber = "a number does not fit"
        case invalidText = "a text is not valid UTF-8"
        case invalidFlag = "a flag is neither 0 nor 1"
        case trailingBytes = "there are bytes after the end"
    }

    package var reason: Reason
    /// Distance from the beginning of what was being read.
    package var offset: Int

    package init(reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    package var description: String { "\(reason.rawValue) (at byte \(offset))" }
}

/// Reads what `ByteWriter` wrote. Every call checks; bytes from a damaged file throw and never trap.
///
/// The reader borrows the memory: it must not outlive the buffer it was made from.
package struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    /// The next byte to read.
    package private(set) var offset = 0

    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// How many bytes are left.
    package var remaining: Int { bytes.count - offset }

    package mutating func byte() throws(ByteError) -> UInt8 {
        guard offset < bytes.count else { throw error(.ended) }
        defer { offset += 1 }
        return bytes[offset]
    }

    package mutating func uint32() throws(ByteError) -> UInt32 {
        let slice = try slice(4)
        return UInt32(littleEndian: slice.loadUnaligned(as: UInt32.self))
    }

    package mutating func uint64() throws(ByteError) -> UInt64 {
        let slice = try slice(8)
        return UInt64(littleEndian: slice.loadUnaligned(as: UInt64.self))
    }

    package mutating func varint() throws(ByteError) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            let group = UInt64(next & 0x7F)
            if shift == 63, group > 1 { throw error(.oversizedNumber) }
            result |= group << shift
            if next < 0x80 { return result }
            shift += 7
            if shift > 63 { throw error(.oversizedNumber) }
        }
    }

    package mutating func signed() throws(ByteError) -> Int64 {
        let raw = try varint()
        return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
    }

    package mutating func bool() throws(ByteError) -> Bool {
        switch try byte() {
        case 0: return false
        case 1: return true
        default: throw error(.invalidFlag)
        }
    }

    package mutating func double() throws(ByteError) -> Double {
        Double(bitPattern: try uint64())
    }

    /// A number that counts something which takes at least `unit` bytes each in the rest; more is refused, so that a
    /// damaged count never makes a caller reserve memory for it.
    package mutating func count(unit: Int = 1) throws(ByteError) -> Int {
        let raw = try varint()
        guard raw <= UInt64(remaining / max(unit, 1)) else { throw error(.ended) }
        return Int(raw)
    }

    /// The bytes of a block, in place.
    package mutating func block() throws(ByteError) -> UnsafeRawBufferPointer {
        try slice(try count())
    }

    /// The bytes of a block, copied.
    package mutating func array() throws(ByteError) -> [UInt8] {
        [UInt8](try block())
    }

    package mutating func string() throws(ByteError) -> String {
        let start = offset
        let block = try block()
        guard let text = String(validating: block, as: UTF8.self) else {
            throw ByteError(reason: .invalidText, offset: start)
        }
        return text
    }

    /// The content of what `ByteWriter.nested` wrote, as a reader of its own.
    package mutating func nested() throws(ByteError) -> ByteReader {
        let length = try uint32()
        guard length <= remaining else { throw error(.ended) }
        return ByteReader(try slice(Int(length)))
    }

    /// The next `count` bytes, in place.
    package mutating func bytes(_ count: Int) throws(ByteError) -> UnsafeRawBufferPointer {
        try slice(count)
    }

    package func expectEnd() throws(ByteError) {
        guard remaining == 0 else { throw error(.trailingBytes) }
    }

    private mutating func slice(_ count: Int) throws(ByteError) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else { throw error(.ended) }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    private func error(_ reason: ByteError.Reason) -> ByteError {
        ByteError(reason: reason, offset: offset)
    }
}
