import DataTree
import HubEngine
import TestSupport
import Testing

/// Writes with an id of the client's: sent again after a lost answer, they are answered and not applied again.
@Suite("Write ids")
struct WriteIDTests {
    let hub = EngineHarness()

    @Test(
        "a write sent again is answered ok and changes nothing",
        arguments: [
            ("p", #"{"p":"/n","d":{".sv":{"increment":1}},"w":"a"}"#, #"{"n":1}"#),
            ("m", #"{"p":"/","d":{"n":{".sv":{"increment":1}},"m":1},"w":"a"}"#, #"{"m":1,"n":1}"#),
        ])
    func sentAgain(action: String, body: String, after: String) {
        let ada = hub.connect()
        ada.request(action, body)
        ada.request(action, body)
        let back = hub.connect(lastSession: ada.session)
        back.request(action, body)
        #expect(ada.takeStatuses() == ["ok", "ok"])
        #expect(back.takeStatuses() == ["ok"])
        #expect(hub.content.json == after)
    }

    @Test("a transaction sent again is not told that it is stale")
    func transaction() {
        let ada = hub.connect()
        ada.request("p", #"{"p":"/n","d":1,"h":"","w":"a"}"#)
        hub.connect().request("p", #"{"p":"/n","d":5}"#)
        ada.request("p", #"{"p":"/n","d":1,"h":"","w":"a"}"#)
        ada.request("m", #"{"p":"/n","d":{"x":1},"h":"","w":"a"}"#)
        #expect(ada.takeStatuses() == ["ok", "ok", "ok"])
        #expect(hub.content.json == #"{"n":5}"#)
    }

    @Test("a write that was refused, stale or denied is not remembered and may be sent again")
    func notCarriedOut() {
        let ada = hub.connect()
        ada.request("p", #"{"p":"/n","d":5}"#)
        ada.request("p", #"{"p":"/n","d":6,"h":"","w":"a"}"#)
        ada.request("p", #"{"p":"/n","d":6,"h":"\#(hub.content.tree[Key("n")].hash())","w":"a"}"#)
        ada.request("p", #"{"p":"/s","d":{".sv":{"increment":1e308}},"w":"b"}"#)
        ada.request("p", #"{"p":"/s","d":{".sv":{"increment":1e308}},"w":"c"}"#)
        ada.request("p", #"{"p":"/s","d":1,"w":"c"}"#)
        hub.durability = .refusing("full")
        ada.request("p", #"{"p":"/t","d":1,"w":"d"}"#)
        hub.durability = .atOnce
        ada.request("p", #"{"p":"/t","d":2,"w":"d"}"#)
        #expect(
            ada.takeStatuses()
                == ["ok", "datastale", "ok", "ok", "invalid_data", "ok", "unavailable", "ok"])
        #expect(hub.content.json == #"{"n":6,"s":1,"t":2}"#)
    }

    @Test("a write without effect is remembered too")
    func withoutEffect() {
        let ada = hub.connect()
        ada.request("p", #"{"p":"/n","d":null,"w":"a"}"#)
        ada.request("p", #"{"p":"/n","d":1}"#)
        ada.request("p", #"{"p":"/n","d":null,"w":"a"}"#)
        #expect(hub.content.json == #"{"n":1}"#)
    }

    @Test("a hub that was killed remembers")
    func killed() throws {
        let body = #"{"p":"/n","d":{".sv":{"increment":1}},"w":"a"}"#
        hub.connect().request("p", body)
        try hub.crash()
        hub.connect().request("p", body)
        #expect(hub.content.json == #"{"n":1}"#)
    }

    @Test("a write whose answer was lost with a hub that died before it was durable is applied")
    func lost() throws {
        let body = #"{"p":"/n","d":{".sv":{"increment":1}},"w":"a"}"#
        hub.durability = .held
        hub.connect().request("p", body)
        try hub.crash()
        hub.durability = .atOnce
        hub.connect().request("p", body)
        #expect(hub.content.json == #"{"n":1}"#)
    }

    @Test("ids that look alike are two", arguments: [("é", "e\u{301}"), ("a", "A"), ("1", "01"), ("x", "x ")])
    func alike(one: String, other: String) {
        let ada = hub.connect()
        for id in [one, other] { ada.request("p", #"{"p":"/n","d":{".sv":{"increment":1}},"w":"\#(id)"}"#) }
        #expect(hub.content.json == #"{"n":2}"#)
    }

    @Test("only so many ids are remembered, the newest; also after a restart and after a refusal")
    func boundedByCount() throws {
        var limits = Limits()
        limits.rememberedWriteIDs = 3
        let hub = EngineHarness(limits: limits)
        let ada = hub.connect()
        func write(_ id: String) { ada.request("p", #"{"p":"/\#(id)","d":{".sv":{"increment":1}},"w":"\#(id)"}"#) }
        for id in ["a", "b", "c"] { write(id) }
        hub.durability = .refusing("full")
        for id in ["d", "e"] { write(id) }
        hub.durability = .atOnce
        for id in ["a", "b", "c"] { write(id) }
        #expect(hub.content.json == #"{"a":1,"b":1,"c":1}"#)
        write("d")
        write("a")
        #expect(hub.content.json == #"{"a":2,"b":1,"c":1,"d":1}"#)
        try hub.crash()
        let bob = hub.connect()
        for id in ["c", "d", "a", "b"] {
            bob.request("p", #"{"p":"/\#(id)","d":{".sv":{"increment":1}},"w":"\#(id)"}"#)
        }
        #expect(hub.content.json == #"{"a":2,"b":2,"c":1,"d":1}"#)
    }

    @Test("an id is remembered for its time")
    func boundedByTime() {
        var limits = Limits()
        limits.writeIDLifetime = 1000
        let hub = EngineHarness(limits: limits)
        let ada = hub.connect()
        let body = #"{"p":"/n","d":{".sv":{"increment":1}},"w":"a"}"#
        ada.request("p", body)
        hub.advance(by: 1000)
        ada.request("p", #"{"p":"/x","d":1,"w":"b"}"#)
        ada.request("p", body)
        #expect(hub.content.json == #"{"n":1,"x":1}"#)
        hub.advance(by: 1)
        ada.request("p", #"{"p":"/x","d":1,"w":"c"}"#)
        ada.request("p", body)
        #expect(hub.content.json == #"{"n":2,"x":1}"#)
    }
}
