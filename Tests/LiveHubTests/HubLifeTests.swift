import Glibc
import TestSupport
import Testing

@Suite("a hub's life, from its ready line to its exit code")
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

    @Test(
        "a signal closes the clients, runs what they registered, keeps what was acknowledged and ends with 0",
        arguments: [SIGTERM, SIGINT])
    func stop(signal: Int32) throws {
        let hub = try HubProcess("--dev")
        let ada = try TestDevice(hub)
        try ada.put("/a", "1")
        try ada.onDisconnectPut("/left", #"{".sv":"timestamp"}"#)
        #expect(try hub.stop(signal: signal) == .code(0))
        let close = try #require(try ada.waitForClose())
        #expect(close.code == 1001)
        try hub.restart()
        let bob = try TestDevice(hub)
        #expect(try bob.get("/a") == "1")
        #expect(try Int(bob.get("/left")) != nil)
    }

    @Test("with nobody connected a stop takes no time")
    func quickStop() throws {
        let hub = try HubProcess("--dev")
        let started = ContinuousClock.Instant.now
        #expect(try hub.stop() == .code(0))
        #expect(ContinuousClock.Instant.now - started < .seconds(5))
    }

    @Test("an acknowledged write and a registered operation survive kill -9, and the operation runs once")
    func kill() throws {
        let hub = try HubProcess("--dev")
        let ada = try TestDevice(hub)
        try ada.merge("/", #"{"a/b":1,"c":2}"#)
        try ada.onDisconnectPut("/left", #"{".sv":{"increment":1}}"#)
        for _ in 0..<2 {
            try hub.restart()
            let bob = try TestDevice(hub)
            #expect(try bob.get("/a/b") == "1" && bob.get("/c") == "2")
            #expect(try bob.get("/left") == "1")
        }
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

    @Test("a second hub on the same data ends with 1 and says who has it")
    func lock() throws {
        let hub = try HubProcess("--dev")
        let second = try HubProcess.run(["serve", "--dev", "--port", "0", "--data", hub.dataPath])
        #expect(second.exit == .code(1) && second.output.isEmpty)
        #expect(second.error.contains("hearth serve: ") && second.error.contains(String(hub.processID)))
    }

    @Test("a port in use ends with 1 and says what to do")
    func port() throws {
        let hub = try HubProcess("--dev", "--memory")
        let second = try HubProcess.run(["serve", "--dev", "--port", String(hub.port), "--memory"])
        #expect(second.exit == .code(1) && second.output.isEmpty)
        #expect(
            second.error.contains(
                "hearth serve: port \(hub.port) on 127.0.0.1 is in use by another program; stop it or choose another port "
                    + "with --port"))
    }

    @Test("options may come from a file")
    func configurationFile() throws {
        let folder = TemporaryFolder()
        let file = folder.write(#"{"dev": true, "memory": true, "namespace": ["demo"]}"#, to: "hub.json")
        let hub = try HubProcess("--config", file, "--memory")
        #expect(try TestDevice(hub).get("/a") == "null")
    }
}

@Suite("a hub in production")
struct ProductionHubTests {
    /// The administrator's secret of a hub that keeps its data.
    private func secret(of hub: HubProcess) throws -> String {
        let text = try #require(TemporaryFolder.contents(of: hub.dataPath + "/admin.secret"))
        return text.split(separator: "\n").joined()
    }

    @Test("opens its namespaces to the administrator's secret and to nothing else")
    func administrator() throws {
        let hub = try HubProcess("--namespace", "demo")
        let device = try TestDevice(hub)
        try device.put("/a", "1", answer: "permission_denied")
        try device.listen("/a", answer: "permission_denied")
        try device.authenticate("owner", answer: "invalid_token")
        try device.authenticate("eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.", answer: "invalid_token")
        let administrator = try TestDevice(hub)
        try administrator.authenticate(secret(of: hub))
        try administrator.put("/a", "1")
        #expect(try administrator.get("/a") == "1")
    }

    @Test("keeps its secret readable by its owner alone, and the same over restarts")
    func secretFile() throws {
        let hub = try HubProcess("--namespace", "demo")
        let first = try secret(of: hub)
        var status = stat()
        #expect(stat(hub.dataPath + "/admin.secret", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(first.utf8.count >= 20)
        try hub.restart()
        #expect(try secret(of: hub) == first)
        #expect(!hub.log.contains(first))
    }

    @Test("refuses a namespace that nobody made, with the reason")
    func unknownNamespace() throws {
        let hub = try HubProcess("--namespace", "demo")
        do {
            _ = try TestDevice(hub, namespace: "other")
            Issue.record("the hub took it")
        } catch let error as RawSocketError {
            #expect(error.description.contains("404") && error.description.contains("--namespace other"))
        }
        #expect(try TestDevice(hub).session.isEmpty == false)
    }

    @Test("shows its metrics to the administrator, or to everybody with --metrics-open")
    func metrics() throws {
        let request = "GET /metrics HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n"
        let hub = try HubProcess("--namespace", "demo")
        let device = try TestDevice(hub)
        #expect(try RawWebSocketClient.http(port: hub.port, request + "\r\n").status == 401)
        #expect(
            try RawWebSocketClient.http(port: hub.port, request + "authorization: Bearer owner\r\n\r\n").status == 401)
        let answer = try RawWebSocketClient.http(
            port: hub.port, request + "authorization: Bearer \(secret(of: hub))\r\n\r\n")
        #expect(answer.status == 200)
        #expect(answer.body.contains(#"hearth_connections{transport="websocket"} 1"#))
        try hub.restart(["--namespace", "demo", "--metrics-open"])
        #expect(try RawWebSocketClient.http(port: hub.port, request + "\r\n").status == 200)
        _ = device
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
