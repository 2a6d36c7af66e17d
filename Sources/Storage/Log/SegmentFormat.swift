import CZlib

/// The bytes of a segment file.
///
/// A segment begins with a block of 4,096 bytes that is written once:
///
///     0   8  "HEARTHLG"
///     8   4  format (1)
///     12  4  0
///     16  8  identity of the log
///     24     zeros
///     4092 4 CRC-32 of the bytes before
///
/// Groups follow, each at a multiple of 8, one after the other; the rest of the file is zeros. A group is what one
/// commit of the log wrote and synced together:
///
///     0   8  identity of the log
///     8   4  format (1)
///     12  4  number of entries
///     16  8  position of the first entry
///     24  8  bytes of payload
///     32  4  CRC-32 of the payload and the zeros behind it
///     36  4  CRC-32 of the bytes before
///     40     payload: for each entry its length (4 bytes) and its bytes; zeros up to a multiple of 8
///
/// Integers are little-endian. The identity is random, so that no content of an entry can pass for a group.
/// A group never shares a sector with the header block, and sectors that hold a synced group are only rewritten with
/// the same bytes in it: the disk must write sectors of 512 bytes whole, or not at all.
enum SegmentFormat {
    static let version = 1
    static let magic: [UInt8] = Array("HEARTHLG".utf8)
    static let dataStart: Int64 = 4096
    private static let headerChecksumOffset = 4092
    static let groupHeaderBytes = 40
    static let entryHeaderBytes = 4

    /// The bytes that a group with this payload takes in the file.
    static func groupBytes(payload: Int) -> Int {
        (groupHeaderBytes + payload + 7) & ~7
    }

    /// The name of the segment whose first entry has this position. Names sort like positions.
    static func name(first: LogPosition) -> String {
        let digits = String(first.value)
        return String(repeating: "0", count: 20 - digits.utf8.count) + digits + ".log"
    }

    /// The first position that a file name stands for, or nil if it is not a segment's name.
    static func first(inName name: String) -> LogPosition? {
        guard name.utf8.count == 24, name.hasSuffix(".log"), let value = UInt64(name.dropLast(4)), value > 0 else {
            return nil
        }
        return LogPosition(value)
    }

    static func header(identity: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: Int(dataStart))
        writer.bytes = magic
        writer.uint32(UInt32(version))
        writer.uint32(0)
        writer.uint64(identity)
        writer.bytes.append(contentsOf: [UInt8](repeating: 0, count: headerChecksumOffset - writer.bytes.count))
        writer.uint32(writer.bytes.withUnsafeBytes { checksum($0) })
        return writer.bytes
    }

    /// The identity in a header block.
    static func identity(inHeader bytes: UnsafeRawBufferPointer, file: String) throws(StorageError) -> UInt64 {
        func damaged(_ detail: String) -> StorageError { .damaged(file: file, offset: 0, detail: detail) }
        guard bytes.count >= Int(dataStart), bytes.prefix(8).elementsEqual(magic) else {
            throw damaged("it does not begin like a log segment")
        }
        let found = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        let stored = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: headerChecksumOffset, as: UInt32.self))
        guard stored == checksum(UnsafeRawBufferPointer(rebasing: bytes[..<headerChecksumOffset])) else {
            throw damaged("the checksum of its header is wrong")
        }
        guard found <= version else { throw .newerFormat(file: file, found: found, supported: version) }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
    }

    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
    }
}

/// The header of a group.
struct GroupHeader: Equatable {
    var identity: UInt64
    var format: UInt32 = UInt32(SegmentFormat.version)
    var count: UInt32
    var first: LogPosition
    var payloadBytes: Int
    var payloadChecksum: UInt32

    /// The payload and the zeros behind it.
    var paddedBytes: Int { SegmentFormat.groupBytes(payload: payloadBytes) - SegmentFormat.groupHeaderBytes }

    /// The position after the last entry of the group.
    var next: LogPosition { LogPosition(first.value &+ UInt64(count)) }

    func write(to bytes: UnsafeMutableRawBufferPointer) {
        bytes.storeBytes(of: identity.littleEndian, toByteOffset: 0, as: UInt64.self)
        bytes.storeBytes(of: format.littleEndian, toByteOffset: 8, as: UInt32.self)
        bytes.storeBytes(of: count.littleEndian, toByteOffset: 12, as: UInt32.self)
        bytes.storeBytes(of: first.value.littleEndian, toByteOffset: 16, as: UInt64.self)
        bytes.storeBytes(of: UInt64(payloadBytes).littleEndian, toByteOffset: 24, as: UInt64.self)
        bytes.storeBytes(of: payloadChecksum.littleEndian, toByteOffset: 32, as: UInt32.self)
        let own = SegmentFormat.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<36]))
        bytes.storeBytes(of: own.littleEndian, toByteOffset: 36, as: UInt32.self)
    }

    /// Nil if the bytes are not an intact header of this log.
    init?(_ bytes: UnsafeRawBufferPointer, identity: UInt64) {
        guard bytes.count >= SegmentFormat.groupHeaderBytes,
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)) == identity
        else { return nil }
        let own = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 36, as: UInt32.self))
        guard own == SegmentFormat.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<36])) else { return nil }
        let length = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        guard length < 1 << 40 else { return nil }
        self.identity = identity
        format = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        count = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        first = LogPosition(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)))
        payloadBytes = Int(length)
        payloadChecksum = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 32, as: UInt32.self))
    }

    init(identity: UInt64, count: UInt32, first: LogPosition, payloadBytes: Int, payloadChecksum: UInt32) {
        self.identity = identity
        self.count = count
        self.first = first
        self.payloadBytes = payloadBytes
        self.payloadChecksum = payloadChecksum
    }
}

/// Assembles one group in memory that is used again and again.
struct GroupBuffer {
    private var bytes: [UInt8] = []
    private let identity: UInt64

    init(identity: UInt64) {
        self.identity = identity
    }

    /// Calls `body` with the complete bytes of a group.
    mutating func withGroup<Result>(
        of entries: ArraySlice<QueuedEntry>, first: LogPosition, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let header = SegmentFormat.groupHeaderBytes
        bytes.removeAll(keepingCapacity: bytes.capacity <= 8 << 20)
        bytes.append(contentsOf: repeatElement(0, count: header))
        for entry in entries {
            withUnsafeBytes(of: UInt32(entry.bytes.count).littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: entry.bytes)
        }
        let payload = bytes.count - header
        bytes.append(contentsOf: [UInt8](repeating: 0, count: SegmentFormat.groupBytes(payload: payload) - bytes.count))
        bytes.withUnsafeMutableBytes { buffer in
            let content = UnsafeRawBufferPointer(rebasing: buffer[header...])
            GroupHeader(
                identity: identity, count: UInt32(entries.count), first: first, payloadBytes: payload,
                payloadChecksum: SegmentFormat.checksum(content)
            ).write(to: buffer)
        }
        return bytes.withUnsafeBytes(body)
    }
}
