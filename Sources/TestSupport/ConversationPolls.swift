import WireProtocol

/// A client of a conversation that polls. It shows messages as a WebSocket client would get them, and takes them so: a long one
/// as a count and segments, which do not exist on this way.
final class ConversationPolls: ConversationConnection {
    private let client: LongPollClient
    private var assembler = SegmentAssembler()
    private var received: [String] = []

    init(port: Int, query: String, headers: [(String, String)], host: String?) throws {
        client = try LongPollClient(port: port, query: query, headers: headers, hostHeader: host)
        try client.waitForStart()
    }

    var showsCloseCodes: Bool { false }

    func send(text: String) throws {
        var copy = text
        let assembled = try copy.withUTF8 { try assembler.receive(UnsafeRawBufferPointer($0)) }
        switch assembled {
        case .keepAlive, .whole: try client.send(text: text)
        case .message(let bytes): try client.send(text: String(decoding: bytes, as: UTF8.self))
        case .partial, .oversized: break
        }
    }

    func receive(within: Duration) throws -> ConversationEvent {
        if received.isEmpty {
            switch try client.receive(within: within) {
            case .closed: return .closed(code: nil)
            case .nothing: return .nothing
            case .message(let text): received = Frame(text: Array(text.utf8)).messages
            }
        }
        return received.isEmpty ? .nothing : .text(received.removeFirst())
    }

    func end(_ how: ConversationEnding) throws {
        switch how {
        case .close: try client.disconnect()
        // A reset would take a poll with it that the hub has not read yet.
        case .end, .reset: client.hangUp()
        case .vanish: client.isPolling = false
        }
    }
}
