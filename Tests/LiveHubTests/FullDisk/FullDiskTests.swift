import DataTree
import TestSupport
import Testing

@Suite(
    "a hub whose disk is full", .blocking, .serialized,
    .enabled(if: SmallDisk.isPermitted, "mounting a tmpfs needs root"))
struct FullDiskTests {
    /// A hub, its disk, and a writer that knows what was acknowledged.
    final class Scene {
        let disk: SmallDisk
        let hub: HubProcess
        private(set) var writer: TestDevice
        private(set) var acknowledged = Node.empty
        private var last = 0

        init(_ arguments: String...) throws {
            disk = try SmallDisk(megabytes: 64)
            hub = try HubProcess("--dev", "--presence", "online", dataPath: disk.path + "/data")
            writer = try TestDevice(hub)
        }

        /// Writes a text of so many bytes. False when the hub has no room for it.
        func write(bytes: Int) throws -> Bool {
            last += 1
            // Long texts replace each other: they are there to fill the log. An equal one would not be a change.
            let path = bytes > 1000 ? "/bulk/n\(last % 4)" : "/data/n\(last)"
            let text = "\"\(last)" + String(repeating: "x", count: bytes) + "\""
            let response = try writer.request("p", TestDevice.put(path, text))
            switch response.status {
            case "ok":
                acknowledged.set(try Node(json: text), at: Path(path))
                return true
            case "unavailable":
                #expect(response.payload.contains("space"), "\(response.payload)")
                return false
            default: throw DeviceError.answered(response, to: "a put of \(bytes) bytes")
            }
        }

        /// Fills the disk, and then what the hub had set aside of it for its log.
        func exhaust() throws {
            // The hub tries to set more aside, and gives back what it could not get all of.
            while disk.fill() {
                for bytes in [400_000, 20_000, 1000, 10] {
                    var count = 0
                    while try write(bytes: bytes) {
                        count += 1
                        guard count < 400 else { throw DeviceError.missing("the disk never filled up") }
                    }
                }
            }
        }

        /// Writes again and again until there is room.
        func awaitRoom() throws {
            let deadline = ContinuousClock.now + .seconds(20)
            while try !write(bytes: 10) {
                guard ContinuousClock.now < deadline else { throw DeviceError.missing("writes are still refused") }
                _ = StopFlag().wait(for: .milliseconds(50))
            }
        }

        func reconnect() throws { writer = try TestDevice(hub) }

        func expectEverything(_ reader: TestDevice? = nil) throws {
            let reader = reader ?? writer
            for place in ["data", "bulk"] {
                #expect(try Node(json: reader.get("/\(place)")) == acknowledged.node(at: Path(place)))
            }
        }
    }

