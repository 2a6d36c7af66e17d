import CZlib

/// Compresses bytes into a gzip file (RFC 1952) piece by piece.
final class GzipWriter {
    // zlib holds the address of its stream, so that must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var output = [UInt8](repeating: 0, count: 262_144)

    init() throws(CommandProblem) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // A window of 15 bits with a gzip header; of the levels one that is fast and compresses nearly as well.
        let code = deflateInit2_(
            stream, 4, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else {
            throw .failure("zlib does not start; free some memory, or leave out --gzip")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Hands what comes out to `emit`.
    func write(
        _ bytes: UnsafeRawBufferPointer, _ emit: (ArraySlice<UInt8>) throws(CommandProblem) -> Void
    ) throws(CommandProblem) {
        // zlib takes a pointer that may be written through, and does not write through it.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(clamping: bytes.count)
        while stream.pointee.avail_in > 0 { try step(Z_NO_FLUSH, emit) }
    }

    /// Hands out what is left, and the checksum.
    func finish(_ emit: (ArraySlice<UInt8>) throws(CommandProblem) -> Void) throws(CommandProblem) {
        while try step(Z_FINISH, emit) != Z_STREAM_END {}
    }

    @discardableResult
    private func step(
        _ flush: Int32, _ emit: (ArraySlice<UInt8>) throws(CommandProblem) -> Void
    ) throws(CommandProblem) -> Int32 {
        let size = output.count
        let code = output.withUnsafeMutableBufferPointer { buffer in
            stream.pointee.next_out = buffer.baseAddress
            stream.pointee.avail_out = UInt32(buffer.count)
            return deflate(stream, flush)
        }
        guard code == Z_OK || code == Z_STREAM_END else {
            throw .failure("the data cannot be compressed (zlib \(code)); leave out --gzip")
        }
        let count = size - Int(stream.pointee.avail_out)
        if count > 0 { try emit(output[..<count]) }
        return code
    }
}
