/// Why a connection must be closed while its input is put together.
package enum AssemblyError: Error, Equatable, CustomStringConvertible {
    /// A message went on long after its limit was passed.
    case endless(limit: Int)

    package var description: String {
        switch self {
        case .endless(let limit):
            "a message went on far beyond the limit of \(limit) bytes; "
                + "split the write into smaller ones or raise the hub's message limit"
        }
    }
}

/// Puts the messages of one client together: WebSocket fragments into texts, and a count with its segments into one message.
///
/// The rules are those of `protocol/websocket.md`, "Long messages": `0` is a keep-alive at any time, between segments too (the
/// iOS SDK's keep-alive timer runs beside its sender); a text of at most six digits announces segments; anything else is a
/// message. One assembler belongs to one connection and dies with it, so that nothing half received outlives a socket. It holds
/// at most `limit` bytes, whatever count was announced; the rest of a longer message is passed over, and its head is handed
/// back so that the request can be answered.
package struct SegmentAssembler: Sendable {
    /// What a piece of input led to.
    package enum Assembled: Sendable, Equatable {
        /// A `0`: proof of life, nothing else.
        case keepAlive
        /// More is to come.
        case partial
        /// The text that was just handed over is a complete message; nothing was copied.
        case whole
        /// A complete message that came in several pieces.
        case message([UInt8])
        /// A complete message that was longer than the limit: its first bytes, and its length.
        case oversized(head: [UInt8], byteCount: Int)
    }

    /// How much of an oversized message is kept: enough for its request number and action.
    package static let headBytes = 4_096
    /// An oversized message may be this many times the limit before the connection is given up.
    package static let toleratedExcess = 16

    private let limit: Int
    /// Segments still to come; 0 when no message is announced.
    private var segmentsLeft = 0
    private var held: [UInt8] = []
    /// Where the WebSocket text that is arriving begins in `held`.
    private var textStart = 0
    /// Bytes of the message that were not kept.
    private var passedOver = 0
    private var insideText = false

    /// - Parameter limit: bytes a message may have.
    package init(limit: Int = 16 * 1_048_576) {
        self.limit = max(limit, 16)
    }

    /// Bytes held for a message that is not complete.
    package var heldBytes: Int { held.count }

    /// Takes a complete WebSocket text message.
    package mutating func receive(_ text: UnsafeRawBufferPointer) throws(AssemblyError) -> Assembled {
        try receive(fragment: text, isFinal: true)
    }

    /// Takes the next fragment of a WebSocket text message; `isFinal` with its last bytes.
    package mutating func receive(
        fragment: UnsafeRawBufferPointer, isFinal: Bool
    ) throws(AssemblyError) -> Assembled {
        if isFinal, !insideText {
            if SegmentAssembler.isKeepAlive(fragment) { return .keepAlive }
            if segmentsLeft == 0 {
                if let count = SegmentAssembler.count(fragment) { return announce(count) }
                if fragment.count <= limit { return .whole }
            }
        }
        try keep(fragment)
        guard isFinal else {
            insideText = true
            return .partial
        }
        insideText = false
        return textEnded()
    }

    /// A WebSocket text of several fragments, or a segment, has ended.
    private mutating func textEnded() -> Assembled {
        if passedOver == 0, held.count - textStart <= SegmentRules.countDigits {
            // Only a text this short can be a keep-alive or a count.
            let (isKeepAlive, count) = held.withUnsafeBytes { bytes in
                let text = UnsafeRawBufferPointer(rebasing: bytes[textStart...])
                return (SegmentAssembler.isKeepAlive(text), SegmentAssembler.count(text))
            }
            if isKeepAlive {
                held.removeSubrange(textStart...)
                return .keepAlive
            }
            if segmentsLeft == 0, let count {
                held = []
                return announce(count)
            }
        }
        textStart = held.count
        if segmentsLeft > 1 {
            segmentsLeft -= 1
            return .partial
        }
        defer { reset() }
        if passedOver > 0 {
            return .oversized(head: Array(held.prefix(SegmentAssembler.headBytes)), byteCount: held.count + passedOver)
        }
        return .message(held)
    }

    private mutating func announce(_ count: Int) -> Assembled {
        // A count of nothing (`00`) announces nothing; the Android SDK ignores it likewise.
        segmentsLeft = count
        return count == 0 ? .keepAlive : .partial
    }

    private mutating func keep(_ fragment: UnsafeRawBufferPointer) throws(AssemblyError) {
        if passedOver == 0, fragment.count <= limit - held.count {
            held.append(contentsOf: fragment)
            return
        }
        if passedOver == 0 {
            // Only the head is of use from here on; the memory goes back at once.
            let room = SegmentAssembler.headBytes - held.count
            var head = Array(held.prefix(SegmentAssembler.headBytes))
            if room > 0 { head.append(contentsOf: fragment.prefix(room)) }
            passedOver = held.count + fragment.count - head.count
            held = head
            textStart = held.count
        } else {
            passedOver += fragment.count
        }
        if (held.count + passedOver) / SegmentAssembler.toleratedExcess > limit {
            throw .endless(limit: limit)
        }
    }

    private mutating func reset() {
        held = []
        textStart = 0
        passedOver = 0
        segmentsLeft = 0
    }

    private static func isKeepAlive(_ text: UnsafeRawBufferPointer) -> Bool {
        text.count == 1 && text[0] == UInt8(ascii: "0")
    }

    /// The number of segments a text announces; nil when it is an ordinary message.
    private static func count(_ text: UnsafeRawBufferPointer) -> Int? {
        guard !text.isEmpty, text.count <= SegmentRules.countDigits else { return nil }
        var count = 0
        for byte in text {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            count = count * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return count
    }
}
