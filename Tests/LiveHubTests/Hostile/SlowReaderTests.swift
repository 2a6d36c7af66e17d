import DataTree
import TestSupport
import Testing

@Suite("clients that do not read", .blocking, .serialized)
struct SlowReaderTests {
    @Test("are dropped as too slow once much waits for them; what they cost is bounded; others get everything")
    func dropped() throws {
        let hub = try HubProcess("--dev", "--memory", "--presence", "online")
        let slow = try (0..<TestScale.pick(8, short: 3)).map { number in
            let device = try TestDevice(port: hub.port, receiveBuffer: 4096)
            try device.authenticate(UnsignedTokens.user("slow\(number)"))
            try device.onDisconnectPut("/gone/s\(number)", #"{".sv":{"increment":1}}"#)
            try device.listen("/feed")
            return device
        }
        let observer = try TestDevice(hub)
        try observer.listen("/gone")
        try observer.listen("/online/lastSeen")
        let port = hub.port
        let readers = (0..<2).map { _ in
            Worker {
                let client = try RawWebSocketClient(port: port)
                try client.send(text: #"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/feed","h":""}}}"#)
                var bytes = 0
                while true {
                    let frame = try client.receiveFrame(within: .seconds(60))
                    bytes += frame.payload.count
                    if frame.payload.count < 200, frame.text.contains("the end") { return bytes }
                }
            }
        }
        let witness = Witness(hub)
        let before = try ProcessFigures(of: hub.processID)
        let writer = try TestDevice(hub)
        // Above what the kernel and the hub's own queue for one client hold.
        let pieces = 60
        for number in 0..<pieces {
            try writer.put("/feed/value", "\"\(number)" + String(repeating: "x", count: 400_000) + "\"")
        }
        try writer.put("/feed/value", #""the end""#)
        for reader in readers { #expect(try reader.value() > pieces * 400_000) }
        try observer.pump("the end of the slow ones", within: .seconds(30)) {
            observer.view.node(at: "gone").childCount == slow.count
        }
        let after = try ProcessFigures(of: hub.processID)
        // All of them wait for the same bytes: 16 MiB and what is being sent, not as much for each.
        after.expectGrowth(since: before, below: 100)
        for number in 0..<slow.count {
            #expect(observer.view.node(at: Path("gone/s\(number)")).number == 1)
            #expect(observer.view.node(at: Path("online/lastSeen/slow\(number)/reason")).json == #""too slow""#)
        }
        // The readers may have the end in their kernel's hands before the loop has counted it as sent.
        let metrics = try HubMetrics.read(port: hub.port) { $0["hearth_send_queue_bytes"] == 0 }
        #expect(metrics["hearth_connections_closed_total{reason=\"too_slow\"}"] == Double(slow.count))
        #expect(metrics["hearth_send_queue_bytes"] == 0)
        try witness.expectProgress()
        try witness.finish()
        withExtendedLifetime(slow) {}
    }

    @Test("and ask for more and more are served no faster than they read, and cost a bounded amount")
    func askingOn() throws {
        let hub = try HubProcess("--dev", "--memory")
        let writer = try TestDevice(hub)
        try writer.put("/value", "\"" + String(repeating: "x", count: 500_000) + "\"")
        let witness = Witness(hub)
        let before = try ProcessFigures(of: hub.processID)
        let greedy = try TestDevice(port: hub.port, receiveBuffer: 4096)
        for _ in 0..<TestScale.pick(200, short: 60) { _ = try? greedy.send("g", #"{"p":"/value"}"#) }
        try witness.expectProgress(10)
        let after = try ProcessFigures(of: hub.processID)
        after.expectGrowth(since: before, below: 150)
        let end = try greedy.waitForClose(within: .seconds(30))
        // The close frame may not have found room.
        #expect(end == nil || end?.code == 1013)
        try witness.finish()
    }
}
