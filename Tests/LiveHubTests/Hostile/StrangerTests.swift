import TestSupport
import Testing

@Suite("Strangers")
struct StrangerTests {
    @Test(
        "may send less than administrators, since it is decoded before rules are asked", .blocking,
        // Decoding two million nodes is too much for a slow build.
        .enabled(if: !TestScale.isShort))
    func bodies() throws {
        let hub = try HubProcess("--namespace", "default")
        let secret = try #require(TemporaryFolder.contents(of: "\(hub.dataPath)/admin.secret"))
            .split(separator: "\n").joined()
        let many = "[" + String(repeating: "1,", count: 2_100_000) + "1]"
        let long = "\"" + String(repeating: "x", count: 17 << 20) + "\""
        func put(_ body: String, _ header: String = "") throws -> RawResponse {
            let head = "PUT /a.json?print=silent HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(header)"
            return try RawWebSocketClient.http(
                port: hub.port, head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body,
                within: .seconds(120))
        }
        #expect(try put(many).status == 400)
        #expect(try put(many).body.contains("exceeds the maximum size"))
        #expect(try put(long).status == 413)
        #expect(try put("1").status == 401)
        // What an administrator sends is too long for a text, and nothing else.
        let authorized = "Authorization: Bearer \(secret)\r\n"
        #expect(try put(long, authorized).body.contains("longer than"))
        #expect(try put("1", authorized).status == 204)
    }
}
