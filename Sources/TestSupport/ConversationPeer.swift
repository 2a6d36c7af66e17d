import DataTree
import WireProtocol

/// One connection in a replay: puts segmented messages together as a client does, watches the rules that hold for every
/// server message, and keeps the picture that a client would have of the data.
final class ConversationPeer {
    enum Received {
        case message(ConversationJSON, segments: Int)
        case closed(code: Int?)
    }

    /// What no client could bear.
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    let connection: any ConversationConnection
    /// What the listens without a tag have shown.
    private var whole = Node.empty
    /// What the tagged listens have shown, by tag.
    private var windows: [Int: Node] = [:]

    init(connection: any ConversationConnection) {
        self.connection = connection
    }

    func picture(at path: Path, tag: Int?) -> Node {
        (tag.map { windows[$0] ?? .empty } ?? whole).node(at: path)
    }

    /// The next message, the end, or nil when the time is up.
    func receive(within duration: Duration) throws -> Received? {
        let deadline = ContinuousClock.now + duration
        let first: String
        switch try connection.receive(within: duration) {
        case .text(let text): first = text
        case .closed(let code): return .closed(code: code)
        case .nothing: return nil
        }
        guard let count = try segmentCount(first) else { return try message(first, segments: 1) }
        var joined = ""
        for index in 1...count {
            guard case .text(let segment) = try connection.receive(within: max(deadline - .now, .seconds(1))) else {
                throw Violation(description: "segment \(index) of \(count) did not come")
            }
            if segment.isEmpty || segment.utf16.count > SegmentRules.unitsPerSegment {
                throw Violation(description: "segment \(index) has \(segment.utf16.count) UTF-16 units")
            }
            joined += segment
        }
        return try message(joined, segments: count)
    }

    /// The count that a text announces, nil for a message.
    private func segmentCount(_ text: String) throws -> Int? {
        // JavaScript SDK, `WebSocketConnection.extractFrameCount_`: an empty text is the number 0 there.
        guard text.utf8.count <= 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            if text.utf16.count > SegmentRules.unitsPerSegment {
                throw Violation(description: "a message of \(text.utf16.count) UTF-16 units came in one piece")
            }
            return nil
        }
        guard let count = Int(text), (1...SegmentRules.mostSegments).contains(count) else {
            throw Violation(description: "'\(text)' would wedge a client: it waits for that many segments")
        }
        return count
    }

    private func message(_ text: String, segments: Int) throws -> Received {
        let value = try ConversationJSON(text)
        if let push = value["d"], let action = push["a"]?.text, let body = push["b"] { try apply(action, body) }
        return .message(value, segments: segments)
    }

    private func apply(_ action: String, _ body: ConversationJSON) throws {
        guard let path = body["p"]?.text.map({ Path($0) }), let value = body["d"] else { return }
        var picture = body["t"]?.integer.map { windows[$0] ?? .empty } ?? whole
        switch action {
        case "d": try set(value, at: path, in: &picture)
        case "m":
            guard case .object(let members) = value else { return }
            for member in members { try set(member.value, at: path.appending(Path(member.name)), in: &picture) }
        default: return
        }
        if let tag = body["t"]?.integer { windows[tag] = picture } else { whole = picture }
    }

    private func set(_ value: ConversationJSON, at path: Path, in picture: inout Node) throws {
        let node = try Node(json: value.json, limits: JSONLimits(stringBytes: 1 << 30, form: .received))
        if path.last == .priority, let parent = path.parent, let priority = Priority(node) {
            picture.setPriority(priority, at: parent)
        } else {
            picture.set(node, at: path)
        }
    }
}
