import TestSupport
import Testing

@Suite("namespaces", .blocking, .serialized)
struct NamespaceTests {
    @Test("hold no thread while nothing happens in them")
    func idle() throws {
        let hub = try HubProcess("--dev")
        try TestDevice(hub, namespace: "n0").put("/a", "0")
        let before = try ProcessFigures(of: hub.processID)
        for number in 1..<8 { try TestDevice(hub, namespace: "n\(number)").put("/a", "\(number)") }
        let deadline = ContinuousClock.now + .seconds(30)
        var after = try ProcessFigures(of: hub.processID)
        while after.threads > before.threads, ContinuousClock.now < deadline {
            _ = StopFlag().wait(for: .milliseconds(200))
            after = try ProcessFigures(of: hub.processID)
        }
        #expect(after.threads <= before.threads)
        for number in 0..<8 { #expect(try TestDevice(hub, namespace: "n\(number)").get("/a") == "\(number)") }
        hub.kill()
        try hub.restart(port: 0)
        for number in 0..<8 { #expect(try TestDevice(hub, namespace: "n\(number)").get("/a") == "\(number)") }
    }

    @Test("are limited in number; one too many is refused with a reason")
    func limit() throws {
        let hub = try HubProcess("--dev", "--memory")
        for number in 0..<64 { try TestDevice(hub, namespace: "n\(number)").put("/a", "\(number)") }
        do {
            _ = try TestDevice(hub, namespace: "n64")
            Issue.record("a 65th namespace was made")
        } catch RawSocketError.unexpected(let text) {
            #expect(text.contains("status 503") && text.contains("maximum of 64 namespaces"), "\(text)")
        }
        #expect(try TestDevice(hub, namespace: "n63").get("/a") == "63")
    }

    @Test("that were only looked at take no place for long, and leave no files")
    func lookedAt() throws {
        let hub = try HubProcess("--dev", "--max-namespaces", "3")
        let first = try TestDevice(hub, namespace: "first")
        try first.listen("/")
        #expect(try first.get("/") == "null")
        #expect(DataFiles.list(hub.dataPath + "/namespaces").isEmpty)
        try first.put("/a", "1")
        #expect(DataFiles.list(hub.dataPath + "/namespaces") == ["first"])
    }
}
