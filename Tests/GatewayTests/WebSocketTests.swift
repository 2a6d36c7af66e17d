import HubEngine
import TestSupport
import Testing
import WireProtocol

@testable import Gateway

extension LiveTests {
    @Suite("A WebSocket session")
    struct WebSocketTests {
        @Test("opens with what the handshake said")
        func opens() async throws {
            let hub = try LiveGateway()
            let client = try RawWebSocketClient(
                port: hub.port, path: "/.ws?v=5&ns=demo&ls=Old-Session&p=1:1:web:a&xyz=1",
                headers: [("User-Agent", "Firebase/5/12/linux/Node")], hostHeader: "db.example.test:9000")
            try await eventually("opened") { hub.sink().openings.count == 1 }
            let opening = try #require(hub.sink().openings.first?.opening)
            #expect(opening.host == "db.example.test:9000")
            #expect(opening.lastSession == "Old-Session")
            #expect(opening.userAgent == "Firebase/5/12/linux/Node")
            #expect(opening.remoteAddress == "127.0.0.1")
            #expect(opening.transport == .webSocket)
            #expect(!opening.isAdministrative)
            #expect(client.response.header("upgrade") == "websocket")
            #expect(client.response.header("connection")?.lowercased() == "upgrade")
            #expect(client.response.header("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(client.response.header("sec-websocket-protocol") == nil)
            #expect(client.response.header("sec-websocket-extensions") == nil)
        }

        @Test("carries texts both ways and ends once")
        func carries() async throws {
            let hub = try LiveGateway()
            let (client, id) = try await hub.connect()
            hub.post(.frame(Frame("hello"), to: id))
            #expect(try client.receiveText() == "hello")
            try client.send(text: "a request")
            try await eventually("the request") { hub.sink().texts == ["a request"] }
            client.close()
            try await eventually("the end") { !hub.sink().ends.isEmpty }
            #expect(hub.sink().ends.map(\.reason) == [.connectionLost])
            #expect(hub.sink().ends.map(\.id) == [id])
            #expect(hub.metrics.openConnections == 0)
        }
    }
}
