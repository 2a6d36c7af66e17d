import DataTree
import Storage
import TestSupport
import Testing

@Suite("a namespace that nobody is connected to", .blocking, .serialized)
struct UnloadingTests {
    @Test("leaves memory after a while and comes back with its data, sessions' ends included")
    func unload() throws {
        let folder = TemporaryFolder()
        let hub = try HubInProcess(dataPath: folder.path(of: "data"), idleTime: .milliseconds(100))
        for round in 1...3 {
            let device = try hub.connect()
            #expect(try device.get("/ends") == (round == 1 ? "null" : "\(round - 1)"))
            try device.put("/value", "\(round)")
            try device.onDisconnectPut("/ends", #"{".sv":{"increment":1}}"#)
            device.vanish()
            try hub.expect("database.closed", times: round)
        }
        #expect(try hub.connect().get("/") == #"{"ends":3,"value":3}"#)
        #expect(hub.count(of: "FAILED") == 0)
    }

    @Test("loses nothing when clients come at the very moment at which it leaves memory")
    func churn() throws {
        let folder = TemporaryFolder()
        let hub = try HubInProcess(dataPath: folder.path(of: "data"), idleTime: .milliseconds(5))
        var random = SeededRandom(3)
        let rounds = TestScale.pick(300, short: 60)
        for _ in 0..<rounds {
            let device = try hub.connect()
            try device.put("/count", #"{".sv":{"increment":1}}"#)
            try device.onDisconnectPut("/ends", #"{".sv":{"increment":1}}"#)
            device.pullPlug()
            _ = StopFlag().wait(for: .milliseconds(Int.random(in: 0...12, using: &random)))
        }
        #expect(hub.count(of: "database.closed") > TestScale.pick(rounds / 10, short: 0))
        let device = try hub.connect()
        try device.listen("/")
        try device.expectValue(at: "/", #"{"count":\#(rounds),"ends":\#(rounds)}"#)
        #expect(hub.count(of: "FAILED") == 0)
    }

    @Test(
        "and comes back while the disk is full is no trouble for others",
        .enabled(if: SmallDisk.isPermitted, "mounting a tmpfs needs root"))
    func fullDisk() throws {
        let disk = try SmallDisk(megabytes: 64)
        let hub = try HubInProcess(dataPath: disk.path + "/data", idleTime: .milliseconds(100))
        try hub.connect("sleeper").put("/a", "1")
        let other = try hub.connect("other")
        try other.put("/a", "2")
        try hub.expect("database.closed namespace=sleeper", times: 1)
        _ = disk.fill()
        do {
            #expect(try hub.connect("sleeper").get("/a") == "1")
        } catch RawSocketError.unexpected {
            // Without room for its files it cannot be served, which its clients are told.
        }
        #expect(try other.get("/a") == "2")
        #expect(hub.count(of: "FAILED") == 0)
        disk.free()
        #expect(try hub.connect("sleeper").get("/a") == "1")
        try hub.connect("sleeper").put("/a", "3")
        #expect(try hub.connect("sleeper").get("/a") == "3")
    }
}
