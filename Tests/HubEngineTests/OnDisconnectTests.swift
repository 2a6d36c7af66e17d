import DataTree
import HubEngine
import Storage
import TestSupport
import Testing
import WireProtocol

/// What a client leaves to be written when it goes.
@Suite("onDisconnect")
struct OnDisconnectTests {
    let hub = EngineHarness()

    /// Registrations by one client on an empty database, and the database when it has gone.
    static let registrations: [(requests: [(String, String)], before: String, after: String)] = [
        ([("o", #"{"p":"/p","d":1}"#), ("oc", #"{"p":"/p","d":null}"#)], "null", "null"),
        ([("o", #"{"p":"/p","d":{"a":1,"b":2}}"#), ("oc", #"{"p":"/p/a","d":null}"#)], "null", #"{"p":{"b":2}}"#),
        ([("o", #"{"p":"/p/a","d":1}"#), ("oc", #"{"p":"/p","d":null}"#)], "null", "null"),
        ([("o", #"{"p":"/p/a","d":1}"#), ("oc", #"{"p":"/","d":null}"#)], "null", "null"),
        ([("o", #"{"p":"/p","d":{"a":1}}"#), ("o", #"{"p":"/p/b","d":2}"#)], "null", #"{"p":{"a":1,"b":2}}"#),
        ([("o", #"{"p":"/p/b","d":2}"#), ("o", #"{"p":"/p","d":{"a":1}}"#)], "null", #"{"p":{"a":1}}"#),
        ([("o", #"{"p":"/p","d":5}"#), ("oc", #"{"p":"/p/a","d":null}"#)], "null", #"{"p":5}"#),
        ([("o", #"{"p":"/p","d":null}"#), ("oc", #"{"p":"/p/a","d":null}"#)], #"{"p":{"a":1,"b":1}}"#, "null"),
        ([("o", #"{"p":"/p","d":null}"#), ("o", #"{"p":"/p/a","d":2}"#)], #"{"p":{"a":1,"b":1}}"#, #"{"p":{"a":2}}"#),
        (
            [("om", #"{"p":"/u","d":{"x/y":1,"z":null}}"#)], #"{"u":{"k":3,"x":{"v":1},"z":9}}"#,
            #"{"u":{"k":3,"x":{"v":1,"y":1}}}"#
        ),
        (
            [("om", #"{"p":"/u","d":{"a":1,"b":2,"c":3}}"#), ("oc", #"{"p":"/u/b","d":null}"#)], "null",
            #"{"u":{"a":1,"c":3}}"#
        ),
        ([("o", #"{"p":"/p","d":{".value":1,".priority":7}}"#)], "null", #"{"p":{".value":1,".priority":7}}"#),
        ([("o", #"{"p":"/p/.priority","d":7}"#)], #"{"p":1}"#, #"{"p":{".value":1,".priority":7}}"#),
        ([("o", #"{"p":"/p/.priority","d":7}"#)], "null", "null"),
        (
            [("o", #"{"p":"/p","d":{"a":1}}"#), ("o", #"{"p":"/p/.priority","d":7}"#)], "null",
            #"{"p":{".priority":7,"a":1}}"#
        ),
        (
            [("o", #"{"p":"/p","d":{"a":{"b":1,"c":2},"d":3}}"#), ("oc", #"{"p":"/p/a/b","d":null}"#)],
            #"{"p":{"z":1}}"#, #"{"p":{"a":{"c":2},"d":3,"z":1}}"#
        ),
        // U46: set, update and remove around one place, a cancel of a part, set again; then a cancel above children.
        (
            [
                ("o", #"{"p":"/a","d":{"x":0}}"#), ("om", #"{"p":"/a","d":{"b":1,"c":2}}"#),
                ("o", #"{"p":"/a/d","d":null}"#), ("oc", #"{"p":"/a/b","d":null}"#),
            ], #"{"a":{"b":9,"d":9,"e":9}}"#, #"{"a":{"b":9,"c":2,"d":9,"e":9,"x":0}}"#
        ),
        (
            [
                ("om", #"{"p":"/a","d":{"b":1,"c":2}}"#), ("o", #"{"p":"/a/d","d":null}"#),
                ("oc", #"{"p":"/a/b","d":null}"#), ("o", #"{"p":"/a","d":{"y":5}}"#),
            ], #"{"a":{"b":9,"d":9}}"#, #"{"a":{"y":5}}"#
        ),
        (
            [("om", #"{"p":"/a","d":{"b":1,"c":2}}"#), ("o", #"{"p":"/e","d":5}"#), ("oc", #"{"p":"/a","d":null}"#)],
            #"{"a":{"b":9}}"#, #"{"a":{"b":9},"e":5}"#
        ),
    ]

    @Test("what is registered, replaced and cancelled is what is written", arguments: 0..<registrations.count)
    func registered(index: Int) {
        let (requests, before, after) = Self.registrations[index]
        let ada = hub.connect()
        ada.request("p", #"{"p":"/","d":\#(before)}"#)
        for (action, body) in requests { ada.request(action, body) }
        #expect(ada.takeStatuses().allSatisfy { $0 == "ok" })
        #expect(hub.content.json == before)
        ada.close(.connectionLost)
        #expect(hub.content.json == after)
    }

    @Test("the same holds when the hub was killed in between", arguments: 0..<registrations.count)
    func registeredAndKilled(index: Int) throws {
        let (requests, before, after) = Self.registrations[index]
        let ada = hub.connect()
        ada.request("p", #"{"p":"/","d":\#(before)}"#)
        for (action, body) in requests { ada.request(action, body) }
        try hub.crash()
        #expect(hub.content.json == after)
    }

    @Test("check 110: server values are filled in when it runs, increments upon what is there then")
    func serverValues() {
        let ada = hub.connect()
        ada.request(
            "om",
            #"{"p":"/","d":{"at":{".sv":"timestamp"},"n":{".sv":{"increment":2}},"l":{".value":1,".priority":{".sv":"timestamp"}}}}"#
        )
        hub.advance(by: 60_000)
        hub.connect().request("p", #"{"p":"/n","d":40}"#)
        ada.close()
        #expect(
            hub.content.json == #"{"at":1767225660000,"l":{".value":1,".priority":1767225660000},"n":42}"#)
    }

    @Test("all that a session left is one commit and one message for each listener")
    func atomic() throws {
        let ada = hub.connect()
        ada.request("p", #"{"p":"/a","d":{"x":1,"y":1}}"#)
        ada.request("om", #"{"p":"/","d":{"a/x":2,"a/y":null,"b":3}}"#)
        let bob = hub.connect()
        bob.request("q", #"{"p":"/","h":""}"#)
        bob.request("q", #"{"p":"/a","h":"","q":{"i":".key","l":2,"vf":"l"},"t":1}"#)
        _ = bob.takeReceived()
        let entries = hub.log.count
        ada.close()
        #expect(
            bob.takePushes() == [
                #"m / {"a/x":2,"a/y":null,"b":3}"#, #"m /a #1 {"y":null,"x":2}"#,
            ])
        #expect(hub.log.count == entries + 1)
        let entry = try hub.log[entries].withUnsafeBytes { try LogEntry(decoding: $0) }
        #expect(entry.records.count == 2)
    }

    @Test("a node that changes all its children at a session's end, and keeps its priority, is told whole")
    func priorityKept() {
        let ada = hub.connect()
        ada.request("p", #"{"p":"/t","d":{".priority":7,"c":1}}"#)
        ada.request("om", #"{"p":"/t","d":{"a":1,"c":null}}"#)
        let bob = hub.connect()
        bob.request("q", #"{"p":"/t","h":""}"#)
        _ = bob.takeReceived()
        ada.close()
        #expect(hub.content.json == #"{"t":{".priority":7,"a":1}}"#)
        #expect(bob.takePushes() == [#"d /t {".priority":7,"a":1}"#])
    }

    @Test("check 22: a takeover runs the old session's operations, durably, before the new hello")
    func takeover() {
        let ada = hub.connect()
        ada.request("o", #"{"p":"/status","d":"offline"}"#)
        hub.durability = .held
        let back = hub.connect(lastSession: ada.session)
        #expect(back.received == [])
        #expect(hub.content.json == #"{"status":"offline"}"#)
        hub.settle()
        #expect(back.received.count == 1)
        #expect(ada.closeReason == .superseded)
        #expect(!ada.isOpen)
    }

    @Test("check 113: nothing registered survives the session")
    func nothingLeft() throws {
        let ada = hub.connect()
        ada.request("o", #"{"p":"/x","d":1}"#)
        ada.close()
        let back = hub.connect(lastSession: ada.session)
        back.request("p", #"{"p":"/x","d":2}"#)
        back.close()
        #expect(hub.content.json == #"{"x":2}"#)
        #expect(try hub.durableImage().sessions.isEmpty)
    }

    @Test("the answer to a registration comes when it is durable, and not before")
    func durable() {
        let ada = hub.connect()
        hub.durability = .held
        ada.request("o", #"{"p":"/x","d":1}"#)
        #expect(ada.takeStatuses() == [])
        hub.settle()
        #expect(ada.takeStatuses() == ["ok"])
    }

    @Test("one session may register so many places and no more; cancelling makes room")
    func limit() {
        var limits = Limits()
        limits.onDisconnectOperationsPerSession = 3
        let hub = EngineHarness(limits: limits)
        let ada = hub.connect()
        for key in ["a", "b", "c", "d"] { ada.request("o", #"{"p":"/\#(key)","d":1}"#) }
        ada.request("om", #"{"p":"/","d":{"a":2,"e":1}}"#)
        ada.request("oc", #"{"p":"/c","d":null}"#)
        ada.request("o", #"{"p":"/d","d":1}"#)
        #expect(ada.takeStatuses() == ["ok", "ok", "ok", "limit_exceeded", "limit_exceeded", "ok", "ok"])
        ada.close()
        #expect(hub.content.json == #"{"a":1,"b":1,"d":1}"#)
    }

    @Test("an increment that overflows leaves out its own place and nothing else")
    func overflow() {
        let ada = hub.connect()
        ada.request("p", #"{"p":"/n","d":1.5e308}"#)
        ada.request("om", #"{"p":"/","d":{"n":{".sv":{"increment":1.5e308}},"x":1}}"#)
        ada.close()
        #expect(hub.content.json == #"{"n":1.5e+308,"x":1}"#)
    }

    @Test("at the hub's end every session's operations run, each session in its turn")
    func serverStopping() {
        let devices = (0..<3).map { _ in hub.connect() }
        for device in devices { device.request("o", #"{"p":"/n","d":{".sv":{"increment":1}}}"#) }
        hub.endAll(.serverStopping)
        #expect(hub.content.json == #"{"n":3}"#)
        #expect(devices.map(\.closeReason) == [.serverStopping, .serverStopping, .serverStopping])
    }
}
