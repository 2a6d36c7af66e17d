import TestSupport
import Testing

@Suite("Listening and writing")
struct ListenAndWriteTests {
    let hub = EngineHarness()

    @Test("check 2 and 3: the hub speaks first, with the time, the host that was asked for and a session")
    func hello() {
        let ada = hub.connect(host: "db.example.net:9000")
        #expect(
            ada.received == [
                #"{"t":"c","d":{"t":"h","d":{"ts":1767225600000,"v":"5","h":"db.example.net:9000","s":"\#(ada.session)","w":1}}}"#
            ])
        #expect(ada.session.count == 34)
    }

    @Test("check 39: a listener gets the data, then its ok with an object")
    func dataThenOk() {
        let ada = hub.connect()
        ada.request("p", #"{"p":"/a","d":1}"#)
        ada.request("q", #"{"p":"/a","h":""}"#)
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#,
                #"{"t":"d","d":{"a":"d","b":{"p":"a","d":1}}}"#,
                #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":{}}}}"#,
            ])
    }

    @Test("check 42: a writer's own listen hears of the write before the writer's ok")
    func echoBeforeAck() {
        let ada = hub.connect()
        ada.request("q", #"{"p":"/a","h":""}"#)
        ada.request("p", #"{"p":"/a","d":2}"#)
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":{}}}}"#,
                #"{"t":"d","d":{"a":"d","b":{"p":"a","d":2}}}"#,
                #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":""}}}"#,
            ])
    }

    @Test("check 53: a merge reaches each listener as one message")
    func mergeIsOneMessage() {
        let ada = hub.connect()
        let bob = hub.connect()
        bob.request("p", #"{"p":"/a","d":{"d":1,"e":2}}"#)
        ada.request("q", #"{"p":"/a","h":""}"#)
        _ = ada.takeReceived()
        bob.request("m", #"{"p":"/a","d":{"b/c":1,"d":null,"e/.priority":2}}"#)
        #expect(
            ada.takeReceived() == [#"{"t":"d","d":{"a":"m","b":{"p":"a","d":{"b/c":1,"d":null,"e/.priority":2}}}}"#])
    }

    @Test("check 97 and 98: a transaction with the right hash is carried out, a stale one learns the newer value first")
    func transactions() {
        let ada = hub.connect()
        let bob = hub.connect()
        bob.request("p", #"{"p":"/n","d":5}"#)
        ada.request("q", #"{"p":"/n","h":""}"#)
        _ = ada.takeReceived()
        ada.request("p", #"{"p":"/n","d":6,"h":"w28swksk9+tXf5jEdS9R5oSFAv8="}"#)
        bob.request("p", #"{"p":"/n","d":10}"#)
        ada.request("p", #"{"p":"/n","d":7,"h":"w28swksk9+tXf5jEdS9R5oSFAv8="}"#)
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"a":"d","b":{"p":"n","d":6}}}"#,
                #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":""}}}"#,
                #"{"t":"d","d":{"a":"d","b":{"p":"n","d":10}}}"#,
                #"{"t":"d","d":{"r":3,"b":{"s":"datastale","d":"Transaction hash does not match"}}}"#,
            ])
    }

    @Test("check 103: what was registered is written when the connection closes, and others hear of it")
    func onDisconnectRuns() {
        let ada = hub.connect()
        let bob = hub.connect()
        bob.request("q", #"{"p":"/presence","h":""}"#)
        ada.request("o", #"{"p":"/presence/ada","d":null}"#)
        ada.request("p", #"{"p":"/presence/ada","d":true}"#)
        _ = bob.takeReceived()
        ada.close(.connectionLost)
        #expect(bob.takeReceived() == [#"{"t":"d","d":{"a":"d","b":{"p":"presence/ada","d":null}}}"#])
        #expect(hub.engine.content(at: .root).isEmpty)
    }
}
