import DataTree
import HubEngine
import TestSupport
import Testing

/// The presence node lies over the tree: seen at and below its path, touched by nobody, and no part of anything above.
@Suite("Presence as an overlay")
struct PresenceOverlayTests {
    let hub = EngineHarness(presence: "app/online")

    private func adaOnline() -> EngineHarness.Device {
        let ada = hub.connect()
        ada.signIn("ada")
        return ada
    }

    @Test("reads above do not show it, reads at and below it do")
    func reads() {
        let ada = adaOnline()
        ada.request("p", #"{"p":"/app/x","d":1}"#)
        #expect(ada.get("/") == #"{"app":{"x":1}}"#)
        #expect(ada.get("/app") == #"{"x":1}"#)
        #expect(ada.get("/app/online/stats/users") == "1")
        #expect(ada.get("/app/online/users", query: #"{"i":".key","l":1,"vf":"l"}"#)?.contains("ada") == true)
    }

    @Test("listens above hear nothing of it, listens below hear nothing of the tree")
    func listens() {
        let above = hub.connect()
        above.request("q", #"{"p":"/","h":""}"#)
        above.request("q", #"{"p":"/app","h":"","q":{"i":".key","l":5,"vf":"l"},"t":1}"#)
        let below = hub.connect()
        below.request("q", #"{"p":"/app/online/users","h":""}"#)
        _ = (above.takeReceived(), below.takeReceived())
        let ada = adaOnline()
        #expect(above.takeReceived() == [])
        #expect(below.takePushes().count == 1)
        ada.request("p", #"{"p":"/app","d":{"online":{"users":"gone"},"x":2}}"#)
        #expect(above.takePushes().count == 2)
        #expect(below.takeReceived() == [])
        ada.request("p", #"{"p":"/","d":null}"#)
        #expect(below.takeReceived() == [])
        #expect(below.get("/app/online/stats/users") == "1")
    }

    @Test(
        "a write at or below it is refused, the administrator's too",
        arguments: [
            ("p", #"{"p":"/app/online","d":1}"#), ("p", #"{"p":"/app/online/users/ada","d":null}"#),
            ("p", #"{"p":"/app/online/.priority","d":1}"#), ("m", #"{"p":"/","d":{"y":1,"app/online/x":1}}"#),
            ("m", #"{"p":"/app/online","d":{"stats":1}}"#), ("o", #"{"p":"/app/online/users","d":null}"#),
            ("om", #"{"p":"/app","d":{"online":1}}"#), ("p", #"{"p":"/app/online/x","d":1,"h":""}"#),
        ])
    func writes(action: String, body: String) {
        for device in [hub.connect(), adaOnline()] {
            device.request("gauth", #"{"cred":"owner"}"#)
            _ = device.takeReceived()
            device.request(action, body)
            #expect(device.takeStatuses() == ["permission_denied"])
        }
        #expect(hub.content.json == "null")
    }

    @Test(
        "writes at its ancestors leave it out",
        arguments: [
            ("p", #"{"p":"/","d":{"app":{"online":{"a":1},"x":1}}}"#), ("p", #"{"p":"/app","d":{"online":5,"x":1}}"#),
            ("m", #"{"p":"/","d":{"app":{"online":{".value":1,".priority":3},"x":1}}}"#),
        ])
    func ancestors(action: String, body: String) {
        let ada = adaOnline()
        ada.request(action, body)
        #expect(hub.content.json == #"{"app":{"x":1}}"#)
        #expect(ada.get("/app/online/stats/users") == "1")
    }

    @Test("a value that is nothing but it deletes its ancestor")
    func nothingElse() {
        let ada = adaOnline()
        ada.request("p", #"{"p":"/app","d":{"x":1}}"#)
        ada.request("p", #"{"p":"/app","d":{"online":5}}"#)
        #expect(hub.content.json == "null")
    }

    @Test("hashes do not know it: a transaction above compares without it, a listen above is up to date without it")
    func hashes() throws {
        let ada = adaOnline()
        ada.request("p", #"{"p":"/app/x","d":1}"#)
        let hash = try Node(json: #"{"app":{"x":1}}"#).hash()
        _ = ada.takeReceived()
        ada.request("q", #"{"p":"/","h":"\#(hash)"}"#)
        #expect(ada.takeReceived().count == 1)
        ada.request("p", #"{"p":"/","d":{"app":{"x":2}},"h":"\#(hash)"}"#)
        #expect(ada.takeStatuses() == ["ok"])
    }

    @Test("the log holds no connections, only last visits")
    func log() throws {
        let ada = adaOnline()
        ada.close()
        for entry in hub.log {
            for case .commit in try entry.withUnsafeBytes({ try LogEntry(decoding: $0) }).records {
                Issue.record("presence is no commit")
            }
        }
        #expect(try hub.durableImage().lastSeen["ada"]?.reason == "closed by client")
    }

    @Test("queries over users and last visits follow who comes and goes")
    func queries() {
        let observer = hub.connect()
        observer.request("q", #"{"p":"/app/online/users","h":"","q":{"i":".key","l":2,"vf":"l"},"t":1}"#)
        _ = observer.takeReceived()
        let devices = ["cyd", "bob", "ada"].map { uid in
            let device = hub.connect()
            device.signIn(uid)
            return device
        }
        #expect(
            observer.takePushes().map { $0.prefix { $0 != "{" } + ($0.contains("cyd\":null") ? "-cyd" : "") } == [
                "d /app/online/users #1 ", "d /app/online/users/bob #1 ", "m /app/online/users #1 -cyd",
            ])
        devices[2].close()
        let pushes = observer.takePushes()
        #expect(pushes.count == 1 && pushes[0].contains(#""ada":null"#) && pushes[0].contains(#""cyd":{"#))
    }
}

/// The keys of a JSON object, in order.
func keys(_ json: String) throws -> [String] {
    var keys: [String] = []
    try Node(json: json).forEachChild { key, _ in
        keys.append(key.description)
        return true
    }
    return keys
}
