import DataTree
import HubEngine
import TestSupport
import Testing

/// A log that cannot store, seen from a client.
@Suite("A full disk")
struct RefusalTests {
    let hub = EngineHarness()

    @Test("writes are answered unavailable, reads and sign-ins go on, each request in its place")
    func answers() {
        let ada = hub.connect()
        ada.request("p", #"{"p":"/x","d":1}"#)
        _ = ada.takeReceived()
        hub.durability = .refusing("no space left")
        ada.send(
            #"{"t":"d","d":{"r":2,"a":"q","b":{"p":"/x","h":""}}}"#,
            #"{"t":"d","d":{"r":3,"a":"p","b":{"p":"/x","d":2}}}"#,
            #"{"t":"d","d":{"r":4,"a":"auth","b":{"cred":"\#(UnsignedTokens.user("ada"))"}}}"#,
            #"{"t":"d","d":{"r":5,"a":"m","b":{"p":"/","d":{"x":3}}}}"#,
            #"{"t":"c","d":{"t":"p","d":{}}}"#,
            #"{"t":"d","d":{"r":6,"a":"p","b":{"p":"/x","d":4,"h":"YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="}}}"#,
            #"{"t":"d","d":{"r":7,"a":"p","b":{"p":"/x","d":4,"h":""}}}"#,
            #"{"t":"d","d":{"r":8,"a":"o","b":{"p":"/x","d":5}}}"#,
            #"{"t":"d","d":{"r":9,"a":"oc","b":{"p":"/x","d":null}}}"#,
            #"{"t":"d","d":{"r":10,"a":"g","b":{"p":"/x","q":{}}}}"#,
            #"{"t":"d","d":{"r":11,"a":"n","b":{"p":"/x"}}}"#)
        let received = ada.takeReceived()
        #expect(received[0] == #"{"t":"d","d":{"a":"d","b":{"p":"x","d":1}}}"#)
        #expect(received[5] == #"{"t":"c","d":{"t":"o","d":{}}}"#)
        let statuses = received.compactMap { text -> String? in
            guard case .response(let response)? = try? DeviceMessage(text) else { return nil }
            return "\(response.number) \(response.status)"
        }
        #expect(
            statuses == [
                "2 ok", "3 unavailable", "4 ok", "5 unavailable", "6 unavailable", "7 datastale", "8 unavailable",
                "9 unavailable", "10 ok", "11 ok",
            ])
        #expect(hub.content.json == #"{"x":1}"#)
    }

    @Test("the reason names the cause and what to do")
    func reason() {
        let ada = hub.connect()
        hub.durability = .refusing("no space left on /data")
        ada.request("p", #"{"p":"/x","d":1}"#)
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"r":1,"b":{"s":"unavailable","d":"The hub cannot store writes now (no space left on /data). Try again later."}}}"#
            ])
    }

    @Test("an end that could not be stored is carried out later, once, and before any later write")
    func owedEnd() throws {
        let ada = hub.connect()
        ada.request("o", #"{"p":"/status","d":{".sv":{"increment":1}}}"#)
        let bob = hub.connect()
        bob.request("q", #"{"p":"/","h":""}"#)
        _ = bob.takeReceived()
        hub.durability = .refusing("full")
        ada.close()
        #expect(bob.takeReceived() == [])
        #expect(hub.engine.owesEnds)
        hub.advance(by: 1000)
        #expect(bob.takeReceived() == [])
        hub.durability = .atOnce
        bob.request("p", #"{"p":"/after","d":{".sv":{"increment":1}}}"#)
        #expect(bob.takePushes() == ["d /status 1", "d /after 1"])
        hub.advance(by: 10_000)
        #expect(bob.takeReceived() == [])
        #expect(try hub.durableImage().sessions.isEmpty)
    }

    @Test("when much is owed, writes are refused until it is proposed again, and never come before it")
    func muchOwed() {
        let devices = (0..<100).map { _ in hub.connect() }
        for device in devices { device.request("o", #"{"p":"/n","d":{".sv":{"increment":1}}}"#) }
        let back = hub.connect()
        hub.durability = .refusing("full")
        for device in devices { device.close() }
        hub.durability = .atOnce
        let entries = hub.log.count
        back.request("p", #"{"p":"/n","d":0}"#)
        let again = hub.connect(lastSession: devices[50].session)
        #expect(back.takeStatuses() == ["unavailable"])
        #expect(again.received == [])
        #expect(hub.log.count == entries)
        hub.advance(by: 500)
        #expect(hub.content.json == #"{"n":100}"#)
        #expect(again.received.count == 1)
        back.request("p", #"{"p":"/n","d":0}"#)
        #expect(back.takeStatuses() == ["ok"])
        #expect(!hub.engine.owesEnds)
    }

    @Test("without anybody's write it is proposed again by and by")
    func owedEndByTime() {
        let ada = hub.connect()
        ada.request("o", #"{"p":"/status","d":0}"#)
        hub.durability = .refusing("full")
        ada.close()
        hub.durability = .atOnce
        #expect(hub.engine.nextDeadline == hub.time + 500)
        hub.advance(by: 499)
        #expect(hub.content.json == "null")
        hub.advance(by: 1)
        #expect(hub.content.json == #"{"status":0}"#)
        #expect(hub.engine.nextDeadline == nil)
    }

    @Test("a session that took over is greeted when the old one's end is stored, and what it asked has its turn then")
    func takeover() {
        let ada = hub.connect()
        ada.request("o", #"{"p":"/status","d":"offline"}"#)
        hub.durability = .refusing("full")
        let back = hub.connect(lastSession: ada.session)
        back.request("p", #"{"p":"/status","d":"online"}"#)
        #expect(ada.closeReason == .superseded)
        #expect(back.received == [])
        hub.durability = .atOnce
        hub.advance(by: 500)
        #expect(back.received.count == 2)
        #expect(back.received[0].contains(#""t":"h""#))
        #expect(back.takeStatuses() == ["ok"])
        #expect(hub.content.json == #"{"status":"online"}"#)
    }

    @Test("a client that comes back naming a session whose end is owed is greeted after that end")
    func comingBack() {
        let ada = hub.connect()
        ada.request("o", #"{"p":"/status","d":"offline"}"#)
        hub.durability = .refusing("full")
        ada.close()
        let early = hub.connect(lastSession: ada.session)
        #expect(early.received == [])
        hub.durability = .held
        let late = hub.connect(lastSession: ada.session)
        #expect(late.received == [])
        hub.settle()
        #expect(hub.content.json == #"{"status":"offline"}"#)
        #expect(early.received.count == 1 && late.received.count == 1)
    }

    @Test("a session that took over and goes before it was greeted is no trouble")
    func takeoverGone() {
        let ada = hub.connect()
        ada.request("o", #"{"p":"/status","d":"offline"}"#)
        hub.durability = .refusing("full")
        let back = hub.connect(lastSession: ada.session)
        back.close()
        hub.durability = .atOnce
        hub.advance(by: 500)
        #expect(back.received == [])
        #expect(hub.content.json == #"{"status":"offline"}"#)
        #expect(!hub.engine.owesEnds)
    }

    @Test("presence goes on while nothing can be stored, and last visits are stored later with their own time")
    func presence() throws {
        let hub = EngineHarness(presence: "online")
        let ada = hub.connect()
        ada.signIn("ada")
        let observer = hub.connect()
        observer.request("q", #"{"p":"/online","h":""}"#)
        hub.advance(by: 1000)
        _ = observer.takeReceived()
        hub.durability = .refusing("full")
        ada.close(.timedOut)
        let bob = hub.connect()
        bob.signIn("bob")
        let left = hub.time
        hub.advance(by: 400)
        let pushes = observer.takePushes()
        #expect(pushes.contains("d /online/users/ada/connections/c1 null"))
        #expect(pushes.contains { $0.hasPrefix("d /online/users/bob/connections/c2 {") })
        #expect(!pushes.contains { $0.contains("lastSeen") })
        #expect(observer.get("/online/stats") == #"{"connections":1,"users":1}"#)
        hub.durability = .atOnce
        hub.advance(by: 500)
        #expect(observer.takePushes() == [#"d /online/lastSeen/ada {"at":\#(left),"reason":"timed out"}"#])
        try hub.crash()
        #expect(hub.connect().get("/online/lastSeen/ada/at") == "\(left)")
        #expect(hub.connect().get("/online/lastSeen/bob/reason") == #""hub restarted""#)
    }

    @Test(
        "a large answer that was under way may not show what was refused",
        arguments: [
            #"{"r":1,"a":"g","b":{"p":"/list","q":{}}}"#, #"{"r":1,"a":"q","b":{"p":"/list","h":""}}"#,
            #"{"r":1,"a":"q","b":{"p":"/list","h":"","q":{"i":".value","l":5,"vf":"r"},"t":1}}"#,
        ])
    func largeAnswer(request: String) {
        var limits = Limits()
        limits.inlineLeaves = 2
        let hub = EngineHarness(limits: limits)
        let ada = hub.connect()
        ada.request("p", #"{"p":"/list","d":{"a":1,"b":2,"c":3}}"#)
        hub.durability = .held
        hub.worksAtOnce = false
        ada.request("p", #"{"p":"/list/c","d":"refused"}"#)
        let bob = hub.connect()
        bob.send(#"{"t":"d","d":\#(request)}"#)
        let late = hub.takeWork()
        hub.refuseHeld()
        hub.apply(late.map { .answered($0.run()) })
        hub.work()
        hub.settle()
        let received = bob.takeReceived()
        #expect(!received.joined().contains("refused"))
        #expect(received.joined().contains(#"{"a":1,"b":2,"c":3}"#))
        #expect(received.last?.contains(#""r":1"#) == true)
    }

    @Test("a transaction that was right because of a refused write is stale")
    func staleAfterAll() throws {
        var limits = Limits()
        limits.inlineLeaves = 2
        let hub = EngineHarness(limits: limits)
        let ada = hub.connect()
        ada.request("p", #"{"p":"/list","d":{"a":1,"b":2,"c":3}}"#)
        hub.durability = .held
        hub.worksAtOnce = false
        ada.request("p", #"{"p":"/list/c","d":4}"#)
        let bob = hub.connect()
        bob.request("p", #"{"p":"/list","d":5,"h":"\#(try Node(json: #"{"a":1,"b":2,"c":4}"#).hash())"}"#)
        hub.refuseHeld()
        while !hub.pendingWork.isEmpty { hub.work() }
        hub.settle()
        #expect(bob.takeStatuses() == ["datastale"])
        #expect(hub.content.json == #"{"list":{"a":1,"b":2,"c":3}}"#)
    }
}
