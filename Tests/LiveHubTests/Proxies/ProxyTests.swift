import Glibc
import TestSupport
import Testing

/// `scripts/prepare --for-tests` installs the proxies; without them there is nothing to test.
@Suite("a hub behind a proxy", .blocking)
struct ProxyTests {
    private static let proxies = ProxyProcess.Kind.allCases.filter(\.isInstalled)

    private func connections(_ hub: HubProcess) throws -> String {
        let rest = RestClient(port: hub.port, namespace: nil)
        return try rest.get("/.hub/v1/connections?ns=demo").text
    }

    @Test("answers REST, WebSockets and streams as it does without one", arguments: proxies)
    func everything(_ kind: ProxyProcess.Kind) throws {
        let hub = try HubProcess("--dev", "--memory")
        let proxy = try ProxyProcess(kind, hub: hub)
        let rest = RestClient(port: proxy.port, namespace: "demo")
        let text = "\"" + String(repeating: "x", count: 3_000_000) + "\""
        #expect(try rest.put("/large.json?print=silent", text).outcome == "204")
        #expect(try rest.get("/large.json").bytes.count == 3_000_002)
        #expect(try rest.delete("/large.json").outcome == "200 null")
        #expect(try rest.patch("/.json", #"{"a b/é":1,"deep/x":2}"#).status == 200)
        #expect(try rest.get("/a%20b/%C3%A9.json").outcome == "200 1")
        #expect(try rest.get("/deep%2Fx.json").outcome == "200 2")
        #expect(try rest.get(#"/deep.json?orderBy="$key"&limitToFirst=1"#).outcome == #"200 {"x":2}"#)
        let tag = try #require(try rest.get("/deep.json", ["X-Firebase-ETag": "true"]).header("etag"))
        #expect(try rest.put("/deep.json", "3", ["if-match": tag]).outcome == "200 3")
        #expect(try rest.put("/deep.json", "4", ["if-match": tag]).outcome == "412 3")
        #expect(try rest.post("/deep.json", "null", ["X-HTTP-Method-Override": "DELETE"]).outcome == "200 null")
        #expect(try rest.anonymous.get("/deep.json?auth=garbage").status == 401)
        let stream = try EventStreamClient(rest, "/live.json")
        #expect(try stream.change() == #"put {"path":"/","data":null}"#)
        let device = try TestDevice(port: proxy.port, namespace: "demo")
        try device.put("/live", #""é€😀""#)
        #expect(try stream.change() == #"put {"path":"/","data":"é€😀"}"#)
        try device.listen("/from")
        _ = try rest.put("/from.json", "5")
        try device.expectPush("d", "from", "5")
        // A body in chunks, as the official command line sends it.
        try rest.send(
            rest.text("PUT", "/chunks.json", nil, ["Transfer-Encoding": "chunked"]) + "2\r\n[1\r\n3\r\n,2]\r\n0\r\n\r\n"
        )
        #expect(try rest.receive().outcome == "200 [1,2]")
        stream.close()
        try device.leave()
        let gone = try HubMetrics.read(port: hub.port) { $0[#"hearth_connections{transport="sse"}"#] == 0 }
        #expect(gone[#"hearth_connections{transport="sse"}"#] == 0, "a stream whose client left stays open")
    }

    @Test("keeps idle streams and WebSockets from being cut", .enabled(if: ProxyProcess.Kind.nginx.isInstalled))
    func idle() throws {
        // Keep-alives and pings come every five seconds here, and nginx waits for eight.
        let hub = try HubProcess("--dev", "--memory", "--dead-peer-seconds", "10", "--keep-alive-seconds", "5")
        let proxy = try ProxyProcess(.nginx, hub: hub, readSeconds: 8)
        let rest = RestClient(port: proxy.port, namespace: "demo")
        let device = try TestDevice(port: proxy.port, namespace: "demo")
        let stream = try EventStreamClient(rest, "/live.json")
        #expect(try stream.change() == #"put {"path":"/","data":null}"#)
        try device.listen("/live")
        for _ in 1...4 {
            try device.expectNoPush(for: .milliseconds(2500))
            // What has come meanwhile is nothing but signs of life.
        }
        _ = try RestClient(port: hub.port, namespace: "demo").put("/live.json", "1")
        try device.expectPush("d", "live", "1")
        var event = try stream.next()
        var keepAlives = 0
        while event == StreamEvent("keep-alive", "null") {
            keepAlives += 1
            event = try stream.next()
        }
        #expect(event == StreamEvent("put", #"{"path":"/","data":1}"#))
        #expect(keepAlives >= 1)
    }

    @Test("believes X-Forwarded-For of trusted proxies only", .enabled(if: ProxyProcess.Kind.nginx.isInstalled))
    func address() throws {
        for isTrusted in [true, false] {
            let trust = isTrusted ? ["--trusted-proxy", "127.0.0.1/32"] : []
            let hub = try HubProcess(arguments: ["--dev", "--memory"] + trust)
            let proxy = try ProxyProcess(.nginx, hub: hub)
            let client = try RawWebSocketClient(
                port: proxy.port, headers: [("X-Forwarded-For", "198.51.100.9, 203.0.113.7")])
            _ = try client.receiveText()
            let seen = try connections(hub)
            #expect(seen.contains(#""address":"203.0.113.7""#) == isTrusted, "\(seen)")
            #expect(seen.contains(#""address":"127.0.0.1""#) != isTrusted, "\(seen)")
            client.close()
        }
    }

    @Test("a head that is too long is refused by the proxy, or by the hub for it", arguments: proxies)
    func longHead(_ kind: ProxyProcess.Kind) throws {
        let hub = try HubProcess("--dev", "--memory")
        let proxy = try ProxyProcess(kind, hub: hub)
        let client = RestClient(port: proxy.port, namespace: "demo")
        let line = String(repeating: "y", count: 7000)
        let three = try client.get("/a.json", ["X-One": line, "X-Two": line, "X-Three": line])
        #expect(three.status == 502)
        client.close()
        let long = try client.get("/a.json?x=" + String(repeating: "y", count: 20_000))
        #expect([414, 502].contains(long.status))
        client.close()
        #expect(try client.get("/a.json").outcome == "200 null")
    }
}
