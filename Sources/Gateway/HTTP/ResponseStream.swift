/// The body of an answer on its way out: compressed if the client takes that, in chunks if it understands them.
///
/// Confined to the loop's thread.
final class ResponseStream {
    private let source: any BodyStream
    private let deflater: Deflater?
    private let isChunked: Bool
    private var piece: [UInt8] = []
    private var compressed: [UInt8] = []

    init(_ source: any BodyStream, isCompressed: Bool, isChunked: Bool) {
        self.source = source
        deflater = isCompressed ? Deflater() : nil
        self.isChunked = isChunked
    }

    /// Appends what comes next; `false` when that was the end.
    func next(upTo byteCount: Int, into bytes: inout [UInt8]) -> Bool {
        piece.removeAll(keepingCapacity: true)
        let goesOn = source.next(upTo: byteCount, into: &piece)
        if let deflater {
            compressed.removeAll(keepingCapacity: true)
            deflater.deflate(piece, isLast: !goesOn, into: &compressed)
            append(compressed, to: &bytes)
        } else {
            append(piece, to: &bytes)
        }
        if !goesOn && isChunked { bytes += "0\r\n\r\n".utf8 }
        return goesOn
    }

    private func append(_ part: [UInt8], to bytes: inout [UInt8]) {
        if part.isEmpty { return }
        if isChunked {
            bytes += String(part.count, radix: 16).utf8
            bytes += "\r\n".utf8
        }
        bytes += part
        if isChunked { bytes += "\r\n".utf8 }
    }
}
