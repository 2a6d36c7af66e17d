import Glibc
import TestSupport
import Testing

@Suite("a hub's life, from its ready line to its exit code", .blocking)
struct HubLifeTests {
    private func get(_ hub: HubProcess, _ path: String, headers: String = "") throws -> RawResponse {
        try RawWebSocketClient.http(
            port: hub.port, "GET \(path) HTTP/1.1\r\nhost: 127.0.0.1\r\n\(headers)connection: close\r\n\r\n")
    }

    @Test("a hub that is ready is healthy")
    func ready() throws {
        let hub = try HubProcess("--dev")
        let response = try get(hub, "/healthz")
        #expect(response.status == 200 && response.body == #"{"status":"ok"}"#)
        #expect(hub.processID > 0)
    }

    @Test("with nobody connected a stop takes no time")
    func quickStop() throws {
        let hub = try HubProcess("--dev")
        let started = ContinuousClock.Instant.now
        #expect(try hub.stop() == .code(0))
        #expect(ContinuousClock.Instant.now - started < .seconds(5))
    }

    @Test("SIGHUP reads the configuration again; what makes no sense or needs a restart is said and changes nothing")
    func reload() throws {
        let folder = TemporaryFolder()
        let file = folder.write(#"{"namespace": ["demo"]}"#, to: "hub.json")
        let hub = try HubProcess("--memory", "--config", file)
        let ada = try TestDevice(hub)
        #expect(try get(hub, "/metrics").status == 401)

        folder.write(#"{"namespace": ["demo"], "metrics-open": true, "loops": 3}"#, to: "hub.json")
        hub.send(signal: SIGHUP)
        try hub.expectLog("reloaded")
        #expect(try get(hub, "/metrics").status == 200)
        try hub.expectLog("reload.needs-restart options=loops")

        folder.write(#"{"metrics-open": fals}"#, to: "hub.json")
        hub.send(signal: SIGHUP)
        try hub.expectLog("reload.refused")
        #expect(try get(hub, "/metrics").status == 200)
        try ada.ping()
    }

    @Test("options may come from a file")
    func configurationFile() throws {
        let folder = TemporaryFolder()
        let file = folder.write(#"{"dev": true, "memory": true, "namespace": ["demo"]}"#, to: "hub.json")
        let hub = try HubProcess("--config", file, "--memory")
        #expect(try TestDevice(hub).get("/a") == "null")
    }
}
