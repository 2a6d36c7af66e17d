import DataTree
import Glibc
import TestSupport
import Testing

@Suite("a hub that is told to stop", .blocking, .serialized)
struct StopTests {
    @Test(
        "says goodbye to every client, keeps what it acknowledged, runs what they registered, and ends with 0",
        arguments: [SIGTERM, SIGINT])
    func goodbye(signal: Int32) throws {
        let hub = try HubProcess("--dev")
        let devices = try (0..<3).map { _ in try TestDevice(hub) }
        for (index, device) in devices.enumerated() {
            try device.put("/kept/d\(index)", "\(index)")
            try device.onDisconnectMerge("/", #"{"ended/d\#(index)":{".sv":{"increment":1}}}"#)
        }
        let start = ContinuousClock.now
        #expect(try hub.stop(signal: signal) == .code(0))
        #expect(ContinuousClock.now - start < .seconds(10))
        for device in devices {
            let end = try #require(try device.waitForClose())
            #expect(end.code == 1001 && end.text == "server stopping")
        }
        for _ in 0..<2 {
            try hub.restart(port: 0)
            let reader = try TestDevice(hub)
            #expect(try reader.get("/kept") == #"{"d0":0,"d1":1,"d2":2}"#)
            #expect(try reader.get("/ended") == #"{"d0":1,"d1":1,"d2":1}"#)
            try hub.stop()
        }
    }

    @Test("tells a crowd, in the middle of its writes, and every answer that it gave is true")
    func crowd() throws {
        let hub = try HubProcess("--dev")
        let devices = try (0..<TestScale.pick(300, short: 100)).map { _ in try TestDevice(hub) }
        let port = hub.port
        let stop = StopFlag()
        let writers = (0..<3).map { number in
            let load = WriteLoad(journal: WriterJournal(writer: number), seed: UInt64(number))
            return Worker {
                var load = load
                load.run(port: port, until: stop, namespace: "demo")
                return load.journal
            }
        }
        _ = stop.wait(for: .milliseconds(200))
        #expect(try hub.stop() == .code(0))
        stop.raise()
        var told = 0
        for device in devices {
            if let end = try device.waitForClose(), end.code == 1001, end.text == "server stopping" { told += 1 }
        }
        #expect(told == devices.count)
        try hub.restart(port: 0)
        let tree = try Node(json: TestDevice(hub).get("/"))
        for writer in writers {
            var journal = try writer.value()
            #expect(journal.settle(with: tree).isEmpty)
        }
    }

    @Test("ends within ten seconds though clients neither read nor answer, and one has much to be told")
    func deafClients() throws {
        let hub = try HubProcess("--dev")
        let frozen = try (0..<5).map { _ in try TestDevice(port: hub.port, receiveBuffer: 4096) }
        for device in frozen {
            try device.listen("/news")
            try device.onDisconnectPut("/ended/\(SessionJournal.key(device.session))", "true")
        }
        let writer = try TestDevice(hub)
        let text = #"""# + String(repeating: "x", count: 500_000) + #"""#
        for number in 0..<8 { try writer.put("/news/n\(number)", text) }
        let start = ContinuousClock.now
        #expect(try hub.stop() == .code(0))
        #expect(ContinuousClock.now - start < .seconds(10))
        try hub.restart(port: 0)
        #expect(try TestDevice(hub).get("/ended").split(separator: "true").count == 6)
        withExtendedLifetime(frozen) {}
    }

    @Test("ends within ten seconds though it holds much that its state file does not have yet")
    func muchUnsaved() throws {
        let hub = try HubProcess("--dev")
        let writer = try TestDevice(hub)
        let count = TestScale.pick(40, short: 8)
        let leaves = #"{"# + (0..<2000).map { #""k\#($0)":\#($0)"# }.joined(separator: ",") + "}"
        for number in 0..<count { try writer.put("/many/m\(number)", leaves) }
        let start = ContinuousClock.now
        #expect(try hub.stop() == .code(0))
        #expect(ContinuousClock.now - start < .seconds(10))
        try hub.restart(port: 0)
        #expect(try TestDevice(hub).get("/many/m\(count - 1)/k1999") == "1999")
    }

    @Test("ends at once when it is told so while it starts")
    func early() throws {
        let hub = try HubProcess("--dev")
        try TestDevice(hub).put("/a", "1")
        for delay in [0, 2, 10, 30, 60, 120] {
            let exit = try hub.restartAndEnd(with: SIGTERM, after: .milliseconds(delay))
            // Before it can answer to signals the signal itself ends it.
            #expect(exit == .code(0) || exit == .signal(SIGTERM), "after \(delay) ms")
        }
        try hub.restart(port: 0)
        #expect(try TestDevice(hub).get("/a") == "1")
    }

    @Test("takes what was written in --memory with it")
    func memory() throws {
        let hub = try HubProcess("--dev", "--memory")
        try TestDevice(hub).put("/a", "1")
        #expect(try TestDevice(hub).get("/a") == "1")
        #expect(try hub.stop() == .code(0))
        #expect(DataFiles.list(hub.dataPath).isEmpty)
        try hub.restart(port: 0)
        #expect(try TestDevice(hub).get("/a") == "null")
    }
}
