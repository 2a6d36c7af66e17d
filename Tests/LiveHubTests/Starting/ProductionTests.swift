import Glibc
import TestSupport
import Testing

@Suite("a hub in production mode", .blocking, .serialized)
struct ProductionTests {
    @Test("belongs to the administrator, whose secret is in a file that nobody else can read")
    func administrator() throws {
        let hub = try HubProcess("--namespace", "shop")
        let file = hub.dataPath + "/admin.secret"
        var information = stat()
        #expect(stat(file, &information) == 0 && information.st_mode & 0o777 == 0o600)
        let secret = try String(decoding: DataFiles.read(file), as: UTF8.self).filter { !$0.isWhitespace }
        #expect(secret.utf8.count >= 32)
        let stranger = try TestDevice(hub, namespace: "shop")
        try stranger.put("/a", "1", answer: "permission_denied")
        try stranger.listen("/a", answer: "permission_denied")
        try stranger.onDisconnectPut("/a", "1", answer: "permission_denied")
        for credential in ["owner", secret + "x", UnsignedTokens.user("ada"), ""] {
            try stranger.authenticate(credential, answer: "invalid_token")
        }
        try stranger.put("/a", "1", answer: "permission_denied")
        let administrator = try TestDevice(hub, namespace: "shop")
        try administrator.authenticate(secret)
        try administrator.put("/a", "1")
        #expect(try administrator.get("/a") == "1")
        // The secret stays over a restart, and what an administrator registered runs on his behalf after a crash.
        try administrator.onDisconnectPut("/gone", "true")
        hub.kill()
        try hub.restart(port: 0)
        let again = try TestDevice(hub, namespace: "shop")
        try again.authenticate(secret)
        #expect(try again.get("/") == #"{"a":1,"gone":true}"#)
        #expect(!hub.log.contains(secret), "the log holds the secret")
    }

    @Test("refuses namespaces that it does not have, with a reason")
    func unknownNamespace() throws {
        let hub = try HubProcess("--namespace", "shop")
        for (namespace, status) in [("shed", 404), ("_accounts", 400), ("default", 404)] {
            do {
                _ = try TestDevice(hub, namespace: namespace)
                Issue.record("\(namespace) was served")
            } catch RawSocketError.unexpected(let text) {
                #expect(text.contains("status \(status)") && text.contains(namespace), "\(text)")
            }
        }
        #expect(DataFiles.list(hub.dataPath + "/namespaces") == ["shop"])
    }

    @Test("shows its metrics to the administrator only, unless they are open; its health to everybody")
    func metrics() throws {
        let hub = try HubProcess("--namespace", "shop")
        let secret = try String(decoding: DataFiles.read(hub.dataPath + "/admin.secret"), as: UTF8.self)
            .filter { !$0.isWhitespace }
        func status(_ target: String, _ headers: String = "") throws -> Int {
            try RawWebSocketClient.http(
                port: hub.port, "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(headers)Connection: close\r\n\r\n"
            ).status
        }
        for refused in ["/metrics", "/metrics?auth=wrong", "/metrics?auth=owner"] {
            #expect(try status(refused) == 401)
        }
        #expect(try status("/metrics", "Authorization: Bearer owner\r\n") == 401)
        #expect(try status("/metrics", "Authorization: Bearer \(secret)\r\n") == 200)
        #expect(try status("/metrics?auth=\(secret)") == 200)
        #expect(try status("/healthz") == 200)
        #expect(try HubMetrics(port: hub.port, secret: secret)["hearth_connections{transport=\"websocket\"}"] == 0)
        try hub.stop()
        try hub.restart(["--namespace", "shop", "--metrics-open"], port: 0)
        #expect(try status("/metrics") == 200)
    }

    @Test("tells the secret on standard error when it keeps nothing")
    func memory() throws {
        let hub = try HubProcess("--namespace", "demo", "--memory")
        let line = try #require(hub.log.split(separator: "\n").first { $0.contains("the administrator's secret") })
        let device = try TestDevice(hub)
        try device.authenticate(String(line.split(separator: " ").last ?? ""))
        try device.put("/a", "1")
    }
}
