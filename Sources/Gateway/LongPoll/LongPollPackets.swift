import HubEngine
import WireProtocol

/// A piece of what a client sends: base64 text of a packet that was cut because URLs are short.
struct LongPollSegment: Sendable, Equatable {
    /// Counts the segments of a session from 0.
    var number: Int
    /// Segments of its packet.
    var count: Int
    var text: [UInt8]
}

/// Why a session must be ended while its packets are put together.
enum LongPollPacketError: Error, Equatable, CustomStringConvertible {
    /// A segment came that is too far ahead of those that are missing.
    case gap(expected: Int, got: Int)
    case segmentCount(Int)
    case notBase64
    /// A packet went on long after its limit was passed.
    case endless(limit: Int)

    var description: String {
        switch self {
        case .gap(let expected, let got):
            "segment \(got) came while segment \(expected) is missing; send segments in order, two requests at a time"
        case .segmentCount(let count): "a packet cannot have \(count) segments; ts is the number of its segments"
        case .notBase64: "the text of a packet is not base64 with the URL alphabet and '.' as padding"
        case .endless(let limit):
            "a message went on far beyond the limit of \(limit) bytes; split the write into smaller ones"
        }
    }
}

/// Puts the packets of one client together and in order: segments come in requests that may overtake each other.
///
/// It holds at most one packet up to the limit for messages, and a few segments that came early. Of a longer packet it keeps the
/// beginning, so that the request in it can be answered.
struct LongPollPackets {
    enum Packet: Equatable {
        /// The text of one message.
        case message([UInt8])
        /// A message above the limit: its first bytes, and its length.
        case oversized(head: [UInt8], byteCount: Int)
    }

    /// How far ahead a segment may be; an SDK has two requests under way, of some twenty segments each at most.
    static let window = 128

    private let limit: Int
    private var expected = 0
    private var early: [Int: LongPollSegment] = [:]
    /// Base64 text of the packet that is arriving.
    private var held: [UInt8] = []
    private var segmentsLeft = 0
    private var passedOver = 0

    /// - Parameter limit: bytes that a message may have.
    init(limit: Int) { self.limit = limit }

    /// Takes a segment; one that came before is passed over.
    /// - Returns: the packets that it completes.
    mutating func receive(_ segment: LongPollSegment) throws(LongPollPacketError) -> [Packet] {
        guard segment.number >= expected else { return [] }
        guard segment.number - expected < LongPollPackets.window else {
            throw .gap(expected: expected, got: segment.number)
        }
        early[segment.number] = segment
        var packets: [Packet] = []
        while let next = early.removeValue(forKey: expected) {
            expected += 1
            if let packet = try append(next) { packets.append(packet) }
        }
        return packets
    }

    private mutating func append(_ segment: LongPollSegment) throws(LongPollPacketError) -> Packet? {
        if segmentsLeft == 0 {
            guard segment.count > 0 else { throw .segmentCount(segment.count) }
            segmentsLeft = segment.count
        }
        segmentsLeft -= 1
        if passedOver == 0, (held.count + segment.text.count) / 4 * 3 <= limit {
            held += segment.text
        } else {
            passedOver += segment.text.count
            let kept = SegmentAssembler.headBytes / 3 * 4
            if held.count > kept {
                passedOver += held.count - kept
                held.removeSubrange(kept...)
            }
            if passedOver / 4 * 3 / SegmentAssembler.toleratedExcess > limit { throw .endless(limit: limit) }
        }
        guard segmentsLeft == 0 else { return nil }
        defer {
            held = []
            passedOver = 0
        }
        if passedOver > 0 {
            let head = Base64URL.decode(held[..<(held.count / 4 * 4)]) ?? []
            return .oversized(head: head, byteCount: (held.count + passedOver) / 4 * 3)
        }
        guard let text = Base64URL.decode(held, padding: UInt8(ascii: ".")) else { throw .notBase64 }
        return .message(LongPollPackets.repaired(text))
    }

    /// The same text in valid UTF-8. A browser's WebSocket replaces half surrogate pairs before it sends them; the SDK's
    /// encoder (`stringToByteArray`) lets them through.
    private static func repaired(_ text: [UInt8]) -> [UInt8] {
        var validation = UTF8Validation()
        let isValid = text.withUnsafeBytes { validation.accept($0) } && validation.isComplete
        return isValid ? text : Array(String(decoding: text, as: UTF8.self).utf8)
    }
}
