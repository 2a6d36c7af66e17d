import DataTree
import HubEngine
import TestSupport
import Testing

/// Queries on nodes with more children than are indexed on the spot: the first listener waits for the index.
@Suite("Large indexes")
struct LargeIndexTests {
    let hub = EngineHarness()
    let writer: EngineHarness.Device
    private static let query = #""q":{"i":"n","l":2,"vf":"l"}"#

    init() {
        writer = hub.connect()
        writer.request("p", #"{"p":"/list","d":\#(Self.list(3000))}"#)
        hub.worksAtOnce = false
        _ = writer.takeReceived()
    }

    /// Children whose field `n` runs against their keys.
    private static func list(_ count: Int) -> String {
        "{" + (0..<count).map { #""k\#(10_000 + $0)":{"n":\#(count - $0)}"# }.joined(separator: ",") + "}"
    }

    private func listen(_ tag: Int) -> EngineHarness.Device {
        let device = hub.connect()
        device.request("q", #"{"p":"/list","h":"",\#(Self.query),"t":\#(tag)}"#)
        return device
    }

    @Test("all that wait for an index are served when it is there, with what has changed meanwhile")
    func served() {
        let ada = listen(1)
        let bob = listen(2)
        writer.request("p", #"{"p":"/list/k10005/n","d":-1}"#)
        writer.request("p", #"{"p":"/list/k12999","d":null}"#)
        #expect(ada.takeReceived() == [])
        #expect(hub.pendingWork.count == 1)
        hub.work()
        for (device, tag) in [(ada, 1), (bob, 2)] {
            #expect(
                device.takeReceived() == [
                    #"{"t":"d","d":{"a":"d","b":{"p":"list","d":{"k10005":{"n":-1},"k12998":{"n":2}},"t":\#(tag)}}}"#,
                    #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":{}}}}"#,
                ])
        }
        writer.request("p", #"{"p":"/list/k10000/n","d":-2}"#)
        #expect(ada.takePushes() == [#"m /list #1 {"k12998":null,"k10000":{"n":-2}}"#])
    }

    @Test("a late index of a listen that went is not taken for that of one that came")
    func lateIndex() {
        let ada = listen(1)
        let late = hub.takeWork()
        ada.close()
        writer.request("p", #"{"p":"/list/k10005/n","d":-1}"#)
        let bob = listen(2)
        hub.apply(late.map { .answered($0.run()) })
        #expect(bob.takeReceived() == [])
        hub.work()
        #expect(bob.takePushes() == [#"d /list #2 {"k10005":{"n":-1},"k12999":{"n":1}}"#])
        writer.request("p", #"{"p":"/list/k12999","d":null}"#)
        #expect(bob.takePushes() == [#"m /list #2 {"k12999":null,"k12998":{"n":2}}"#])
    }

    @Test("a node that becomes small serves those who wait at once")
    func becomesSmall() {
        let ada = listen(1)
        writer.request("p", #"{"p":"/list","d":{"x":{"n":5}}}"#)
        #expect(ada.takePushes() == [#"d /list #1 {"x":{"n":5}}"#])
        hub.work()
        writer.request("p", #"{"p":"/list/y","d":{"n":4}}"#)
        #expect(ada.takePushes() == [#"d /list/y #1 {"n":4}"#])
    }

    @Test(
        "a refusal while an index is built leaves nobody waiting, whatever the refused write did",
        arguments: [
            #"{"p":"/list/k10005/n","d":-1}"#, #"{"p":"/list","d":{"x":{"n":5}}}"#, #"{"p":"/list","d":null}"#,
            #"{"p":"/","d":7}"#,
        ])
    func refused(write: String) {
        hub.durability = .held
        let ada = listen(1)
        writer.request("p", write)
        hub.refuseHeld()
        hub.work()
        hub.settle()
        #expect(writer.takeStatuses() == ["unavailable"])
        #expect(ada.takePushes() == [#"d /list #1 {"k12998":{"n":2},"k12999":{"n":1}}"#])
        hub.durability = .atOnce
        writer.request("p", #"{"p":"/list/k12999","d":null}"#)
        #expect(ada.takePushes() == [#"m /list #1 {"k12999":null,"k12997":{"n":3}}"#])
    }

    @Test("when the node is replaced by another large one, listeners get the new window with its index")
    func replaced() {
        let ada = listen(1)
        hub.work()
        _ = ada.takeReceived()
        writer.request("p", #"{"p":"/list","d":\#(Self.list(2500))}"#)
        hub.work()
        #expect(ada.takePushes() == [#"d /list #1 {"k12498":{"n":2},"k12499":{"n":1}}"#])
        writer.request("p", #"{"p":"/list/k12499","d":null}"#)
        #expect(ada.takePushes() == [#"m /list #1 {"k12499":null,"k12497":{"n":3}}"#])
    }

    @Test("one session may wait for an index, unlisten and listen again, all in one go")
    func pipelined() {
        let ada = hub.connect()
        ada.send(
            #"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/list","h":"",\#(Self.query),"t":1}}}"#,
            #"{"t":"d","d":{"r":2,"a":"n","b":{"p":"/list",\#(Self.query),"t":1}}}"#,
            #"{"t":"d","d":{"r":3,"a":"q","b":{"p":"/list","h":"",\#(Self.query),"t":2}}}"#,
            #"{"t":"d","d":{"r":4,"a":"p","b":{"p":"/list/k10000/n","d":0}}}"#)
        while !hub.pendingWork.isEmpty { hub.work() }
        #expect(
            ada.takePushes() == [
                #"d /list #1 {"k12998":{"n":2},"k12999":{"n":1}}"#, #"d /list #2 {"k12998":{"n":2},"k12999":{"n":1}}"#,
                #"m /list #2 {"k12998":null,"k10000":{"n":0}}"#,
            ])
    }
}
