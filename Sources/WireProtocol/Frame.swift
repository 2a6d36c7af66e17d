/// One server message, framed for the WebSocket once and sent to any number of connections.
///
/// The bytes never change, so one frame may be queued on thousands of connections by several threads. A text of at most 16,384
/// UTF-16 code units is one text message; a longer one is the message that holds the count, then the segments, each an
/// unfragmented message of at most 49,152 bytes cut between scalars (`protocol/websocket.md`, "Long messages").
package final class Frame: Sendable {
    /// Bytes a writer leaves free in front of the text, so that the header is put there without moving the text.
    static let headerRoom = WebSocketHeader.longest

    private let storage: [UInt8]
    private let start: Int
    /// What the message means; nil when only its text is known.
    package let content: PushContent?

    /// Frames a complete JSON text.
    package convenience init(text: [UInt8]) {
        var bytes = [UInt8]()
        bytes.reserveCapacity(text.count + Frame.headerRoom)
        bytes.append(contentsOf: repeatElement(0, count: Frame.headerRoom))
        bytes.append(contentsOf: text)
        self.init(textAfterHeaderRoom: bytes)
    }

    /// Frames the text that begins after the first `headerRoom` bytes. Hot path: every acknowledgement and push passes here;
    /// a short text is framed in place.
    init(textAfterHeaderRoom bytes: consuming [UInt8], content: PushContent? = nil) {
        self.content = content
        let count = bytes.count - Frame.headerRoom
        // A text has at most as many units as bytes, so most messages need no measuring.
        if count <= SegmentRules.unitsPerSegment {
            start = WebSocketHeader.write(forPayload: count, endingAt: Frame.headerRoom, in: &bytes)
            storage = bytes
            return
        }
        var counter = SegmentCounter()
        bytes.withUnsafeBytes { counter.feed(UnsafeRawBufferPointer(rebasing: $0[Frame.headerRoom...])) }
        if counter.segments == 1 {
            start = WebSocketHeader.write(forPayload: count, endingAt: Frame.headerRoom, in: &bytes)
            storage = bytes
            return
        }
        var output = [UInt8]()
        output.reserveCapacity(count + 16 + 4 * counter.segments)
        var splitter = SegmentSplitter(segments: counter.segments)
        bytes.withUnsafeBytes {
            splitter.feed(UnsafeRawBufferPointer(rebasing: $0[Frame.headerRoom...]), into: &output)
        }
        _ = splitter.finish(into: &output)
        start = 0
        storage = output
    }

    /// Bytes that go out as they are, over a transport that is no WebSocket.
    package init(raw bytes: [UInt8]) {
        storage = bytes
        start = 0
        content = nil
    }

    /// Bytes on the wire, headers included.
    package var byteCount: Int { storage.count - start }

    /// Calls `body` with the complete framing; the pointer is valid during the call.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    /// A copy of the complete framing.
    package var bytes: [UInt8] { Array(storage[start...]) }

    /// Appends the complete framing, for joining several frames into one send.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: storage[start...])
    }

    /// The JSON text alone, for transports that frame otherwise.
    package var text: [UInt8] {
        withBytes { bytes in
            let payloads = Frame.payloads(in: bytes)
            // More than one message: the first is the count.
            let parts = payloads.count > 1 ? payloads[1...] : payloads[...]
            var text = [UInt8]()
            text.reserveCapacity(bytes.count)
            for part in parts { text.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[part])) }
            return text
        }
    }

    /// The WebSocket messages of this frame as a client receives them: one text, or the count and the segments.
    package var messages: [String] {
        withBytes { bytes in
            Frame.payloads(in: bytes).map {
                String(decoding: UnsafeRawBufferPointer(rebasing: bytes[$0]), as: UTF8.self)
            }
        }
    }

    private static func payloads(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var position = 0
        while let range = WebSocketHeader.payload(at: position, in: bytes) {
            ranges.append(range)
            position = range.upperBound
        }
        return ranges
    }
}
