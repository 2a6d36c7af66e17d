import TestSupport
import Testing

@Suite("Clients that are slow on purpose")
struct SlowHeadsTests {
    /// More than libwebsockets keeps heads for, unless it is told to.
    private static let crowd = 1100

    @Test("with the head of a request do not keep others from being served", .blocking)
    func heads() throws {
        let hub = try HubProcess("--dev", "--memory")
        var slow: [RawSocket] = []
        for _ in 0..<Self.crowd {
            let socket = try RawSocket(port: hub.port)
            try socket.send(Array("GET /a.json HTTP/1.1\r\nHost:".utf8))
            slow.append(socket)
        }
        let answer = try RawWebSocketClient.http(
            port: hub.port, "GET /a.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(answer.status == 200)
        slow.forEach { $0.close() }
    }

    @Test("with reading an answer, or an event stream, do not keep others from being served", .blocking)
    func answers() throws {
        let hub = try HubProcess("--dev", "--memory")
        var slow: [RawSocket] = []
        for _ in 0..<Self.crowd {
            let socket = try RawSocket(port: hub.port)
            try socket.send(Array("GET /a.json HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n".utf8))
            slow.append(socket)
        }
        let answer = try RawWebSocketClient.http(
            port: hub.port, "PUT /a.json HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nConnection: close\r\n\r\n1")
        #expect(answer.status == 200)
        slow.forEach { $0.close() }
    }
}
