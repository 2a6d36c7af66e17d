import DataTree
import HubEngine
import TestSupport
import Testing

@Suite("Server time")
struct ServerTimeTests {
    let hub = EngineHarness()

    @Test("a clock that is set back does not take commits back, also over a restart")
    func clockSetBack() throws {
        let start = hub.time
        hub.connect().request("p", #"{"p":"/a","d":{".sv":"timestamp"}}"#)
        hub.time -= 3_600_000
        hub.connect().request("p", #"{"p":"/b","d":{".sv":"timestamp"}}"#)
        try hub.crash()
        hub.connect().request("p", #"{"p":"/c","d":{".sv":"timestamp"}}"#)
        #expect(hub.content.json == #"{"a":\#(start),"b":\#(start),"c":\#(start)}"#)
    }

    @Test("all timestamps of one request are one moment, those of the next are later")
    func oneMoment() {
        let ada = hub.connect()
        ada.request("m", #"{"p":"/","d":{"a":{".sv":"timestamp"},"b/c":{".value":1,".priority":{".sv":"timestamp"}}}}"#)
        hub.advance(by: 5)
        ada.request("p", #"{"p":"/d","d":{".sv":"timestamp"}}"#)
        let start = hub.time - 5
        #expect(hub.content.json == #"{"a":\#(start),"b":{"c":{".value":1,".priority":\#(start)}},"d":\#(start + 5)}"#)
    }
}
