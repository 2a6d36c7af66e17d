import TestSupport
import Testing

@Suite("Secrets")
struct SecretsTests {
    @Test("in requests appear in no log, metric or error, whatever is wrong with the request", .blocking)
    func areNotTold() throws {
        let secret = "s3cret-t0ken-that-nobody-may-see"
        let hub = try HubProcess("--dev", "--log-level", "debug", "--metrics-open")
        let targets = [
            "/a.json?auth=\(secret)", "/a.json?access_token=\(secret)&print=pretty", "/a?auth=\(secret)",
            "/a$b.json?auth=\(secret)", "/a.json?auth=\(secret)&orderBy=x", "/.ws?auth=\(secret)&ns=demo",
            "/.lp?start=t&auth=\(secret)", "/.settings/rules.json?auth=\(secret)", "/.hub/v1/namespaces?auth=\(secret)",
            "/metrics?auth=\(secret)", "/nowhere?auth=\(secret)", "/.lease/a.json?auth=\(secret)",
            "/a.json?auth=\(secret)&auth=\(secret)", "/a.json?auth_variable_override=\(secret)", "/%zz?auth=\(secret)",
        ]
        for target in targets {
            for method in ["GET", "PUT", "BREW"] {
                let head =
                    "\(method) \(target) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(secret)\r\n"
                    + "Content-Length: 0\r\nConnection: close\r\n\r\n"
                let answer = try? RawWebSocketClient.http(port: hub.port, head)
                #expect(answer?.body.contains(secret) != true, "\(method) \(target)")
            }
        }
        let metrics = try RawWebSocketClient.http(
            port: hub.port, "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(metrics.body.contains("hearth_http_requests_total"))
        #expect(!metrics.body.contains(secret))
        try hub.stop()
        #expect(!hub.log.contains(secret))
    }
}
