import HubEngine
import WireProtocol

/// What waits for one client that does not keep up, in order.
///
/// Confined to the loop's thread. It exists only while something waits.
final class OutputBacklog {
    enum Item {
        /// A frame, from the offset on; offsets lie between two WebSocket frames.
        case frame(Frame, offset: Int)
        case stream(any SegmentStream)
        case close(LeaveReason)
    }

    /// What goes out is no WebSocket's.
    private let cutsAnywhere: Bool
    private var items: [Item] = []
    private var first = 0
    /// Bytes of the frames that wait. What streams will produce is not counted.
    private(set) var byteCount = 0

    init(cutsAnywhere: Bool = false) { self.cutsAnywhere = cutsAnywhere }

    var isEmpty: Bool { first == items.count }

    func append(_ frame: Frame, offset: Int = 0) {
        items.append(.frame(frame, offset: offset))
        byteCount += frame.byteCount - offset
    }

    func append(_ stream: any SegmentStream) { items.append(.stream(stream)) }

    /// What waits: frames, and what will be produced as the socket drains.
    var itemCount: Int { items.count - first }

    func append(closeWith reason: LeaveReason) { items.append(.close(reason)) }

    /// What comes out next.
    enum Next {
        /// Nothing is left, or nothing that fits the rest of the buffer.
        case nothing
        /// So many bytes were put into the buffer.
        case bytes(Int)
        /// The stream's turn; it stays first until `finishStream`.
        case stream(any SegmentStream)
        case close(LeaveReason)
    }

    /// Moves whole WebSocket frames into the buffer as far as they fit, or tells what stands first instead.
    ///
    /// A frame that is larger than an empty buffer does not fit at all; see `takeOversized`.
    func next(into buffer: UnsafeMutableRawBufferPointer) -> Next {
        var filled = 0
        while first < items.count {
            guard case .frame(let frame, let offset) = items[first] else { break }
            let taken = frame.withBytes { bytes -> Int in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                let room = buffer.count - filled
                let fitting =
                    cutsAnywhere ? min(rest.count, room) : FrameBoundary.prefix(of: rest, upTo: room)
                UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: rest[..<fitting]))
                return fitting
            }
            filled += taken
            byteCount -= taken
            guard offset + taken == frame.byteCount else {
                items[first] = .frame(frame, offset: offset + taken)
                return filled > 0 ? .bytes(filled) : .nothing
            }
            removeFirst()
        }
        if filled > 0 { return .bytes(filled) }
        guard first < items.count else { return .nothing }
        switch items[first] {
        case .frame: return .nothing
        case .stream(let stream): return .stream(stream)
        case .close(let reason):
            removeFirst()
            return .close(reason)
        }
    }

    /// The first item, when it is a frame that no buffer holds.
    func takeOversized() -> (frame: Frame, offset: Int)? {
        guard first < items.count, case .frame(let frame, let offset) = items[first] else { return nil }
        byteCount -= frame.byteCount - offset
        removeFirst()
        return (frame, offset)
    }

    /// Takes the stream away that stands first.
    func finishStream() {
        if first < items.count, case .stream = items[first] { removeFirst() }
    }

    private func removeFirst() {
        items[first] = .close(.connectionLost)
        first += 1
        if first == items.count {
            items.removeAll()
            first = 0
        } else if first >= 256, first * 2 >= items.count {
            items.removeFirst(first)
            first = 0
        }
    }
}

/// Finds where one WebSocket frame ends and the next begins in bytes that a server sends (RFC 6455 section 5.2).
enum FrameBoundary {
    /// The longest prefix of whole frames that is not above `limit` bytes. All of it when that fits.
    static func prefix(of bytes: UnsafeRawBufferPointer, upTo limit: Int) -> Int {
        if bytes.count <= limit { return bytes.count }
        var end = 0
        while let length = length(of: bytes, at: end), end + length <= limit { end += length }
        return end
    }

    /// The length of the frame at an offset, or nil when there is none.
    static func length(of bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        guard bytes.count - offset >= 2 else { return nil }
        let short = Int(bytes[offset + 1] & 0x7F)
        let head = short < 126 ? 2 : short == 126 ? 4 : 10
        guard bytes.count - offset >= head else { return nil }
        if short < 126 { return head + short }
        var payload = 0
        for index in (offset + 2)..<(offset + head) {
            guard payload < 1 << 48 else { return nil }
            payload = payload << 8 | Int(bytes[index])
        }
        return head + payload
    }
}
