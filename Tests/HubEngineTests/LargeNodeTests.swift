import DataTree
import HubEngine
import TestSupport
import Testing

/// Requests on nodes that are too large to handle at once: they are worked out elsewhere while only their session waits.
@Suite("Large nodes")
struct LargeNodeTests {
    let hub: EngineHarness
    let writer: EngineHarness.Device

    init() {
        var limits = Limits()
        limits.inlineLeaves = 4
        hub = EngineHarness(limits: limits)
        writer = hub.connect()
        writer.request("p", #"{"p":"/list","d":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}}"#)
        hub.worksAtOnce = false
    }

    @Test("a listener gets the snapshot, its ok, and what has changed since in one message")
    func listen() {
        let ada = hub.connect()
        ada.request("q", #"{"p":"/list","h":""}"#)
        writer.request("p", #"{"p":"/list/a","d":10}"#)
        writer.request("m", #"{"p":"/list","d":{"b":null,"g/x":7,"c/.priority":3}}"#)
        #expect(ada.takeReceived() == [])
        hub.work()
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"a":"d","b":{"p":"list","d":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}}}}"#,
                #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":{}}}}"#,
                #"{"t":"d","d":{"a":"m","b":{"p":"list","d":{"a":10,"b":null,"c":{".value":3,".priority":3},"g":{"x":7}}}}}"#,
            ])
        writer.request("p", #"{"p":"/list/a","d":11}"#)
        #expect(ada.takePushes() == ["d /list/a 11"])
    }

