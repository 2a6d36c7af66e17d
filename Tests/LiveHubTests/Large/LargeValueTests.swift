import DataTree
import TestSupport
import Testing

@Suite("large values", .blocking, .serialized)
struct LargeValueTests {
    @Test("of a megabyte and of twenty arrive as they were written, over a crash, too")
    func roundTrip() throws {
        let hub = try HubProcess("--dev")
        let writer = try TestDevice(hub)
        writer.patience = .seconds(60)
        let reader = try TestDevice(hub)
        reader.patience = .seconds(60)
        // Characters of one to four bytes, so that cuts between segments matter.
        let megabyte = String(repeating: "aé漢😀", count: 1_048_576 / 10)
        let one = "\"\(megabyte)\""
        try reader.listen("/one")
        try writer.put("/one", one)
        try reader.expectValue(at: "/one", one)
        let parts = TestScale.pick(20, short: 4)
        for number in 0..<parts { try writer.put("/many/m\(number)", "\"\(number)\(megabyte)\"") }
        hub.kill()
        try hub.restart(port: 0)
        let late = try TestDevice(hub)
        late.patience = .seconds(60)
        try late.listen("/many")
        let many = late.view.node(at: "many")
        #expect(many.childCount == parts)
        many.forEachChild { key, value in
            let number = key.description.dropFirst()
            #expect(value == Node(leaf: .string(Text(number + megabyte))), "m\(number)")
            return true
        }
        #expect(try Node(json: late.get("/one")) == Node(json: one))
        _ = try late.takePushes()
        try late.remove("/many")
        try late.expectPush("d", "many", "null")
    }

    /// An object of so many numbers, as JSON.
    private static func object(of count: Int) -> String {
        var writer = JSONWriter(reserving: count * 16)
        writer.node(Node(children: (0..<count).map { (Key("k\($0)"), Node(leaf: .integer(Int64($0)))) }))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("are sent as their reader takes them, and others are served in between")
    func streamed() throws {
        let hub = try HubProcess("--dev", "--memory")
        let count = TestScale.pick(300_000, short: 30_000)
        do {
            let writer = try TestDevice(hub)
            writer.patience = .seconds(60)
            try writer.put("/wide", Self.object(of: count))
        }
        let witness = Witness(hub)
        try witness.expectProgress()
        let reader = try RawWebSocketClient(port: hub.port, receiveBuffer: 65_536)
        _ = try reader.receiveText()
        try reader.send(text: #"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/wide","h":""}}}"#)
        try witness.expectProgress()
        let segments = try #require(Int(try reader.receiveText(within: .seconds(60))))
        #expect(segments > count / 2000)
        var text = ""
        for number in 0..<segments {
            // The answer is under way: whoever else wants something is served.
            if number % max(1, segments / 20) == 0 { try witness.expectProgress(2) }
            text += try reader.receiveText(within: .seconds(60))
        }
        guard case .push(let push) = try DeviceMessage(text) else {
            Issue.record("no push: \(text.prefix(100))")
            return
        }
        #expect(try Node(json: push.data ?? "").childCount == count)
        #expect(try reader.receiveText(within: .seconds(60)).contains(#""s":"ok""#))
        try witness.finish()
    }

    @Test("go in one step: nobody sees a part of a deleted subtree, and a listener below is told once")
    func deleted() throws {
        let hub = try HubProcess("--dev")
        let writer = try TestDevice(hub)
        writer.patience = .seconds(60)
        let parts = TestScale.pick(50, short: 5)
        let part = Self.object(of: 10_000)
        for number in 0..<parts { try writer.put("/big/p\(number)", part) }
        let below = try TestDevice(hub)
        try below.listen("/big/p1/k7")
        try below.listen("/big/p\(parts - 1)/k9999")
        _ = try below.takePushes()
        let witness = Witness(hub)
        try witness.expectProgress()
        let port = hub.port
        let (stop, looks) = (StopFlag(), Counter())
        let looker = Worker {
            // Reads two ends of the subtree, the later one last: when the first is gone, so is the second.
            let device = try TestDevice(port: port)
            while !stop.isSet {
                let first = try device.get("/big/p0/k0")
                let last = try device.get("/big/p\(parts - 1)/k9999")
                looks.increment()
                if first == "null" && last != "null" { throw DeviceError.missing("half of the subtree was gone") }
            }
        }
        let deadline = ContinuousClock.now + .seconds(60)
        while looks.value == 0 && ContinuousClock.now < deadline { _ = stop.wait(for: .milliseconds(2)) }
        #expect(looks.value > 0)
        try writer.remove("/big")
        try below.ping()
        let pushes = try below.takePushes()
        #expect(pushes.map(\.data) == ["null", "null"])
        stop.raise()
        try looker.value()
        try witness.expectProgress()
        try witness.finish()
        #expect(try writer.get("/big") == "null")
        hub.kill()
        try hub.restart(port: 0)
        #expect(try TestDevice(hub).get("/big") == "null")
    }
}
