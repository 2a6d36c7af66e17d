/// Decodes a body in chunks (RFC 9112 section 7.1) that arrives in slices cut anywhere.
struct ChunkedBody {
    private enum State {
        /// In the line with a chunk's size.
        case size(value: Int, digits: Int)
        /// Behind the size: an extension, or the end of the line.
        case sizeEnd(value: Int)
        case data(left: Int)
        /// The end of the line behind a chunk's data.
        case dataEnd
        /// In the lines behind the last chunk; whether the line so far is empty.
        case trailer(isEmpty: Bool)
        case finished
    }

    /// Bytes of sizes, extensions and trailers: more of it than data is no honest request.
    private static let overheadLimit = 65_536
    private static let longestSize = 15

    private var state = State.size(value: 0, digits: 0)
    private var overhead = 0

    var isFinished: Bool {
        if case .finished = state { return true }
        return false
    }

    /// Hands the data of a slice to `body`, piece by piece. Throws for what are no chunks.
    mutating func decode(
        _ slice: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(ChunkedError) {
        var index = 0
        while index < slice.count {
            if case .data(let left) = state {
                let count = min(left, slice.count - index)
                body(UnsafeRawBufferPointer(rebasing: slice[index..<(index + count)]))
                index += count
                // Data makes up for the lines around it.
                overhead = max(0, overhead - count)
                state = count == left ? .dataEnd : .data(left: left - count)
                continue
            }
            overhead += 1
            guard overhead <= Self.overheadLimit else { throw ChunkedError() }
            try step(slice[index])
            index += 1
        }
    }

    private mutating func step(_ byte: UInt8) throws(ChunkedError) {
        switch state {
        case .size(let value, let digits):
            if let digit = Self.digit(byte) {
                guard digits < Self.longestSize else { throw ChunkedError() }
                state = .size(value: value << 4 | digit, digits: digits + 1)
                return
            }
            guard digits > 0 else { throw ChunkedError() }
            state = .sizeEnd(value: value)
            try step(byte)
        case .sizeEnd(let value):
            if byte == 0x0A { state = value == 0 ? .trailer(isEmpty: true) : .data(left: value) }
        case .dataEnd:
            switch byte {
            case 0x0D: break
            case 0x0A: state = .size(value: 0, digits: 0)
            default: throw ChunkedError()
            }
        case .trailer(let isEmpty):
            switch byte {
            case 0x0D: break
            case 0x0A: state = isEmpty ? .finished : .trailer(isEmpty: true)
            default: state = .trailer(isEmpty: false)
            }
        case .finished:
            // The next request in the same segment cannot be given back to libwebsockets.
            break
        case .data:
            break
        }
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30
        case 0x41...0x46: Int(byte) - 0x37
        case 0x61...0x66: Int(byte) - 0x57
        default: nil
        }
    }
}

/// What arrived are no chunks.
struct ChunkedError: Error, Equatable {}
