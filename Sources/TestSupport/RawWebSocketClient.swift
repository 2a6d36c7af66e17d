/// One WebSocket frame as it stood on the wire.
package struct RawFrame: Equatable, Sendable {
    /// RFC 6455 section 5.2.
    package enum Opcode: UInt8, Sendable { case continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 }

    package var opcode: Opcode
    package var isFinal = true
    package var payload: [UInt8]

    package init(_ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true) {
        self.opcode = opcode
        self.payload = payload
        self.isFinal = isFinal
    }

    /// The payload as text; invalid UTF-8 becomes U+FFFD.
    package var text: String { String(decoding: payload, as: UTF8.self) }

    /// The code of a close frame.
    package var closeCode: Int? {
        opcode == .close && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
    }

    /// The text of a close frame.
    package var closeText: String { String(decoding: payload.dropFirst(2), as: UTF8.self) }

    /// The frame as a client sends it. A server must see `masked` frames; false makes a violation.
    package func bytes(masked: Bool = true) -> [UInt8] {
        // The key of zeros leaves long payloads as they are: masking them is slow in builds that are not optimised.
        let key: [UInt8] = payload.count > 1024 ? [0, 0, 0, 0] : [0x37, 0xfa, 0x21, 0x3d]
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode.rawValue]
        let maskBit: UInt8 = masked ? 0x80 : 0
        if payload.count < 126 {
            bytes.append(maskBit | UInt8(payload.count))
        } else if payload.count < 65_536 {
            bytes += [maskBit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
        } else {
            bytes.append(maskBit | 127)
            bytes += stride(from: 56, through: 0, by: -8).map { UInt8(payload.count >> $0 & 0xff) }
        }
        guard masked else { return bytes + payload }
        bytes += key
        if payload.count > 1024 { return bytes + payload }
        bytes += payload.enumerated().map { $1 ^ key[$0 & 3] }
        return bytes
    }
}

/// The answer to an upgrade or a plain HTTP request.
package struct RawResponse: Equatable, Sendable {
    package var status: Int
    /// Names in lower case, in the order received.
    package var headers: [(name: String, value: String)]
    package var body: String

    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    package static func == (left: RawResponse, right: RawResponse) -> Bool {
        left.status == right.status && left.body == right.body
            && left.headers.elementsEqual(right.headers) { $0 == $1 }
    }
}

