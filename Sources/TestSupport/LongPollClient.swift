import Glibc

/// A long-polling client that behaves like the JavaScript SDK's (`BrowserPollConnection`): it keeps one poll at the hub, adds a
/// second one when it has something to send, and reads the scripts that come back. For tests only; confined to one thread at a
/// time, and alive only while one of its calls runs.
///
/// ```swift
/// let page = try LongPollClient(port: hub.port)
/// guard case .message(let hello) = try page.receive() else { … }
/// try page.send(text: #"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/a","h":""}}}"#)
/// try page.disconnect()
/// ```
package final class LongPollClient {
    package enum Event: Equatable, Sendable {
        /// The JSON text of one message.
        case message(String)
        /// The hub has ended the session, or a poll has failed.
        case closed
        /// The time was up.
        case nothing
    }

    /// What the hub calls the session in polls.
    package private(set) var id = ""
    package private(set) var password = ""
    /// The text of the first script.
    package private(set) var opening = ""
    /// Answers with messages, empty ones too.
    package private(set) var answerCount = 0
    /// Whether it goes on polling by itself.
    package var isPolling = true

    private struct Request {
        let socket: RawSocket
        var received: [UInt8] = []
    }

    private let port: Int
    private let query: String
    private let head: String
    private var requests: [Request] = []
    private var idle: [RawSocket] = []
    private var segments: [(number: Int, count: Int, text: String)] = []
    private var segmentCount = 0
    private var early: [Int: [String]] = [:]
    private var nextAnswer = 0
    private var inbox: [String] = []
    private var lastAnswer: Int?
    private var isClosed = false

    /// Longest text in one segment (`BrowserPollConnection`, `MAX_PAYLOAD_SIZE`).
    private static let segmentBytes = 1_840
    private static let urlBytes = 1_870

    /// Asks for a session; the answer is read by the calls that follow.
    ///
    /// - Parameter query: what goes into the query string beside the session's own parameters.
    package init(
        port: Int, query: String = "v=5&ns=demo", headers: [(String, String)] = [], hostHeader: String? = nil
    ) throws {
        self.port = port
        self.query = query
        head =
            "Host: \(hostHeader ?? "127.0.0.1:\(port)")\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n"
            + headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        try request("start=t&cb=7&ser=1")
    }

    /// Waits until the session has begun.
    ///
    /// - Throws: `RawSocketError.unexpected` with the status and body when the hub refuses.
    package func waitForStart(within: Duration = .seconds(10)) throws {
        let deadline = ContinuousClock.now + within
        while id.isEmpty, !isClosed {
            guard try advance(until: deadline) else { throw RawSocketError.timedOut("the first script") }
        }
    }

    /// URL-safe base64 with `.` as padding.
    package static func base64(_ bytes: [UInt8]) -> String.UTF8View {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                text.append(
                    index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "."))
            }
        }
        return String(decoding: text, as: UTF8.self).utf8
    }

    // MARK: Sending

    /// Sends one message, in as many segments and requests as it takes.
    package func send(text: String) throws {
        let base64 = Array(LongPollClient.base64(Array(text.utf8)))
        // An empty text is one empty segment.
        let pieces = stride(from: 0, to: max(base64.count, 1), by: LongPollClient.segmentBytes).map {
            String(decoding: base64[$0..<min($0 + LongPollClient.segmentBytes, base64.count)], as: UTF8.self)
        }
        for piece in pieces {
            segments.append((segmentCount, pieces.count, piece))
            segmentCount += 1
        }
        try pump()
        let deadline = ContinuousClock.now + .seconds(10)
        while isPolling, !segments.isEmpty, !id.isEmpty, !isClosed {
            guard try advance(until: deadline) else { throw RawSocketError.timedOut("the hub to let a poll go") }
        }
    }

    /// Tells the hub that the client leaves.
    package func disconnect() throws {
        isClosed = true
        try request("disconn=t&id=\(id)&pw=\(password)")
        let deadline = ContinuousClock.now + .seconds(10)
        while requests.count > 0, try advance(until: deadline) {}
    }

    /// Closes the connections of the polls without a goodbye.
    package func hangUp() {
        isClosed = true
        for request in requests { request.socket.close() }
        requests = []
        idle = []
    }

    // MARK: Receiving

    /// The next message, the end, or nothing.
    package func receive(within: Duration = .seconds(10)) throws -> Event {
        let deadline = ContinuousClock.now + within
        while true {
            if !inbox.isEmpty {
                // A poll is at the hub meanwhile.
                try pump()
                return .message(inbox.removeFirst())
            }
            if isClosed { return .closed }
            if !(try advance(until: deadline)) { return .nothing }
        }
    }

    /// Makes requests as the SDK does: one always, a second one to send something.
    private func pump() throws {
        while isPolling, !isClosed, !id.isEmpty, requests.count < (segments.isEmpty ? 1 : 2) {
            var data = ""
            var index = 0
            while let next = segments.first, next.text.utf8.count + 30 + data.utf8.count <= LongPollClient.urlBytes {
                data += "&seg\(index)=\(next.number)&ts\(index)=\(next.count)&d\(index)=\(next.text)"
                index += 1
                segments.removeFirst()
            }
            try request("id=\(id)&pw=\(password)&ser=1\(data)")
        }
    }

    private func request(_ parameters: String) throws {
        let socket = try idle.popLast() ?? RawSocket(port: port)
        try socket.send(Array("GET /.lp?\(parameters)&\(query) HTTP/1.1\r\n\(head)\r\n".utf8))
        requests.append(Request(socket: socket))
    }

    /// Waits for bytes and handles what they complete; false when the time was up.
    private func advance(until deadline: ContinuousClock.Instant) throws -> Bool {
        try pump()
        var entries = requests.map { pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0) }
        let left = max(0, (deadline - ContinuousClock.now).milliseconds)
        guard poll(&entries, nfds_t(entries.count), Int32(clamping: left)) > 0 else {
            return ContinuousClock.now < deadline
        }
        guard let index = entries.firstIndex(where: { $0.revents != 0 }) else { return true }
        do {
            requests[index].received += try requests[index].socket.receive(until: .now + .seconds(5))
        } catch {
            isClosed = true
            return true
        }
        guard let response = try LongPollResponse(requests[index].received) else { return true }
        idle.append(requests.remove(at: index).socket)
        guard response.status == 200 else {
            if id.isEmpty { throw RawSocketError.unexpected("status \(response.status): \(response.text)") }
            isClosed = true
            return true
        }
        try run(response.body)
        return true
    }

    // MARK: Scripts

    private func run(_ script: [UInt8]) throws {
        if opening.isEmpty { opening = String(decoding: script, as: UTF8.self) }
        for line in script.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: "pRTLPCB(".utf8) {
                try take(line)
                continue
            }
            let command = String(decoding: line, as: UTF8.self)
            if command.hasPrefix("pLPCommand(\"start\",") {
                let parts = command.split(separator: "\"")
                guard parts.count > 5 else { throw RawSocketError.unexpected(command) }
                (id, password) = (String(parts[3]), String(parts[5]))
            } else if command == "pLPCommand(\"close\");" {
                isClosed = true
            } else if command.hasPrefix("pLPCommand(\"close\",") {
                lastAnswer = Int(command.dropFirst(19).prefix { $0 != ")" })
                isClosed = isClosed || nextAnswer > lastAnswer ?? 0
            }
        }
    }

    private func take(_ line: ArraySlice<UInt8>) throws {
        let quote = UInt8(ascii: "'")
        let number = Int(String(decoding: line.dropFirst(8).prefix { $0 != UInt8(ascii: ",") }, as: UTF8.self))
        guard let number, let start = line.firstIndex(of: quote), let end = line.lastIndex(of: quote), start < end,
            case .array(let messages) = try ConversationJSON(LongPollClient.unquoted(line[(start + 1)..<end]))
        else { throw RawSocketError.unexpected(String(decoding: line.prefix(200), as: UTF8.self)) }
        answerCount += 1
        early[number] = messages.map(\.json)
        while let texts = early.removeValue(forKey: nextAnswer) {
            inbox += texts
            if nextAnswer == lastAnswer { isClosed = true }
            nextAnswer += 1
        }
    }

    /// The value of a JavaScript text between single quotes.
    private static func unquoted(_ text: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < text.endIndex else {
                result.append(byte)
                continue
            }
            let next = text[index]
            index += 1
            guard next == UInt8(ascii: "u") else {
                result.append(next)
                continue
            }
            let digits = String(decoding: text[index..<min(index + 4, text.endIndex)], as: UTF8.self)
            index += digits.utf8.count
            result += String(UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init).map(Character.init) ?? "?").utf8
        }
        return String(decoding: result, as: UTF8.self)
    }
}
