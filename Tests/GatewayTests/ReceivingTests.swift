import HubEngine
import TestSupport
import Testing
import WireProtocol

@testable import Gateway

extension LiveTests {
    @Suite("Receiving")
    struct ReceivingTests {
        /// The text of all messages that arrive for what the client sends.
        private func received(
            count: Int = 1, _ send: (RawWebSocketClient) throws -> Void
        ) async throws -> [String] {
            let hub = try LiveGateway()
            let (client, _) = try await hub.connect()
            try send(client)
            try await eventually("\(count) messages") { hub.sink().texts.count == count }
            return hub.sink().texts
        }

        /// The close frame and the reason for what the client sends.
        private func refusal(
            _ change: (inout GatewayConfiguration) -> Void = { _ in }, _ send: (RawWebSocketClient) throws -> Void
        ) async throws -> (frame: RawFrame?, reason: LeaveReason?) {
            let hub = try LiveGateway(change)
            let (client, _) = try await hub.connect()
            try? send(client)
            let frame = try client.receiveEnd()
            try await eventually("the end") { hub.sink().ends.count == 1 }
            return (frame, hub.sink().ends.first?.reason)
        }

        private let long = String(repeating: "0123456789abcdef", count: 1792)

        @Test("puts a frame of 28 KB together that libwebsockets delivers in pieces")
        func pieces() async throws {
            let texts = try await received { try $0.send(text: long) }
            #expect(texts == [long])
        }

        @Test("puts 1,000 continuation frames of one byte together")
        func continuations() async throws {
            let bytes = Array(long.utf8.prefix(1_001))
            let texts = try await received { client in
                try client.send(RawFrame(.text, [bytes[0]], isFinal: false))
                for index in 1...999 { try client.send(RawFrame(.continuation, [bytes[index]], isFinal: false)) }
                try client.send(RawFrame(.continuation, [bytes[1_000]]))
            }
            #expect(texts == [String(decoding: bytes, as: UTF8.self)])
        }

        @Test("takes bytes one at a time")
        func oneByOne() async throws {
            let texts = try await received(count: 2) { client in
                let bytes =
                    RawFrame(.text, Array("first".utf8)).bytes() + RawFrame(.text, Array(long.utf8.prefix(200))).bytes()
                for byte in bytes { try client.send(bytes: [byte]) }
            }
            #expect(texts == ["first", String(long.prefix(200))])
        }

        @Test("takes many messages in one packet, in order")
        func packed() async throws {
            let texts = try await received(count: 500) { client in
                try client.send(bytes: (0..<500).flatMap { RawFrame(.text, Array("message \($0)".utf8)).bytes() })
            }
            #expect(texts == (0..<500).map { "message \($0)" })
        }

        @Test("answers a PING between two fragments and goes on with the message")
        func pingBetween() async throws {
            let hub = try LiveGateway()
            let (client, _) = try await hub.connect()
            try client.send(RawFrame(.text, Array("one ".utf8), isFinal: false))
            try client.send(RawFrame(.ping, Array("payload".utf8)))
            #expect(try client.receiveFrame() == RawFrame(.pong, Array("payload".utf8)))
            try client.send(RawFrame(.continuation, Array("two".utf8)))
            try await eventually("the message") { hub.sink().texts == ["one two"] }
        }

        /// libwebsockets' own check of UTF-8 closes such a connection.
        @Test("takes a PONG of any bytes between the halves of a character")
        func pongBetween() async throws {
            let bytes = Array("a€b".utf8)
            let texts = try await received { client in
                try client.send(RawFrame(.text, Array(bytes[..<2]), isFinal: false))
                try client.send(RawFrame(.pong, [0xFF, 0x00, 0xC0]))
                try client.send(RawFrame(.continuation, Array(bytes[2...])))
            }
            #expect(texts == ["a€b"])
        }

        @Test("joins a message that the client announced in segments, past a keep-alive among them")
        func segments() async throws {
            let texts = try await received { client in
                try client.send(text: "3")
                try client.send(text: String(long.prefix(16_384)))
                try client.send(text: "0")
                try client.send(text: String(long.dropFirst(16_384).prefix(8_000)))
                try client.send(text: String(long.dropFirst(24_384)))
            }
            #expect(texts == [long])
        }

        @Test("passes keep-alives over")
        func keepAlive() async throws {
            let texts = try await received { client in
                try client.send(text: "0")
                try client.send(text: "0")
                try client.send(text: "after")
            }
            #expect(texts == ["after"])
        }

