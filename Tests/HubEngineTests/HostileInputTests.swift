import DataTree
import HubEngine
import TestSupport
import Testing

/// Clients that do what no SDK does.
@Suite("Hostile clients")
struct HostileInputTests {
    let hub = EngineHarness()

    @Test("ten thousand listens are held, one more is refused, and all go with the session")
    func manyListens() {
        let ada = hub.connect()
        ada.send((0...10_000).map { #"{"t":"d","d":{"r":\#($0),"a":"q","b":{"p":"/p\#($0)/x","h":""}}}"# })
        let statuses = ada.takeStatuses()
        #expect(statuses.count == 10_001)
        #expect(statuses.filter { $0 == "ok" }.count == 10_000)
        #expect(statuses.last == "limit_exceeded")
        hub.connect().request("p", #"{"p":"/p9999/x","d":1}"#)
        #expect(ada.takePushes() == ["d /p9999/x 1"])
        ada.close()
        #expect(hub.engine.listenPlaces == 0)
    }

    @Test("hundreds of clients listen at one place and leave in any order")
    func manyListeners() {
        var random = SeededRandom(1)
        let devices = (0..<500).map { _ in hub.connect() }
        for device in devices { device.request("q", #"{"p":"/x","h":""}"#) }
        for device in devices.shuffled(using: &random).prefix(300) { device.request("n", #"{"p":"/x"}"#) }
        for device in devices { _ = device.takeReceived() }
        hub.connect().request("p", #"{"p":"/x","d":1}"#)
        #expect(devices.reduce(0) { $0 + $1.takePushes().count } == 200)
        for device in devices.shuffled(using: &random) { device.close() }
        #expect(hub.engine.listenPlaces == 0)
    }

    @Test("the same listen twice is one listen with the newest tag")
    func listenTwice() {
        let ada = hub.connect()
        ada.request("q", #"{"p":"/x","h":""}"#)
        ada.request("q", #"{"p":"//x/","h":""}"#)
        ada.request("q", #"{"p":"/x","h":"","q":{"l":1,"vf":"l"},"t":1}"#)
        ada.request("q", #"{"p":"/x","h":"","q":{"vf":"l","l":1.0},"t":7}"#)
        #expect(ada.takeStatuses() == ["ok", "ok", "ok", "ok"])
        ada.request("p", #"{"p":"/x","d":{"a":1}}"#)
        #expect(ada.takePushes() == [#"d /x {"a":1}"#, #"d /x #7 {"a":1}"#])
        ada.request("n", #"{"p":"/x"}"#)
        ada.request("n", #"{"p":"/x"}"#)
        ada.request("n", #"{"p":"/x","q":{"l":1,"vf":"l"},"t":1}"#)
        #expect(hub.engine.listenPlaces == 0)
    }

    @Test(
        "unlistening what nobody listens to is answered ok",
        arguments: [
            #"{"p":"/x"}"#, #"{"p":"/","q":{"l":1,"vf":"l"},"t":9}"#, #"{"p":"/.info/connected"}"#,
            #"{"p":"/a/b/c/d/e"}"#, #"{"p":"/x","q":{},"t":1}"#,
        ])
    func unlistenUnknown(body: String) {
        let ada = hub.connect()
        ada.request("q", #"{"p":"/a","h":""}"#)
        ada.request("n", body)
        #expect(ada.takeStatuses() == ["ok", "ok"])
        #expect(hub.engine.listenPlaces == 1)
    }

    @Test("tags of any size come back as they are; equal tags on two queries are two listens")
    func tags() {
        let ada = hub.connect()
        ada.request("q", #"{"p":"/x","h":"","q":{"l":1,"vf":"l"},"t":9223372036854775807}"#)
        ada.request("q", #"{"p":"/x","h":"","q":{"l":2,"vf":"l"},"t":9223372036854775807}"#)
        ada.request("q", #"{"p":"/x","h":"","q":{"l":3,"vf":"l"},"t":0}"#)
        ada.request("q", #"{"p":"/x","h":"","q":{"l":3,"vf":"l"},"t":-1}"#)
        ada.request("q", #"{"p":"/x","h":"","q":{"l":3,"vf":"l"},"t":1e30}"#)
        #expect(ada.takeStatuses() == ["ok", "ok", "invalid_data", "invalid_data", "invalid_data"])
        ada.request("p", #"{"p":"/x","d":{"a":1}}"#)
        #expect(
            ada.takePushes() == [
                #"d /x #9223372036854775807 {"a":1}"#, #"d /x #9223372036854775807 {"a":1}"#,
            ])
    }

    @Test("the client's own corner is never stored: writes are refused, listens and gets find nothing")
    func info() {
        let ada = hub.connect()
        ada.request("q", #"{"p":"/.info/connected","h":""}"#)
        ada.request("q", #"{"p":"/.info","h":"x","q":{"l":1,"vf":"l"},"t":1}"#)
        ada.request("g", #"{"p":"/.info/serverTimeOffset","q":{}}"#)
        ada.request("p", #"{"p":"/.info/x","d":1}"#)
        ada.request("m", #"{"p":"/","d":{"a":1,".info/x":1}}"#)
        ada.request("m", #"{"p":"/.info","d":{"x":1}}"#)
        ada.request("o", #"{"p":"/.info","d":1}"#)
        ada.request("p", #"{"p":"/","d":{".info":{"x":1},"a":1}}"#)
        ada.request("p", #"{"p":"/a/.info","d":1}"#)
        #expect(
            ada.takeStatuses().prefix(7)
                == ["ok", "ok", "ok", "invalid_data", "invalid_data", "invalid_data", "invalid_data"])
        ada.close()
        #expect(hub.engine.listenPlaces == 0)
        #expect(!hub.content.json.contains("info"))
    }

    @Test(
        "`.priority` where it makes no sense is refused or without effect, and never stored as a key",
        arguments: [
            ("p", #"{"p":"/.priority/a","d":1}"#, "invalid_data"),
            ("p", #"{"p":"/a/.priority/.priority","d":1}"#, "invalid_data"),
            ("p", #"{"p":"/a/.priority","d":true}"#, "invalid_data"),
            ("p", #"{"p":"/a/.priority","d":{"x":1}}"#, "invalid_data"),
            ("p", #"{"p":"/a/.priority","d":{".value":1,".priority":2}}"#, "invalid_data"),
            ("p", #"{"p":"/a/.priority","d":1}"#, "ok"), ("p", #"{"p":"/.priority","d":1}"#, "ok"),
            ("p", #"{"p":"/a","d":{".priority":1}}"#, "ok"),
            ("p", #"{"p":"/a","d":{".value":null,".priority":1}}"#, "ok"),
            ("m", #"{"p":"/a","d":{".priority":1}}"#, "ok"), ("m", #"{"p":"/a","d":{"b/.priority":1}}"#, "ok"),
            ("m", #"{"p":"/a/.priority","d":{"b":1}}"#, "invalid_data"),
            ("m", #"{"p":"/","d":{"a":1,"a/.priority":2}}"#, "invalid_data"),
            ("q", #"{"p":"/a/.priority","h":""}"#, "invalid_data"),
            ("g", #"{"p":"/.priority","q":{}}"#, "invalid_data"),
            ("o", #"{"p":"/a/.priority","d":true}"#, "invalid_data"), ("oc", #"{"p":"/a/.priority","d":null}"#, "ok"),
        ])
    func priorities(action: String, body: String, status: String) {
        let ada = hub.connect()
        ada.request(action, body)
        #expect(ada.takeStatuses() == [status])
        ada.close()
        #expect(hub.content.json == "null")
    }

    @Test(
        "a merge may set a node's children and its priority together, whatever comes first",
        arguments: [
            #"{".priority":2,"x":1}"#, #"{"x":1,".priority":2}"#, #"{"y":null,".priority":2,"x":1}"#,
        ])
    func priorityWithChildren(changes: String) {
        for before in ["null", #"{".priority":5,"y":1}"#, #"{"y":1,"x":7}"#, "3"] {
            let ada = hub.connect()
            ada.request("p", #"{"p":"/a","d":\#(before)}"#)
            ada.request("q", #"{"p":"/a","h":""}"#)
            _ = ada.takeReceived()
            ada.request("m", #"{"p":"/a","d":\#(changes)}"#)
            #expect(ada.takeStatuses() == ["ok"])
            #expect(hub.content.tree[Key("a")].priority == .number(2))
            #expect(hub.content.tree[Key("a")][Key("x")].json == "1")
        }
    }

    @Test("paths at the limit of depth are served, deeper ones refused, with listens, gets and queries all the same")
    func depth() {
        let ada = hub.connect()
        let deep = (0..<32).map { "d\($0)" }.joined(separator: "/")
        for (action, body) in [
            ("q", #"{"p":"/\#(deep)","h":""}"#), ("p", #"{"p":"/\#(deep)","d":1}"#),
            ("g", #"{"p":"/\#(deep)","q":{}}"#),
            ("p", #"{"p":"/\#(deep)/x","d":1}"#), ("q", #"{"p":"/\#(deep)/x","h":""}"#),
            ("g", #"{"p":"/\#(deep)/x","q":{}}"#), ("o", #"{"p":"/\#(deep)/x","d":1}"#),
        ] { ada.request(action, body) }
        #expect(
            ada.takeStatuses()
                == ["ok", "ok", "ok", "invalid_data", "invalid_data", "invalid_data", "invalid_data"])
        ada.request("p", #"{"p":"/d0","d":null}"#)
        #expect(ada.takePushes() == ["d /\(deep) null"])
    }

    @Test(
        "naming oneself, a stranger's guess or a waiting session as the last one",
        arguments: [
            "", "x", "1.00000000000000000000000000000000", "0.0000000000000001", "0.zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
            "99999999999.00000000000000000000000000000000", "-1.00000000000000000000000000000000",
        ])
    func lastSession(name: String) {
        let ada = hub.connect(lastSession: name)
        let bob = hub.connect(lastSession: ada.session + "0")
        #expect(ada.isOpen && bob.isOpen)
        let next = hub.connect(lastSession: bob.session)
        let again = hub.connect(lastSession: bob.session)
        #expect(!bob.isOpen && next.isOpen && again.isOpen && ada.isOpen)
    }

    @Test("messages of a session that was ended are dropped")
    func afterTheEnd() {
        let ada = hub.connect()
        _ = hub.connect(lastSession: ada.session)
        ada.request("p", #"{"p":"/x","d":1}"#)
        ada.request("o", #"{"p":"/x","d":1}"#)
        ada.close()
        #expect(hub.content.json == "null")
        #expect(ada.takeStatuses() == [])
    }

    @Test("a wide update is one message to a listener above and one to each listen below")
    func wideUpdate() {
        let ada = hub.connect()
        ada.send((0..<2000).map { #"{"t":"d","d":{"r":\#($0),"a":"q","b":{"p":"/w/k\#($0)","h":""}}}"# })
        let bob = hub.connect()
        bob.request("q", #"{"p":"/w","h":""}"#)
        _ = (ada.takeReceived(), bob.takeReceived())
        let changes = (0..<2000).map { #""k\#($0)/x":1,"k\#($0)/.priority":2"# }.joined(separator: ",")
        hub.connect().request("m", #"{"p":"/w","d":{\#(changes)}}"#)
        #expect(bob.takePushes().count == 1)
        #expect(ada.takePushes().count == 2000)
        #expect(hub.content.tree[Key("w")].childCount == 2000)
    }
}
