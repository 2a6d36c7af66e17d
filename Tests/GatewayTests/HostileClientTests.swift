import Glibc
import HubEngine
import TestSupport
import Testing
import WireProtocol

@testable import Gateway

extension LiveTests {
    /// Debian's libwebsockets has its assertions switched on: what one of them catches would end the hub.
    @Suite("Hostile clients")
    struct HostileClientTests {
        /// Rounds of each test; more with `HEARTH_TEST_ROUNDS`.
        private let rounds = getenv("HEARTH_TEST_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 150

        private func expectAlive(_ hub: LiveGateway) async throws {
            let (client, id) = try await hub.connect()
            hub.post(.frame(Frame("alive"), to: id))
            #expect(try client.receiveText() == "alive")
            client.close()
        }

        @Test("that send any bytes for a request harm nobody")
        func requests() async throws {
            let hub = try LiveGateway()
            var generator = SplitMix(state: 11)
            let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            let requests = [
                "GET /.ws?ns=demo HTTP/1.1\r\nHost: x\r\n\(upgrade)\(key)\r\n",
                "GET /.ws?ns=demo HTTP/1.1\r\nHost: x\r\n\(upgrade)\(key)\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\(upgrade)\(key)\r\n",
                "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\nany bytes at all",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u{0}\u{0}\u{0}\u{4}",
                "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
                "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n0123456789GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
                "POST /a.json HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\nabc",
                "POST /a.json HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\nabc",
                "PUT /a.json HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\nabc\r\n0\r\n\r\n",
                "GET http://x/healthz HTTP/1.1\r\nHost: x\r\n\r\n", "GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /%zz?%=%&&= HTTP/1.1\r\nHost: x\r\n\r\n", "BREW /pot HTCPCP/1.0\r\n\r\n", "GET /\r\n\r\n",
                "\r\n\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "GET /../../etc/passwd HTTP/1.0\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "y", count: 17_000))\r\n\r\n",
                "GET /healthz HTTP/1.1\r\n: no name\r\nNo colon\r\nHost x\r\n\r\n",
            ]
            for round in 0..<rounds {
                var bytes = Array(requests[round % requests.count].utf8)
                if round >= requests.count {
                    for _ in 0..<Int(generator.next() % 6) {
                        bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: generator.next())
                    }
                }
                let socket = try RawSocket(port: hub.port)
                let cut = Int(generator.next() % UInt64(bytes.count + 1))
                try? socket.send(Array(bytes[..<cut]))
                if generator.next() % 2 == 0 { try? socket.send(Array(bytes[cut...])) }
                if generator.next() % 2 == 0 { _ = try? socket.receive(until: .now + .milliseconds(3)) }
                if generator.next() % 3 == 0 { socket.reset() } else { socket.close() }
            }
            try await expectAlive(hub)
            #expect(hub.metrics.openConnections <= 1)
        }

        @Test("that send any frames harm nobody")
        func frames() async throws {
            let hub = try LiveGateway { $0.messageLimit = 50_000 }
            var generator = SplitMix(state: 12)
            for _ in 0..<rounds {
                guard let client = try? RawWebSocketClient(port: hub.port) else { continue }
                for _ in 0..<Int(generator.next() % 12) {
                    var bytes = frame(&generator)
                    if generator.next() % 4 == 0, !bytes.isEmpty {
                        bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: generator.next())
                    }
                    if (try? client.send(bytes: bytes)) == nil { break }
                }
                if generator.next() % 4 == 0 { _ = try? client.receiveFrame(within: .milliseconds(3)) }
                switch generator.next() % 4 {
                case 0: client.reset()
                case 1: client.halfClose()
                default: client.close()
                }
            }
            try await expectAlive(hub)
            try await eventually("every session that opened has ended") {
                hub.sink().openings.count == hub.sink().ends.count
            }
        }

        private func frame(_ generator: inout SplitMix) -> [UInt8] {
            let sizes = [0, 1, 2, 3, 124, 125, 126, 127, 500, 511, 512, 513, 1_024, 5_000, 70_000]
            let size = sizes[Int(generator.next() % UInt64(sizes.count))]
            let payload = (0..<size).map { _ in
                UInt8(truncatingIfNeeded: generator.next() % 3 == 0 ? generator.next() : 0x61)
            }
            let opcodes: [RawFrame.Opcode] = [.text, .text, .continuation, .binary, .ping, .pong, .close]
            let opcode = opcodes[Int(generator.next() % UInt64(opcodes.count))]
            let whole = RawFrame(opcode, payload, isFinal: generator.next() % 3 != 0).bytes(
                masked: generator.next() % 8 != 0)
            return generator.next() % 6 == 0
                ? Array(whole.prefix(Int(generator.next() % UInt64(whole.count + 1)))) : whole
        }

        @Test("that ask for a tunnel are cut")
        func tunnel() throws {
            let hub = try LiveGateway()
            let socket = try RawSocket(port: hub.port)
            try socket.send(Array("CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\nhello".utf8))
            #expect {
                while true { _ = try socket.receive(until: .now + .seconds(5)) }
            } throws: { error in
                error as? RawSocketError == .ended || error as? RawSocketError == .reset
            }
        }

        @Test("that send a body where none is read get their answer, and their next request is found")
        func body() throws {
            let hub = try LiveGateway()
            let socket = try RawSocket(port: hub.port)
            for _ in 0..<2 {
                try socket.send(Array("POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n0123456789".utf8))
                #expect(try RawWebSocketClient.readResponse(socket).response.status == 405)
            }
            try socket.send(Array("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            #expect(try RawWebSocketClient.readResponse(socket).response.status == 200)
        }
    }
}
