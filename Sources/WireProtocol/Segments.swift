/// How long messages are cut (`protocol/websocket.md`, "Long messages").
package enum SegmentRules {
    /// The longest text, in UTF-16 code units, that travels as one WebSocket message
    /// (JavaScript SDK, `WebSocketConnection.send`; Android `WebsocketConnection.MAX_FRAME_SIZE`).
    package static let unitsPerSegment = 16_384
    /// The largest count a hub announces: the iOS SDK reads counts of at most four digits (`FWebSocketConnection
    /// extractFrameCount:`). A longer answer is refused with `too_big`.
    package static let mostSegments = 9_999
    /// The most digits a count from a client may have (JavaScript SDK, `WebSocketConnection.extractFrameCount_`).
    static let countDigits = 6
}

/// Counts the segments of a long JSON text that arrives in pieces, before the same text is sent with a `SegmentSplitter`.
///
/// Feed it the pieces in order; `segments` and `units` are up to date after each. Pieces may be cut anywhere, inside a scalar too.
package struct SegmentCounter: Sendable {
    /// Segments begun so far; 1 at the end means that the text travels alone, without a count.
    package private(set) var segments: Int
    /// UTF-16 code units seen so far.
    package private(set) var units = 0
    /// Bytes seen so far.
    package private(set) var bytes = 0
    private var unitsLeft = SegmentRules.unitsPerSegment

    /// - Parameter segments: the segment that begins; other than 1 only to come near the limit quickly.
    package init(segment segments: Int = 1) { self.segments = segments }

    /// Whether the text seen so far is too long to be announced.
    package var isTooBig: Bool { segments > SegmentRules.mostSegments }

    package mutating func feed(_ piece: UnsafeRawBufferPointer) {
        bytes += piece.count
        var index = 0
        while true {
            let before = unitsLeft
            index = TextMeasure.segmentEnd(in: piece, from: index, unitsLeft: &unitsLeft)
            units += before - unitsLeft
            if index == piece.count { return }
            segments += 1
            unitsLeft = SegmentRules.unitsPerSegment
        }
    }

    package mutating func feed(_ piece: [UInt8]) {
        piece.withUnsafeBytes { feed($0) }
    }
}

/// Turns a long JSON text that arrives in pieces into WebSocket frames: the count first, then each segment as soon as it is full.
///
/// It holds at most one unfinished segment (49,152 bytes). The number of segments comes from a `SegmentCounter` that saw the
/// same text; both cut at the same places whatever the pieces are.
package struct SegmentSplitter: Sendable {
    private let announced: Int
    private var hasAnnounced = false
    private var emitted = 0
    private var pending: [UInt8] = []
    private var unitsLeft = SegmentRules.unitsPerSegment

    /// - Parameter segments: what the counter said; 1 sends the text alone, without a count.
    package init(segments: Int) {
        announced = segments
    }

    /// Takes the next piece and appends the frames it completes to `output`.
    package mutating func feed(_ piece: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        announce(into: &output)
        var index = 0
        while true {
            let end = TextMeasure.segmentEnd(in: piece, from: index, unitsLeft: &unitsLeft)
            pending.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[index..<end]))
            index = end
            if index == piece.count { return }
            emit(into: &output)
        }
    }

    package mutating func feed(_ piece: [UInt8], into output: inout [UInt8]) {
        piece.withUnsafeBytes { feed($0, into: &output) }
    }

    /// Appends the last segment. False when the text was not the one that was counted: the client would wait for segments that
    /// never come or misread what follows, so the connection must be closed.
    package mutating func finish(into output: inout [UInt8]) -> Bool {
        announce(into: &output)
        emit(into: &output)
        return emitted == announced
    }

    private mutating func announce(into output: inout [UInt8]) {
        guard !hasAnnounced else { return }
        hasAnnounced = true
        guard announced > 1 else { return }
        SegmentSplitter.appendCount(announced, to: &output)
    }

    private mutating func emit(into output: inout [UInt8]) {
        WebSocketHeader.append(forPayload: pending.count, to: &output)
        output.append(contentsOf: pending)
        pending.removeAll(keepingCapacity: true)
        unitsLeft = SegmentRules.unitsPerSegment
        emitted += 1
    }

    /// Appends the message that announces `count` segments.
    static func appendCount(_ count: Int, to output: inout [UInt8]) {
        let digits = Array(String(count).utf8)
        WebSocketHeader.append(forPayload: digits.count, to: &output)
        output.append(contentsOf: digits)
    }
}
