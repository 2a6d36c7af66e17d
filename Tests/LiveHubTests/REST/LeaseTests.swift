import TestSupport
import Testing

@Suite("Leases over HTTP")
struct LeaseTests {
    private func request(
        _ hub: HubProcess, _ method: String, _ target: String, _ body: String = ""
    ) throws -> RawResponse {
        try RawWebSocketClient.http(
            port: hub.port,
            "\(method) \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    @Test("make a device online that only sends requests, for as long as it renews", .blocking)
    func lifetime() throws {
        let hub = try HubProcess("--dev", "--presence", "presence")
        let token = UnsignedTokens.user("ada")
        let target = "/.lease/online/sensor.json?auth=\(token)"
        let terms = #"{"ttl":5,"online":{"since":{".sv":"timestamp"}},"onDisconnect":"gone"}"#
        let begun = try request(hub, "PUT", target, terms)
        #expect(begun.status == 200)
        #expect(begun.body.contains(#""new":true"#) && begun.body.contains(#""ttl":5"#))
        #expect(try request(hub, "PUT", target, terms).body.contains(#""new":false"#))
        #expect(try request(hub, "GET", "/online/sensor/since.json").body != "null")
        #expect(try request(hub, "GET", "/presence/users/ada.json").body.contains(#""transport":"lease""#))
        // Who does not renew is gone: the hub's clock says when.
        let deadline = ContinuousClock.Instant.now + .seconds(60)
        while try request(hub, "GET", "/online/sensor.json").body != #""gone""#, ContinuousClock.Instant.now < deadline
        {}
        #expect(try request(hub, "GET", "/online/sensor.json").body == #""gone""#)
        #expect(try request(hub, "GET", "/presence/lastSeen/ada/reason.json").body == #""lease expired""#)
        #expect(try request(hub, "GET", target).status == 404)
    }

    @Test("end when their holder says so, and belong to their holder alone", .blocking)
    func ended() throws {
        let hub = try HubProcess("--dev")
        let target = "/.lease/a.json?auth=\(UnsignedTokens.user("ada"))"
        _ = try request(hub, "PUT", target, #"{"ttl":600,"online":1}"#)
        #expect(try request(hub, "DELETE", "/.lease/a.json?auth=\(UnsignedTokens.user("bob"))").status == 404)
        #expect(try request(hub, "GET", "/a.json").body == "1")
        #expect(try request(hub, "DELETE", target).status == 200)
        #expect(try request(hub, "GET", "/a.json").body == "null")
    }

    @Test("run at the next start what a hub that was killed held", .blocking)
    func killed() throws {
        let hub = try HubProcess("--dev")
        _ = try request(hub, "PUT", "/.lease/a.json", #"{"ttl":600,"online":"on","onDisconnect":"off"}"#)
        hub.kill()
        try hub.restart()
        #expect(try request(hub, "GET", "/a.json").body == #""off""#)
    }

    @Test(
        "that make no sense are refused with what to send",
        .blocking,
        arguments: [
            #"{"online":1}"#, #"{"ttl":0}"#, #"{"ttl":1}"#, #"{"ttl":3456000}"#, #"{"ttl":"long"}"#,
            #"{"ttl":60,"x":1}"#,
            "5", "{",
        ])
    func refused(_ body: String) throws {
        let hub = try HubProcess("--dev")
        let answer = try request(hub, "PUT", "/.lease/a.json", body)
        #expect(answer.status == 400)
        #expect(answer.body.contains("\"error\""))
        #expect(try request(hub, "GET", "/a.json").body == "null")
    }
}
