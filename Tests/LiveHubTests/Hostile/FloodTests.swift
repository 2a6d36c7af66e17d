import Glibc
import TestSupport
import Testing

@Suite("a hub among strangers", .blocking, .serialized)
struct FloodTests {
    /// Lets this process hold as many sockets as it may.
    init() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    @Test("greets every one of a burst of clients, and forgets them when they go")
    func burst() throws {
        let hub = try HubProcess("--dev", "--memory")
        let count = TestScale.pick(2000, short: 300)
        let witness = Witness(hub)
        try witness.expectProgress()
        let request = Array(RawWebSocketClient.upgradeRequest(path: "/.ws?v=5&ns=demo", host: "localhost").utf8)
        let sockets = try (0..<count).map { _ in
            let socket = try RawSocket(port: hub.port)
            try socket.send(request)
            return socket
        }
        for socket in sockets {
            let (response, rest) = try RawWebSocketClient.readResponse(socket, within: .seconds(30))
            #expect(response.status == 101)
            let client = RawWebSocketClient(upgraded: socket, response: response, received: rest)
            #expect(try client.receiveText(within: .seconds(30)).contains(#""t":"h""#))
        }
        #expect(try HubMetrics(port: hub.port)["hearth_connections{transport=\"websocket\"}"] == Double(count + 2))
        try witness.expectProgress()
        for (index, socket) in sockets.enumerated() { index % 2 == 0 ? socket.close() : socket.reset() }
        let deadline = ContinuousClock.now + .seconds(20)
        while try HubMetrics(port: hub.port)["hearth_connections{transport=\"websocket\"}"] > 2,
            ContinuousClock.now < deadline
        { usleep(20_000) }
        #expect(try HubMetrics(port: hub.port)["hearth_connections{transport=\"websocket\"}"] == 2)
        try witness.finish()
    }

    @Test("drops handshakes that do not go on, and lets others in meanwhile")
    func halfHandshakes() throws {
        let hub = try HubProcess("--dev", "--memory")
        // More than there are places for heads that are being read.
        let halves = try (0..<TestScale.pick(1200, short: 200)).map { number in
            let socket = try RawSocket(port: hub.port)
            if number % 3 != 0 { try socket.send(Array("GET /.ws?v=5&ns=demo HTTP/1.1\r\nHost: loc".utf8)) }
            return socket
        }
        let device = try TestDevice(port: hub.port, within: .seconds(30))
        try device.put("/a", "1")
        for socket in halves {
            var end: RawSocketError?
            let deadline = ContinuousClock.now + .seconds(30)
            while end == nil {
                do throws(RawSocketError) { _ = try socket.receive(until: deadline) } catch { end = error }
            }
            guard end == .ended || end == .reset else {
                Issue.record("a half handshake is still there")
                break
            }
        }
        try device.put("/a", "2")
    }

    /// What strangers send, on a new connection each.
    static let nonsense: [(String, [UInt8])] = [
        ("zeros", [UInt8](repeating: 0, count: 10_000)),
        (
            "TLS",
            [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03] + (0..<400).map { UInt8($0 & 0xFF) }
        ),
        ("no HTTP", Array("EHLO mail\r\nMAIL FROM:<a@b>\r\n\r\n".utf8)),
        ("a huge header", Array("GET /.ws HTTP/1.1\r\nX: \(String(repeating: "y", count: 100_000))\r\n\r\n".utf8)),
        ("many headers", Array("GET / HTTP/1.1\r\n\(String(repeating: "A: b\r\n", count: 5000))\r\n".utf8)),
        ("a huge path", Array("GET /\(String(repeating: "a/", count: 20_000)) HTTP/1.1\r\n\r\n".utf8)),
        ("a body without end", Array("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\nabc".utf8)),
        ("pipelined", Array(String(repeating: "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", count: 50).utf8)),
        (
            "pipelined nonsense",
            Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8) + [UInt8](repeating: 0xFF, count: 5000)
        ),
        (
            "frames before the answer",
            Array(RawWebSocketClient.upgradeRequest(path: "/.ws?v=5&ns=demo", host: "a").utf8)
                + [UInt8](repeating: 0x81, count: 3000)
        ),
    ]

    @Test("survives nonsense on its port, and nobody else notices")
    func nonsense() throws {
        let hub = try HubProcess("--dev", "--memory")
        let witness = Witness(hub)
        try witness.expectProgress()
        let before = try ProcessFigures(of: hub.processID)
        var random = SeededRandom(7)
        for round in 0..<TestScale.pick(20, short: 5) {
            for (_, bytes) in Self.nonsense { try? RawSocket(port: hub.port).send(bytes, within: .seconds(1)) }
            // Handshakes done right, then anything: every opcode, every flag, lengths that lie.
            for _ in 0..<20 {
                let client = try RawWebSocketClient(port: hub.port)
                let count = Int.random(in: 1...(round % 2 == 0 ? 60 : 3000), using: &random)
                var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                if Bool.random(using: &random) { bytes = RawFrame(.text, bytes).bytes() }
                try? client.send(bytes: bytes)
            }
        }
        let answer = try RawWebSocketClient.http(
            port: hub.port, "GET /.ws?v=5&ns=demo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect((400..<500).contains(answer.status) && answer.body.contains("error"), "\(answer)")
        try witness.expectProgress()
        let after = try ProcessFigures(of: hub.processID)
        after.expectGrowth(since: before, below: 100)
        try witness.finish()
    }

    @Test("refuses messages that are too large while they come in, and holds no more of them than it may")
    func oversize() throws {
        let hub = try HubProcess("--dev", "--memory")
        let witness = Witness(hub)
        try witness.expectProgress()
        let before = try ProcessFigures(of: hub.processID)

        // A request above the limit is refused by its number, and its connection goes on.
        let device = try TestDevice(hub)
        let text = "\"" + String(repeating: "x", count: 17 << 20) + "\""
        let response = try device.request("p", TestDevice.put("/a", text), within: .seconds(60))
        #expect(response.status == "too_big", "\(response)")
        #expect(try device.get("/a") == "null")

        // One that goes on and on, in one frame or in many, costs no more than its limit, and its connection in the end.
        let piece = [UInt8](repeating: 0x78, count: 1 << 20)
        for isOneFrame in [true, false] {
            let client = try RawWebSocketClient(port: hub.port)
            if isOneFrame { try client.send(bytes: [0x81, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]) }
            let most = TestScale.pick(isOneFrame ? 280 : 40, short: 40)
            var sent = 0
            while sent < most {
                do {
                    try client.send(
                        bytes: isOneFrame ? piece : [0x01, 0xFF, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0] + piece)
                } catch { break }
                sent += 1
            }
            // The close frame may be lost when the connection is cut behind it.
            if most > 256 { #expect([nil, 1009].contains(try client.receiveEnd(within: .seconds(20))?.closeCode)) }
        }
        // A count that no message can keep.
        let liar = try RawWebSocketClient(port: hub.port)
        _ = try liar.receiveText()
        try liar.send(text: "999999")
        for _ in 0..<2000 { try? liar.send(text: String(repeating: "y", count: 16_000)) }

        try witness.expectProgress()
        let after = try ProcessFigures(of: hub.processID)
        after.expectGrowth(since: before, below: 150)
        try witness.finish()
    }
}
