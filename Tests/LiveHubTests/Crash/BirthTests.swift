import DataTree
import TestSupport
import Testing

@Suite("a namespace whose hub is killed", .blocking, .serialized)
struct BirthTests {
    @Test("while it comes into being is there with what was acknowledged, or can be made anew")
    func birth() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed)
        for round in 1...TestScale.pick(12, short: 4) {
            let hub = try HubProcess("--dev")
            let port = hub.port
            let acknowledged = Counter()
            let writer = Worker {
                for number in 1...3 {
                    let device = try TestDevice(port: port, namespace: "n\(number)")
                    try device.put("/a", "\(number)")
                    acknowledged.increment()
                }
            }
            _ = StopFlag().wait(for: .milliseconds(Int.random(in: 0..<150, using: &random)))
            hub.kill()
            _ = try? writer.value()
            if round % 3 == 0 {
                try hub.restartAndEnd(after: .milliseconds(Int.random(in: 5..<200, using: &random)))
            }
            try hub.restart(port: 0)
            for number in 1...3 {
                let device = try TestDevice(hub, namespace: "n\(number)")
                let found = try device.get("/a")
                #expect(
                    found == "\(number)" || found == "null" && number > acknowledged.value,
                    "round \(round), seed \(seed): \(found) in n\(number) after \(acknowledged.value) writes")
                try device.put("/a", "\(number)")
            }
        }
    }

    @Test(
        "while its state is being saved loses nothing, and the log is as short as it can be afterwards",
        .enabled(if: !TestScale.isShort, "it takes more than 64 MB of writes"))
    func saving() throws {
        let hub = try HubProcess("--dev")
        let folder = hub.dataPath + "/namespaces/demo"
        let parts = 8
        do {
            let writer = try TestDevice(hub)
            writer.patience = .seconds(60)
            var json = JSONWriter()
            json.node(Node(children: (0..<10_000).map { (Key("k\($0)"), Node(leaf: .integer(Int64($0)))) }))
            let part = String(decoding: json.bytes, as: UTF8.self)
            for number in 0..<parts { try writer.put("/many/p\(number)", part) }
            for number in 0..<70 {
                try writer.put("/large", "\"\(number)" + String(repeating: "x", count: 1_000_000) + "\"")
            }
        }
        // The pass has begun when its journal grows.
        let journal = folder + "/state.sqlite-wal"
        let deadline = ContinuousClock.now + .seconds(20)
        while try DataFiles.read(journal).count < 1 << 20, ContinuousClock.now < deadline {
            _ = StopFlag().wait(for: .milliseconds(2))
        }
        hub.kill()
        for _ in 0..<2 {
            try hub.restart(port: 0)
            let reader = try TestDevice(hub)
            reader.patience = .seconds(60)
            let many = try Node(json: reader.get("/many"))
            #expect(many.childCount == parts && many.leafCount == parts * 10_000)
            #expect(try reader.get("/large").utf8.count == 1_000_004)
            try reader.put("/more", #"{".sv":{"increment":1}}"#)
            let start = ContinuousClock.now
            while DataFiles.list(folder + "/log").count > 4, ContinuousClock.now - start < .seconds(30) {
                _ = StopFlag().wait(for: .milliseconds(50))
            }
            #expect(DataFiles.list(folder + "/log").count <= 4)
            hub.kill()
        }
        try hub.restart(port: 0)
        #expect(try TestDevice(hub).get("/more") == "2")
    }
}
