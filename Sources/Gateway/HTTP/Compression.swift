import CZlib

/// Compresses a stream of bytes as gzip (RFC 1952). Confined to the loop's thread.
final class Deflater {
    private var stream = z_stream()
    private var isReady = false
    /// Fast rather than small: the hub's own time is dearer than the network's.
    private static let level: Int32 = 1
    /// The window's size as a power of two; 16 asks zlib for gzip's header and trailer.
    private static let gzipWindow: Int32 = 15 + 16

    init?() {
        let size = Int32(MemoryLayout<z_stream>.size)
        isReady =
            deflateInit2_(
                &stream, Deflater.level, Z_DEFLATED, Deflater.gzipWindow, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
            == Z_OK
        guard isReady else { return nil }
    }

    deinit { if isReady { deflateEnd(&stream) } }

    /// Appends what the input becomes; all that is left when it `isLast`.
    func deflate(_ input: [UInt8], isLast: Bool, into output: inout [UInt8]) {
        var input = input
        input.withUnsafeMutableBufferPointer { bytes in
            // zlib reads during the call only.
            stream.next_in = bytes.baseAddress
            stream.avail_in = UInt32(bytes.count)
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16_384) { buffer in
                repeat {
                    stream.next_out = buffer.baseAddress
                    stream.avail_out = UInt32(buffer.count)
                    let result = CZlib.deflate(&stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    guard result != Z_STREAM_ERROR else { return }
                    output.append(contentsOf: buffer.prefix(buffer.count - Int(stream.avail_out)))
                } while stream.avail_out == 0
            }
            stream.next_in = nil
        }
    }
}

/// Decompresses gzip data. Confined to the loop's thread.
final class Inflater {
    private var stream = z_stream()
    private var isReady = false
    /// All of the data has come.
    private(set) var isAtEnd = false

    init() {
        isReady = inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    }

    deinit { if isReady { inflateEnd(&stream) } }

    /// Hands the data that a slice holds to `body`, piece by piece.
    func inflate(
        _ slice: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(InflaterError) {
        guard isReady, !isAtEnd, let base = slice.baseAddress else { return }
        // zlib does not write to its input.
        stream.next_in = UnsafeMutablePointer(mutating: base.assumingMemoryBound(to: UInt8.self))
        stream.avail_in = UInt32(slice.count)
        var isBroken = false
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16_384) { buffer in
            repeat {
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(buffer.count)
                let result = CZlib.inflate(&stream, Z_NO_FLUSH)
                guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else {
                    isBroken = true
                    return
                }
                let count = buffer.count - Int(stream.avail_out)
                if count > 0 {
                    body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(buffer)[..<count])))
                }
                isAtEnd = result == Z_STREAM_END
            } while stream.avail_out == 0 && !isAtEnd
        }
        stream.next_in = nil
        if isBroken { throw InflaterError() }
    }
}

/// What arrived is no gzip data.
struct InflaterError: Error, Equatable {}
