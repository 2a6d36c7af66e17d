/// Builds the binary form of an entry or record. Integers are little-endian.
package struct ByteWriter: Sendable {
    /// What has been written so far.
    package var bytes: [UInt8] = []

    package init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func byte(_ value: UInt8) {
        bytes.append(value)
    }

    package mutating func uint32(_ value: UInt32) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func uint64(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// An unsigned number in groups of seven bits, low groups first: one byte below 128, ten at most (LEB128).
    package mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A signed number, small magnitudes short (zigzag).
    package mutating func signed(_ value: Int64) {
        varint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    package mutating func bool(_ value: Bool) {
        bytes.append(value ? 1 : 0)
    }

    /// The bit pattern, so that every value comes back exactly.
    package mutating func double(_ value: Double) {
        uint64(value.bitPattern)
    }

    /// A length and the bytes.
    package mutating func block(_ content: some Collection<UInt8>) {
        varint(UInt64(content.count))
        bytes.append(contentsOf: content)
    }

    /// The UTF-8 of a string as a block.
    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { block($0) }
    }

    /// A block whose content `body` writes in place. The length takes four bytes.
    package mutating func nested(_ body: (inout ByteWriter) -> Void) {
        let start = bytes.count
        uint32(0)
        body(&self)
        let length = UInt32(truncatingIfNeeded: bytes.count - start - 4)
        withUnsafeBytes(of: length.littleEndian) { source in
            for (offset, byte) in source.enumerated() { bytes[start + offset] = byte }
        }
    }
}