/// A WebSocket client made of raw bytes on a blocking socket: it can send what no proper client would, and shows what
/// really came over the wire. For tests only; confined to one thread at a time.
///
/// ```swift
/// let device = try RawWebSocketClient(port: port, path: "/.ws?v=5&ns=demo")
/// let hello = try device.receiveText()
/// try device.send(text: #"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/a","h":""}}}"#)
/// device.reset()
/// ```
package final class RawWebSocketClient {
    package let socket: RawSocket
    /// The server's answer to the upgrade.
    package let response: RawResponse
    /// Whether `receiveFrame` answers pings, as a browser does.
    package var answersPings = true
    /// Pings seen so far.
    package private(set) var pingCount = 0
    private var buffer: [UInt8]
    /// Where the first frame not yet taken begins in `buffer`.
    private var start = 0

    /// Connects and upgrades.
    ///
    /// - Parameters:
    ///   - headers: sent after the standard ones.
    ///   - hostHeader: the `Host` header; `127.0.0.1:port` unless given.
    ///   - receiveBuffer: bytes of the kernel's receive buffer.
    /// - Throws: `RawSocketError.unexpected` with the status and body when the server refuses.
    package convenience init(
        port: Int, path: String = "/.ws?v=5&ns=demo", headers: [(String, String)] = [], hostHeader: String? = nil,
        address: String = "127.0.0.1", receiveBuffer: Int? = nil, within: Duration = .seconds(10)
    ) throws(RawSocketError) {
        let socket = try RawSocket(port: port, address: address, receiveBuffer: receiveBuffer)
        try self.init(
            connected: socket, path: path, headers: headers, hostHeader: hostHeader ?? "127.0.0.1:\(port)",
            within: within)
    }

    /// Upgrades a connection that is there already.
    package convenience init(
        connected socket: RawSocket, path: String = "/.ws?v=5&ns=demo", headers: [(String, String)] = [],
        hostHeader: String, within: Duration = .seconds(10)
    ) throws(RawSocketError) {
        let request = RawWebSocketClient.upgradeRequest(
            path: path, host: hostHeader, headers: headers)
        try socket.send(Array(request.utf8))
        let (response, rest) = try RawWebSocketClient.readResponse(socket, within: within)
        guard response.status == 101 else { throw .unexpected("status \(response.status): \(response.body)") }
        self.init(upgraded: socket, response: response, received: rest)
    }

    /// Takes over a socket on which the upgrade has been done by hand.
    package init(upgraded socket: RawSocket, response: RawResponse, received: [UInt8]) {
        self.socket = socket
        self.response = response
        buffer = received
    }

    /// The text of a correct upgrade request.
    package static func upgradeRequest(path: String, host: String, headers: [(String, String)] = []) -> String {
        var text = "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        text += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return text + "\r\n"
    }

    /// Sends one plain HTTP request and returns the answer; the connection is closed afterwards.
    package static func http(
        port: Int, _ request: String, within: Duration = .seconds(10)
    ) throws(RawSocketError) -> RawResponse {
        let socket = try RawSocket(port: port)
        try socket.send(Array(request.utf8))
        return try readResponse(socket, within: within).response
    }

    /// Reads one HTTP response: the head, then as many bytes of body as `content-length` says (none without).
    package static func readResponse(
        _ socket: RawSocket, within: Duration = .seconds(10)
    ) throws(RawSocketError) -> (response: RawResponse, rest: [UInt8]) {
        let deadline = ContinuousClock.Instant.now + within
        var bytes: [UInt8] = []
        var headEnd: Int?
        while headEnd == nil {
            bytes += try socket.receive(until: deadline)
            headEnd = end(ofHead: bytes)
        }
        let bodyStart = headEnd ?? 0
        let lines = String(decoding: bytes[..<bodyStart], as: UTF8.self).split(whereSeparator: \.isNewline)
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else { throw .unexpected("response head \(lines)") }
        var headers: [(name: String, value: String)] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers.append((line[..<colon].lowercased(), String(value)))
        }
        let length = headers.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        while bytes.count < bodyStart + length { bytes += try socket.receive(until: deadline) }
        let body = String(decoding: bytes[bodyStart..<(bodyStart + length)], as: UTF8.self)
        return (RawResponse(status: status, headers: headers, body: body), Array(bytes[(bodyStart + length)...]))
    }

    private static func end(ofHead bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 0...(bytes.count - 4)
        where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10 {
            return index + 4
        }
        return nil
    }

    // MARK: Sending

    package func send(text: String) throws(RawSocketError) { try send(RawFrame(.text, Array(text.utf8))) }

    package func send(_ frame: RawFrame, masked: Bool = true) throws(RawSocketError) {
        try socket.send(frame.bytes(masked: masked))
    }

    /// Sends anything.
    package func send(bytes: [UInt8]) throws(RawSocketError) { try socket.send(bytes) }

    /// Sends a long text the way official clients do: a count, then segments of at most `segmentBytes` bytes. ASCII only.
    package func send(segmented text: String, segmentBytes: Int = 16_384) throws(RawSocketError) {
        let bytes = Array(text.utf8)
        let count = max(1, (bytes.count + segmentBytes - 1) / segmentBytes)
        if count > 1 { try send(text: String(count)) }
        for index in 0..<count {
            let end = min(bytes.count, (index + 1) * segmentBytes)
            try send(RawFrame(.text, Array(bytes[(index * segmentBytes)..<end])))
        }
    }

    // MARK: Receiving

    /// The next frame, pings and pongs included.
    package func receiveFrame(within: Duration = .seconds(10)) throws(RawSocketError) -> RawFrame {
        let deadline = ContinuousClock.Instant.now + within
        while true {
            if let frame = try takeFrame() {
                if frame.opcode == .ping {
                    pingCount += 1
                    if answersPings { try send(RawFrame(.pong, frame.payload)) }
                }
                return frame
            }
            buffer += try socket.receive(until: deadline)
        }
    }

    /// The next text message; control frames before it are passed over (pings are answered).
    package func receiveText(within: Duration = .seconds(10)) throws(RawSocketError) -> String {
        let deadline = ContinuousClock.Instant.now + within
        while true {
            let frame = try receiveFrame(within: deadline - .now)
            switch frame.opcode {
            case .ping, .pong: continue
            case .text where frame.isFinal: return frame.text
            default:
                throw .unexpected("\(frame.opcode) frame with \(frame.payload.count) bytes: \(frame.text.prefix(80))")
            }
        }
    }

    /// The next logical message: a text, or the texts that a count announces, joined.
    package func receiveMessage(within: Duration = .seconds(10)) throws(RawSocketError) -> String {
        let deadline = ContinuousClock.Instant.now + within
        let first = try receiveText(within: within)
        guard first.utf8.count <= 6, let count = Int(first), count > 0 else { return first }
        var joined = ""
        for _ in 0..<count { joined += try receiveText(within: deadline - .now) }
        return joined
    }

    /// Whether no text arrives for a while; pings are answered meanwhile.
    package func isSilent(for duration: Duration = .milliseconds(200)) throws(RawSocketError) -> Bool {
        do {
            _ = try receiveText(within: duration)
            return false
        } catch RawSocketError.timedOut {
            return true
        }
    }

    /// Reads on until the server closes: the close frame, or nil when the stream ended or was cut without one.
    package func receiveEnd(within: Duration = .seconds(10)) throws(RawSocketError) -> RawFrame? {
        let deadline = ContinuousClock.Instant.now + within
        while true {
            do {
                let frame = try receiveFrame(within: deadline - .now)
                if frame.opcode == .close { return frame }
            } catch RawSocketError.ended {
                return nil
            } catch RawSocketError.reset {
                return nil
            }
        }
    }

    private func takeFrame() throws(RawSocketError) -> RawFrame? {
        let available = buffer.count - start
        guard available >= 2 else { return nil }
        let (first, second) = (buffer[start], buffer[start + 1])
        guard let opcode = RawFrame.Opcode(rawValue: first & 0x0f), first & 0x70 == 0, second & 0x80 == 0 else {
            throw .unexpected("frame head \(first) \(second)")
        }
        let headCount = second == 126 ? 4 : second == 127 ? 10 : 2
        guard available >= headCount else { return nil }
        var length = Int(second)
        if headCount > 2 {
            length = buffer[(start + 2)..<(start + headCount)].reduce(0) { ($0 & 0xff_ffff_ffff) << 8 | Int($1) }
        }
        guard available >= headCount + length else { return nil }
        let payload = Array(buffer[(start + headCount)..<(start + headCount + length)])
        start += headCount + length
        if start == buffer.count || start > 1 << 20 {
            buffer.removeFirst(start)
            start = 0
        }
        return RawFrame(opcode, payload, isFinal: first & 0x80 != 0)
    }

    // MARK: Ending

    /// Sends a close frame; the server answers with its own.
    package func sendClose(code: Int = 1000, text: String = "") throws(RawSocketError) {
        try send(RawFrame(.close, [UInt8(code >> 8 & 0xff), UInt8(code & 0xff)] + Array(text.utf8)))
    }

    /// Cuts the connection with RST.
    package func reset() { socket.reset() }

    /// Sends FIN and keeps receiving.
    package func halfClose() { socket.halfClose() }

    /// Closes the socket without a close frame.
    package func close() { socket.close() }
}