    @Test(
        "refuses writes with a reason, serves readers, ends sessions from its reserve, and recovers when there is room")
    func recovery() throws {
        let scene = try Scene()
        let observer = try TestDevice(scene.hub)
        try observer.listen("/data")
        try observer.listen("/ended")
        try observer.listen("/online/lastSeen")
        let dying = try (0..<20).map { number in
            let device = try TestDevice(scene.hub)
            try device.authenticate(UnsignedTokens.user("u\(number)"))
            try device.onDisconnectPut("/ended/d\(number)", #"{".sv":{"increment":1}}"#)
            return device
        }
        try scene.exhaust()

        // Nobody saw what was refused, and everybody sees what was not.
        try observer.expectValue(at: "/data", scene.acknowledged.node(at: "data").json)
        let late = try TestDevice(scene.hub)
        try late.listen("/data")
        #expect(late.view.node(at: "data") == scene.acknowledged.node(at: "data"))
        try scene.expectEverything(late)
        try late.onDisconnectPut("/ended/late", "1", answer: "unavailable")
        try late.expect(
            "unavailable", "m", TestDevice.put("/", #"{"x":"\#(String(repeating: "x", count: 300))","y/z":2}"#))
        #expect(try late.get("/x") == "null")

        for (number, device) in dying.enumerated() {
            if number % 2 == 0 { device.pullPlug() } else { try device.leave() }
        }
        try observer.pump("the ends of sessions") { observer.view.node(at: "ended").childCount == dying.count }
        #expect(try !scene.write(bytes: 10))

        scene.disk.free()
        try scene.awaitRoom()
        try late.onDisconnectPut("/ended/late", #"{".sv":{"increment":1}}"#)
        late.pullPlug()
        try observer.pump("the last end") { !observer.view.node(at: "ended/late").isEmpty }
        try observer.pump("why everybody left") { observer.view.node(at: "online/lastSeen").childCount == dying.count }
        for _ in 0..<3 {
            scene.hub.kill()
            try scene.hub.restart(port: 0)
            try scene.reconnect()
            try scene.expectEverything()
            let ended = try Node(json: scene.writer.get("/ended"))
            #expect(ended.childCount == dying.count + 1)
            ended.forEachChild { key, count in
                #expect(count.number == 1, "\(key) ended \(count.json) times")
                return true
            }
        }
    }

    @Test("owes the ends of sessions that not even its reserve can hold, and pays when there is room, each once")
    func owed() throws {
        let scene = try Scene()
        let observer = try TestDevice(scene.hub)
        try observer.listen("/ended")
        let text = String(repeating: "x", count: 400_000)
        var dying: [TestDevice] = []
        for number in 0..<16 {
            let device = try TestDevice(scene.hub)
            try device.onDisconnectMerge(
                "/", #"{"ended/d\#(number)":{".sv":{"increment":1}},"last/d\#(number)":"\#(text)"}"#)
            dying.append(device)
        }
        try scene.exhaust()
        for device in dying { device.pullPlug() }
        try scene.writer.ping()
        // Takeovers wait for what is owed to the session they name; others come in.
        let other = try TestDevice(scene.hub)
        try other.ping()
        let before = observer.view.node(at: "ended").childCount
        #expect(before < dying.count, "the reserve held everything")
        scene.disk.free()
        try observer.pump("the ends of all sessions") { observer.view.node(at: "ended").childCount == dying.count }
        #expect(try scene.write(bytes: 10))
        scene.hub.kill()
        try scene.hub.restart(port: 0)
        try scene.reconnect()
        try scene.expectEverything()
        let ended = try Node(json: scene.writer.get("/ended"))
        #expect(ended.childCount == dying.count && ended.leafCount == dying.count)
        ended.forEachChild { key, count in
            #expect(count.number == 1, "\(key) ended \(count.json) times")
            return true
        }
        #expect(try Node(json: scene.writer.get("/last")).childCount == dying.count)
    }

    /// How a hub ends while its disk is full.
    enum End: CaseIterable { case killed, stopped }

    @Test("keeps everything over its end and a start while the disk is full", arguments: End.allCases)
    func ending(end: End) throws {
        let scene = try Scene()
        let dying = try TestDevice(scene.hub)
        try dying.onDisconnectPut("/ended", #"{".sv":{"increment":1}}"#)
        try scene.exhaust()
        switch end {
        case .killed: scene.hub.kill()
        case .stopped: #expect(try scene.hub.stop() == .code(0))
        }
        // A start needs a little room: without it the hub says so and changes nothing.
        do {
            try scene.hub.restart(port: 0)
            try scene.reconnect()
            try scene.expectEverything()
            #expect(try !scene.write(bytes: 10))
            scene.hub.kill()
        } catch let error as HubProcessError {
            #expect(error.what.contains("code(1)") && error.log.contains("no space left"), "\(error)")
        }
        scene.disk.free()
        try scene.hub.restart(port: 0)
        try scene.reconnect()
        try scene.expectEverything()
        #expect(try scene.writer.get("/ended") == "1")
        try scene.awaitRoom()
    }
}
