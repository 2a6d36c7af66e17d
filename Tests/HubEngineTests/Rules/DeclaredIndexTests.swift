import DataTree
import HubEngine
import TestSupport
import Testing

@Suite("Indexes that rules declare")
struct DeclaredIndexTests {
    private let hub: EngineHarness
    private let device: EngineHarness.Device

    init() throws {
        let rules = #"{"rules":{".read":true,".write":true,"feed":{".indexOn":["at","by"]},"$any":{".indexOn":"at"}}}"#
        var limits = Limits()
        limits.keptIndexes = 2
        hub = EngineHarness(rules: try ConfiguredRules(Array(rules.utf8), author: "test"), limits: limits)
        device = hub.connect()
        device.request("p", #"{"p":"/feed","d":{"a":{"at":3,"by":1},"b":{"at":2,"by":2},"c":{"at":1,"by":3}}}"#)
        _ = device.takeReceived()
    }

    private func listen(_ path: String, _ index: String) {
        device.request("q", #"{"p":"/\#(path)","h":"","q":{"l":1,"vf":"l","i":"\#(index)"},"t":1}"#)
        device.request("n", #"{"p":"/\#(path)","q":{"l":1,"vf":"l","i":"\#(index)"},"t":1}"#)
    }

    @Test("are kept when the last listener has gone, follow all writes, and answer gets")
    func kept() {
        listen("feed", "at")
        #expect(hub.engine.listenPlaces == 1)
        device.request("m", #"{"p":"/feed","d":{"c":null,"d":{"at":0},"b/at":9}}"#)
        #expect(device.get("/feed", query: #"{"l":1,"vf":"l","i":"at"}"#) == #"{"d":{"at":0}}"#)
        #expect(device.get("/feed", query: #"{"l":1,"vf":"r","i":"at"}"#) == #"{"b":{"at":9,"by":2}}"#)
        device.request("p", #"{"p":"/feed","d":null}"#)
        #expect(device.get("/feed", query: #"{"l":1,"vf":"l","i":"at"}"#) == "null")
        device.request("p", #"{"p":"/feed/x","d":{"at":1}}"#)
        #expect(device.get("/feed", query: #"{"l":1,"vf":"l","i":"at"}"#) == #"{"x":{"at":1}}"#)
    }

    @Test("are bounded in number, the one used longest ago goes first; those not declared are not kept")
    func bounded() {
        for path in ["one", "two", "three"] { listen(path, "at") }
        #expect(hub.engine.listenPlaces == 2)
        for index in [".key", ".priority", "by"] { listen("four", index) }
        #expect(hub.engine.listenPlaces == 2)
    }

    @Test("go when the rules declare them no longer, and are right after a refused commit")
    func undeclared() throws {
        listen("feed", "at")
        listen("feed", "by")
        hub.durability = .held
        device.request("p", #"{"p":"/feed/d","d":{"at":0}}"#)
        hub.refuseHeld()
        hub.durability = .atOnce
        #expect(device.get("/feed", query: #"{"l":1,"vf":"l","i":"at"}"#) == #"{"c":{"at":1,"by":3}}"#)
        _ = try hub.changeRules(#"{"rules":{".read":true,"feed":{".indexOn":"by"}}}"#)
        #expect(hub.engine.listenPlaces == 1)
        #expect(device.get("/feed", query: #"{"l":1,"vf":"l","i":"by"}"#) == #"{"a":{"at":3,"by":1}}"#)
        _ = try hub.changeRules(#"{"rules":{".read":true}}"#)
        #expect(hub.engine.listenPlaces == 0)
    }
}
