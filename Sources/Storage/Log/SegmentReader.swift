/// Reads a segment through a window of memory.
struct SegmentReader {
    private let file: any StorageFile
    private var window: [UInt8] = []
    private var windowStart: Int64 = 0
    private var filled = 0
    let size: Int64

    private static let windowBytes = 1 << 20

    init(_ file: any StorageFile) throws(FileError) {
        self.file = file
        size = try file.size()
    }

    /// Calls `body` with `count` bytes at `offset`, or with what the file has of them.
    mutating func withBytes<Result>(
        at offset: Int64, count: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let wanted = Int(max(0, min(Int64(count), size - offset)))
        if offset < windowStart || offset + Int64(wanted) > windowStart + Int64(filled) {
            try fill(at: offset, count: wanted)
        }
        let start = Int(offset - windowStart)
        return try window.withUnsafeBytes { bytes in
            try body(UnsafeRawBufferPointer(rebasing: bytes[start..<start + min(wanted, filled - start)]))
        }
    }

    private mutating func fill(at offset: Int64, count: Int) throws(FileError) {
        let length = Int(min(Int64(max(count, SegmentReader.windowBytes)), size - offset))
        if window.count < length || window.count > max(length, SegmentReader.windowBytes) {
            window = [UInt8](repeating: 0, count: length)
        }
        windowStart = offset
        filled = 0
        let target = length
        let file = file
        var failure: FileError?
        filled = window.withUnsafeMutableBytes { bytes in
            do throws(FileError) {
                return try file.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<target]))
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
    }
}

/// What a segment holds, from a scan.
struct SegmentScan {
    /// The offset after the last intact group.
    var end: Int64
    /// The position after the last intact entry.
    var next: LogPosition
    /// Where the bytes end that are neither zero nor an intact group, if there are any.
    var strayEnd: Int64?
}

extension SegmentReader {
    /// Walks the groups of a segment, checking checksums and the sequence of positions.
    /// - Throws: `StorageError.damaged` if an intact group comes after one that is not: it was written when the earlier
    ///   one had been synced. What `body` throws.
    mutating func scan(
        first: LogPosition, identity: UInt64, name: String,
        _ body: (GroupHeader, UnsafeRawBufferPointer) throws -> Void
    ) throws -> SegmentScan {
        let found = try withBytes(at: 0, count: Int(SegmentFormat.dataStart)) {
            try SegmentFormat.identity(inHeader: $0, file: name)
        }
        guard found == identity else {
            throw StorageError.damaged(file: name, offset: 16, detail: "the segment belongs to another log")
        }
        var scan = SegmentScan(end: SegmentFormat.dataStart, next: first)
        while let header = try groupHeader(at: scan.end, identity: identity) {
            guard header.format <= UInt32(SegmentFormat.version) else {
                throw StorageError.newerFormat(
                    file: name, found: Int(header.format), supported: SegmentFormat.version)
            }
            let payloadStart = scan.end + Int64(SegmentFormat.groupHeaderBytes)
            let isIntact = try withBytes(at: payloadStart, count: header.paddedBytes) { payload in
                guard header.matches(payload) else { return false }
                guard header.first == scan.next else {
                    throw StorageError.damaged(
                        file: name, offset: scan.end,
                        detail: "entry \(header.first) stands where entry \(scan.next) was expected")
                }
                try body(header, payload)
                return true
            }
            guard isIntact else { break }
            scan.end += Int64(SegmentFormat.groupBytes(payload: header.payloadBytes))
            scan.next = header.next
        }
        scan.strayEnd = try strayEnd(after: scan.end)
        if let strayEnd = scan.strayEnd,
            let later = try intactGroup(from: scan.end + 8, to: strayEnd, identity: identity)
        {
            throw StorageError.damaged(
                file: name, offset: scan.end,
                detail: "entry \(scan.next) cannot be read, but a later one at byte \(later) can")
        }
        return scan
    }

    private mutating func groupHeader(at offset: Int64, identity: UInt64) throws -> GroupHeader? {
        guard offset + Int64(SegmentFormat.groupHeaderBytes) <= size else { return nil }
        return try withBytes(at: offset, count: SegmentFormat.groupHeaderBytes) {
            GroupHeader($0, identity: identity)
        }
    }

    /// The end of the last byte after `offset` that is not zero.
    private mutating func strayEnd(after offset: Int64) throws -> Int64? {
        var result: Int64?
        var position = offset
        while position < size {
            let step = try withBytes(at: position, count: SegmentReader.windowBytes) { bytes in
                if let last = lastNonZero(bytes) { result = position + Int64(last) + 1 }
                return bytes.count
            }
            guard step > 0 else { break }
            position += Int64(step)
        }
        return result
    }

    /// The offset of an intact group in a range. Groups stand at multiples of 8.
    private mutating func intactGroup(from start: Int64, to end: Int64, identity: UInt64) throws -> Int64? {
        var offset = start
        while offset < end {
            let candidate = try withBytes(at: offset, count: SegmentReader.windowBytes) { bytes in
                firstWord(identity, in: bytes)
            }
            guard let candidate else {
                offset += Int64(SegmentReader.windowBytes)
                continue
            }
            let place = offset + Int64(candidate)
            if let header = try groupHeader(at: place, identity: identity),
                try withBytes(
                    at: place + Int64(SegmentFormat.groupHeaderBytes), count: header.paddedBytes,
                    { header.matches($0) })
            {
                return place
            }
            offset = place + 8
        }
        return nil
    }
}

extension GroupHeader {
    /// Whether this is the payload that the header was written with, and the zeros behind it.
    fileprivate func matches(_ payload: UnsafeRawBufferPointer) -> Bool {
        payload.count == paddedBytes && SegmentFormat.checksum(payload) == payloadChecksum
    }
}

private func lastNonZero(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var index = bytes.count
    while index & 7 != 0 {
        index -= 1
        if bytes[index] != 0 { return index }
    }
    while index > 0 {
        if bytes.loadUnaligned(fromByteOffset: index - 8, as: UInt64.self) != 0 {
            while bytes[index - 1] == 0 { index -= 1 }
            return index - 1
        }
        index -= 8
    }
    return nil
}

/// The offset, a multiple of 8, of the first little-endian word that equals `value`.
private func firstWord(_ value: UInt64, in bytes: UnsafeRawBufferPointer) -> Int? {
    var index = 0
    while index + 8 <= bytes.count {
        if UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) == value { return index }
        index += 8
    }
    return nil
}

/// Calls `body` with each entry of an intact group.
func forEachEntry(
    in payload: UnsafeRawBufferPointer, of header: GroupHeader, file: String,
    _ body: (LogPosition, UnsafeRawBufferPointer) throws -> Void
) throws {
    var reader = ByteReader(payload)
    var position = header.first
    for _ in 0..<header.count {
        guard let length = try? reader.uint32(), length <= reader.remaining else {
            throw StorageError.damaged(
                file: file, offset: nil, detail: "entry \(position) is longer than its group")
        }
        let entry = try reader.bytes(Int(length))
        try body(position, entry)
        position.value += 1
    }
}