    @Test("a node that changed all its children meanwhile, and kept its priority, is told whole")
    func priorityKept() {
        writer.request("p", #"{"p":"/list/p","d":{".priority":7,"x":1}}"#)
        let ada = hub.connect()
        ada.request("q", #"{"p":"/list","h":""}"#)
        writer.request("p", #"{"p":"/list/p/z","d":1}"#)
        writer.request("p", #"{"p":"/list/p/x","d":null}"#)
        hub.work()
        #expect(ada.takePushes().last == #"m /list {"p":{".priority":7,"z":1}}"#)
    }

    @Test("a listen with the right hash gets nothing but what has changed since")
    func upToDate() throws {
        let ada = hub.connect()
        ada.request("q", #"{"p":"/list","h":"\#(hub.content.tree[Key("list")].hash())"}"#)
        writer.request("p", #"{"p":"/list","d":null}"#)
        hub.work()
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":{}}}}"#, #"{"t":"d","d":{"a":"d","b":{"p":"list","d":null}}}"#,
            ])
    }

    @Test("the same holds for a query whose result is large")
    func query() {
        let ada = hub.connect()
        ada.request("q", #"{"p":"/list","h":"","q":{"i":".value","l":5,"vf":"l"},"t":3}"#)
        writer.request("p", #"{"p":"/list/a","d":10}"#)
        writer.request("p", #"{"p":"/list/b/x","d":1}"#)
        hub.work()
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"a":"d","b":{"p":"list","d":{"a":1,"b":2,"c":3,"d":4,"e":5},"t":3}}}"#,
                #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":{}}}}"#,
                #"{"t":"d","d":{"a":"m","b":{"p":"list","d":{"a":10,"b":null,"f":6},"t":3}}}"#,
            ])
    }

    @Test("requests behind one that waits have their turn after it, and see what came meanwhile")
    func pipelined() {
        let ada = hub.connect()
        ada.send(
            #"{"t":"d","d":{"r":1,"a":"g","b":{"p":"/list","q":{}}}}"#,
            #"{"t":"d","d":{"r":2,"a":"p","b":{"p":"/y","d":2}}}"#,
            #"{"t":"d","d":{"r":3,"a":"g","b":{"p":"/list","q":{"l":1,"vf":"l"}}}}"#,
            #"{"t":"d","d":{"r":4,"a":"g","b":{"p":"/y","q":{}}}}"#)
        writer.request("p", #"{"p":"/list/a","d":10}"#)
        writer.request("p", #"{"p":"/y","d":1}"#)
        #expect(ada.takeReceived() == [])
        hub.work()
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}}}}"#,
                #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":""}}}"#,
            ])
        hub.work()
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"r":3,"b":{"s":"ok","d":{"a":10}}}}"#, #"{"t":"d","d":{"r":4,"b":{"s":"ok","d":2}}}"#,
            ])
    }

    @Test("a get that took its time does not turn the client's listens back")
    func staleGet() {
        let ada = hub.connect()
        ada.request("q", #"{"p":"/list/a","h":""}"#)
        ada.request("q", #"{"p":"/list","h":"","q":{"i":".key","l":1,"vf":"l"},"t":1}"#)
        hub.work()
        _ = ada.takeReceived()
        ada.request("g", #"{"p":"/list","q":{}}"#)
        writer.request("p", #"{"p":"/list/a","d":10}"#)
        #expect(ada.takePushes() == ["d /list/a 10", "d /list/a #1 10"])
        hub.work()
        #expect(ada.takeReceived() == [])
        hub.work()
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"r":3,"b":{"s":"ok","d":{"a":10,"b":2,"c":3,"d":4,"e":5,"f":6}}}}"#
            ])
    }

    @Test("when the node changes faster than it can be read, the client's listens are told once more what holds")
    func staleGetAfterAll() {
        let ada = hub.connect()
        ada.request("q", #"{"p":"/list/a","h":""}"#)
        ada.request("q", #"{"p":"/list","h":"","q":{"i":".key","l":1,"vf":"l"},"t":1}"#)
        hub.work()
        _ = ada.takeReceived()
        ada.request("g", #"{"p":"/list","q":{}}"#)
        for value in 11...13 {
            writer.request("p", #"{"p":"/list/a","d":\#(value)}"#)
            _ = ada.takeReceived()
            hub.work()
        }
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"r":3,"b":{"s":"ok","d":{"a":12,"b":2,"c":3,"d":4,"e":5,"f":6}}}}"#,
                #"{"t":"d","d":{"a":"d","b":{"p":"list/a","d":13}}}"#,
                #"{"t":"d","d":{"a":"d","b":{"p":"list","d":{"a":13},"t":1}}}"#,
            ])
    }

    @Test("a transaction whose node stays as it is while it is compared is carried out")
    func transaction() {
        let hash = hub.content.tree[Key("list")].hash()
        writer.request("p", #"{"p":"/list","d":1,"h":"\#(hash)"}"#)
        hub.connect().request("p", #"{"p":"/other","d":1}"#)
        hub.work()
        #expect(writer.takeStatuses() == ["ok", "ok"])
        #expect(hub.content.json == #"{"list":1,"other":1}"#)
    }

    @Test("a transaction whose node changes while it is compared is stale, and its listener knows the change first")
    func staleTransaction() {
        let ada = hub.connect()
        ada.request("q", #"{"p":"/list","h":""}"#)
        hub.work()
        _ = ada.takeReceived()
        ada.request("p", #"{"p":"/list","d":1,"h":"\#(hub.content.tree[Key("list")].hash())"}"#)
        writer.request("p", #"{"p":"/list/a","d":10}"#)
        while !hub.pendingWork.isEmpty { hub.work() }
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"a":"d","b":{"p":"list/a","d":10}}}"#,
                #"{"t":"d","d":{"r":2,"b":{"s":"datastale","d":"Transaction hash does not match"}}}"#,
            ])
    }

    @Test("a wrong hash that a change makes right meanwhile is right")
    func catchingUp() throws {
        let next = try Node(json: #"{"a":10,"b":2,"c":3,"d":4,"e":5,"f":6}"#).hash()
        let ada = hub.connect()
        ada.request("p", #"{"p":"/list","d":1,"h":"\#(next)"}"#)
        writer.request("p", #"{"p":"/list/a","d":10}"#)
        while !hub.pendingWork.isEmpty { hub.work() }
        #expect(ada.takeStatuses() == ["ok"])
    }

    @Test("a node that changes faster than it can be hashed makes a transaction stale, not endless")
    func bounded() {
        let ada = hub.connect()
        ada.request("p", #"{"p":"/list","d":1,"h":"nothing like it"}"#)
        var rounds = 0
        while !hub.pendingWork.isEmpty {
            rounds += 1
            writer.request("p", #"{"p":"/list/a","d":\#(100 + rounds)}"#)
            hub.work()
        }
        #expect(rounds <= 3)
        #expect(ada.takeStatuses() == ["datastale"])
    }

    @Test("an answer above a megabyte is generated as it goes, and later messages come behind it")
    func streamed() throws {
        let text = String(repeating: "x", count: 10_000)
        let value = "{" + (0..<120).map { key in #""k\#(key)":"\#(text)""# }.joined(separator: ",") + "}"
        writer.request("p", #"{"p":"/big","d":\#(value)}"#)
        let ada = hub.connect()
        ada.request("q", #"{"p":"/big","h":""}"#)
        writer.request("p", #"{"p":"/big/k7","d":7}"#)
        hub.work()
        let received = ada.takeReceived()
        #expect(received.count == 3)
        guard case .push(let push) = try DeviceMessage(received[0]) else {
            Issue.record("no data")
            return
        }
        #expect(push.says("d", "big", value))
        #expect(received[2] == #"{"t":"d","d":{"a":"m","b":{"p":"big","d":{"k7":7}}}}"#)
    }

    @Test("a session that ends while it waits is answered nothing and leaves nothing behind")
    func closedWhileWaiting() {
        for request in [
            #"{"r":1,"a":"q","b":{"p":"/list","h":""}}"#,
            #"{"r":1,"a":"q","b":{"p":"/list","h":"","q":{"i":".value","l":5,"vf":"l"},"t":1}}"#,
            #"{"r":1,"a":"g","b":{"p":"/list","q":{}}}"#, #"{"r":1,"a":"p","b":{"p":"/list","d":1,"h":"x"}}"#,
        ] {
            let ada = hub.connect()
            ada.send(#"{"t":"d","d":\#(request)}"#, #"{"t":"d","d":{"r":2,"a":"p","b":{"p":"/y","d":1}}}"#)
            ada.close()
            hub.work()
            #expect(ada.takeReceived() == [])
        }
        #expect(hub.content.tree[Key("y")].isEmpty)
        #expect(hub.engine.listenPlaces == 0)
    }

    @Test("what a session that is taken over has pipelined is dropped")
    func takenOver() {
        let ada = hub.connect()
        ada.send(
            #"{"t":"d","d":{"r":1,"a":"o","b":{"p":"/status","d":0}}}"#,
            #"{"t":"d","d":{"r":2,"a":"g","b":{"p":"/list","q":{}}}}"#,
            #"{"t":"d","d":{"r":3,"a":"p","b":{"p":"/status","d":1}}}"#)
        let back = hub.connect(lastSession: ada.session)
        hub.work()
        #expect(hub.content.tree[Key("status")].json == "0")
        back.request("g", #"{"p":"/status","q":{}}"#)
        #expect(back.takeReceived() == [#"{"t":"d","d":{"r":1,"b":{"s":"ok","d":0}}}"#])
    }

    @Test("a client that asks on and on while it waits is too slow")
    func backlog() {
        var limits = Limits()
        limits.inlineLeaves = 1
        limits.backlogPerSession = 10
        let hub = EngineHarness(limits: limits)
        hub.worksAtOnce = false
        let ada = hub.connect()
        ada.request("p", #"{"p":"/list","d":{"a":1,"b":2}}"#)
        ada.request("g", #"{"p":"/list","q":{}}"#)
        for _ in 0..<10 { ada.request("g", #"{"p":"/x","q":{}}"#) }
        #expect(ada.isOpen)
        ada.request("g", #"{"p":"/x","q":{}}"#)
        #expect(ada.closeReason == .tooSlow)
        hub.work()
        #expect(ada.takeStatuses() == ["ok"])
    }
}