        @Test("drops what was half received when the client leaves")
        func half() async throws {
            let hub = try LiveGateway()
            let (client, _) = try await hub.connect()
            try client.send(text: "3")
            try client.send(text: "half a")
            client.reset()
            try await eventually("the end") { hub.sink().ends.count == 1 }
            #expect(hub.sink().texts.isEmpty)
        }

        @Test("takes a message of 12 MB in segments")
        func large() async throws {
            let text = String(repeating: "x", count: 12_000_000)
            let texts = try await received { try $0.send(segmented: text) }
            #expect(texts.first?.utf8.count == text.utf8.count)
        }

        @Test("refuses binary messages with 1003")
        func binary() async throws {
            let (frame, reason) = try await refusal { try $0.send(RawFrame(.binary, [1, 2, 3])) }
            #expect(frame?.closeCode == 1003)
            #expect(reason == .protocolError)
        }

        @Test(
            "refuses bad UTF-8 with 1007",
            arguments: [
                [0x61, 0xFF], [0xC3], [0xED, 0xA0, 0x80],
                Array("a long text that is well formed at first ".utf8) + [0xC0, 0x80],
            ]
                as [[UInt8]])
        func badText(bytes: [UInt8]) async throws {
            let (frame, reason) = try await refusal { try $0.send(RawFrame(.text, bytes)) }
            #expect(frame?.closeCode == 1007)
            #expect(frame?.closeText == "the text is not valid UTF-8")
            #expect(reason == .protocolError)
        }

        @Test("refuses what is no message of the protocol with 1002")
        func malformed() async throws {
            let (frame, reason) = try await refusal { try $0.send(text: "bad") }
            #expect(frame?.closeCode == 1002)
            #expect(frame?.closeText == "the message is malformed")
            #expect(reason == .protocolError)
        }

        @Test("answers a request above the limit by its number and keeps the connection")
        func oversized() async throws {
            let hub = try LiveGateway { $0.messageLimit = 100_000 }
            let (client, _) = try await hub.connect()
            let request =
                "{\"t\":\"d\",\"d\":{\"r\":7,\"a\":\"p\",\"b\":{\"p\":\"/a\",\"d\":\""
                + String(repeating: "x", count: 200_000) + "\"}}}"
            try client.send(segmented: request)
            try client.send(text: "after")
            try await eventually("both") { hub.sink().texts == ["after"] }
            let refused = hub.sink().events.compactMap { event -> Request? in
                guard case .message(_, .request(let request)) = event, case .invalid = request.action else {
                    return nil
                }
                return request
            }
            #expect(refused.map(\.number) == [7])
        }

        @Test("gives up a message without end while it is still coming, with 1009")
        func endless() async throws {
            let (frame, reason) = try await refusal({ $0.messageLimit = 20_000 }) { client in
                try client.send(RawFrame(.text, [UInt8](repeating: 0x78, count: 10_000), isFinal: false))
                for _ in 0..<100 {
                    try client.send(RawFrame(.continuation, [UInt8](repeating: 0x78, count: 10_000), isFinal: false))
                }
            }
            #expect(frame == nil || frame?.closeCode == 1009)
            #expect(reason == .protocolError)
        }

        @Test("goes on with messages that had been read already when it stopped")
        func readAlready() async throws {
            let hub = try LiveGateway { $0.sinkBacklogLimit = 10 }
            let (client, _) = try await hub.connect()
            hub.sink().report(backlog: 100)
            try client.send(text: "first")
            try await eventually("the first") { hub.sink().texts == ["first"] }
            try client.send(bytes: (0..<10).flatMap { RawFrame(.text, Array("\($0)".utf8 + [0x21])).bytes() })
            try await Task.sleep(for: .milliseconds(100))
            #expect(hub.sink().texts.count < 11)
            hub.sink().report(backlog: 0)
            try await eventually("all of them", within: .seconds(1)) { hub.sink().texts.count == 11 }
        }

        @Test("stops reading from a flood while the namespace is behind, and loses nothing")
        func flowControl() async throws {
            let hub = try LiveGateway { $0.sinkBacklogLimit = 10 }
            let (client, _) = try await hub.connect()
            hub.sink().report(backlog: 100)
            for index in 0..<200 { try client.send(text: "message \(index)") }
            try await Task.sleep(for: .milliseconds(200))
            let whileBehind = hub.sink().texts.count
            #expect(whileBehind < 200)
            hub.sink().report(backlog: 0)
            try await eventually("all messages") { hub.sink().texts.count == 200 }
            #expect(hub.sink().texts == (0..<200).map { "message \($0)" })
        }
    }
}
