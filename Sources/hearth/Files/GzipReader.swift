import CZlib

/// Reads what a gzip file holds (RFC 1952), several members in a row among it.
final class GzipReader {
    private let name: String
    private let source: ByteSource
    // zlib holds the address of its stream, so that must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 1)
    private var isAtEnd = false
    private var isInMember = false

    /// The first bytes of every gzip file.
    static let mark: [UInt8] = [0x1F, 0x8B]

    init(_ source: ByteSource, name: String) throws(CommandProblem) {
        self.source = source
        self.name = name
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .failure("zlib does not start; free some memory")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        input.deallocate()
    }

    /// Fills the buffer as far as it goes; 0 is the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CommandProblem) -> Int {
        guard !buffer.isEmpty else { return 0 }
        while true {
            if stream.pointee.avail_in == 0, !isAtEnd {
                let count = try source.read(input)
                isAtEnd = count == 0
                stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_in = UInt32(count)
            }
            if stream.pointee.avail_in == 0 {
                guard !isInMember else { throw .failure("\(name) is compressed and ends too early; get it again") }
                return 0
            }
            isInMember = true
            stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(clamping: buffer.count)
            let room = Int(stream.pointee.avail_out)
            let code = inflate(stream, Z_NO_FLUSH)
            guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
                throw .failure("\(name) is compressed and damaged (zlib \(code)); get it again")
            }
            if code == Z_STREAM_END {
                isInMember = false
                inflateReset(stream)
            }
            let count = room - Int(stream.pointee.avail_out)
            if count > 0 { return count }
        }
    }
}
