/// One event of a stream.
package struct StreamEvent: Equatable, Sendable, CustomStringConvertible {
    package var name: String
    package var data: String

    package init(_ name: String, _ data: String) {
        self.name = name
        self.data = data
    }

    package var description: String { "\(name) \(data)" }
}

/// Follows an event stream of a hub, and takes nothing but the exact form (`protocol/rest.md`, "Event streams"). For tests
/// only; confined to one thread at a time.
package final class EventStreamClient {
    /// The head of the answer; with the body when the stream was refused.
    package let answer: ReceivedAnswer
    package let socket: RawSocket
    private let reader: AnswerReader
    private let patience: Duration

    /// Opens a stream, as the client of requests would ask for it.
    ///
    /// - Parameter receiveBuffer: bytes of the kernel's receive buffer.
    package init(
        _ client: RestClient, _ target: String, headers: RestClient.Headers = [:], receiveBuffer: Int? = nil,
        patience: Duration = .seconds(60)
    ) throws {
        self.patience = patience
        socket = try RawSocket(port: client.port, receiveBuffer: receiveBuffer)
        reader = AnswerReader(socket)
        var request = client.text("GET", target, nil, headers)
        // The line break at the end is one character.
        request.removeLast()
        try socket.send(Array((request + "Accept: text/event-stream\r\n\r\n").utf8))
        let head = try reader.head(until: .now + patience)
        guard let length = head.header("content-length").flatMap({ Int($0) }) else {
            answer = head
            if head.header("transfer-encoding") == "chunked" { reader.beginChunks() }
            return
        }
        var refusal = head
        while refusal.bytes.count < length {
            refusal.bytes += Array(try reader.line(until: .now + patience).utf8) + [0x0A]
        }
        answer = refusal
    }

    /// The next event, keep-alives included.
    package func next(within: Duration? = nil) throws -> StreamEvent {
        let deadline = ContinuousClock.now + (within ?? patience)
        let (name, data) = (try reader.line(until: deadline), try reader.line(until: deadline))
        let end = try reader.line(until: deadline)
        guard name.hasPrefix("event: "), data.hasPrefix("data: "), end.isEmpty else {
            throw RawSocketError.unexpected("an event: \(name) | \(data) | \(end)")
        }
        return StreamEvent(String(name.dropFirst(7)), String(data.dropFirst(6)))
    }

    /// The next event that is no keep-alive.
    package func nextChange(within: Duration? = nil) throws -> StreamEvent {
        while true {
            let event = try next(within: within)
            if event.name != "keep-alive" { return event }
        }
    }

    /// The next event that is no keep-alive, in one line: `put {"path":"/","data":1}`.
    package func change(within: Duration? = nil) throws -> String { try nextChange(within: within).description }

    /// What the next calls of the kernel give, one after the other, until something ends with an empty line.
    package func nextPieces() throws -> [[UInt8]] {
        reader.pieces = []
        defer { reader.pieces = nil }
        _ = try next()
        return reader.pieces ?? []
    }

    /// Whether the hub ends the stream in order.
    package func ends(within: Duration? = nil) throws -> Bool {
        try reader.rest(until: .now + (within ?? patience)).isEmpty
    }

    package func close() { socket.close() }
}
