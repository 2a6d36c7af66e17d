import DataTree
import Storage
import TestSupport
import Testing

@testable import HubEngine

@Suite("Settings of a namespace")
struct SettingTests {
    private let hub = EngineHarness()

    private func change(_ name: String, _ text: String?) throws -> AwaitedReply<SettingFailure?> {
        let reply = AwaitedReply<SettingFailure?>()
        hub.apply([
            .administer(
                .changeSetting(
                    try SettingChange(
                        name: name, text: text, author: "administrator", reply: reply.reply(otherwise: .gone))))
        ])
        return reply
    }

    private var settings: [String] { hub.engine.settings.all.map { "\($0.name)=\($0.text)" } }

    @Test("are kept as they were written, through a crash and a state, and can be forgotten")
    func durable() throws {
        #expect(try change("b", #"{"x": [1, "é"]}"#).value == .some(nil))
        #expect(try change("a", "true").value == .some(nil))
        #expect(try change("c", "1").value == .some(nil))
        #expect(try change("c", nil).value == .some(nil))
        try hub.crash()
        #expect(settings == ["a=true", #"b={"x": [1, "é"]}"#])
        let (snapshot, _) = hub.engine.takeSnapshot(at: .none)
        let image = try DurableImage(LoadedState(position: .none, tree: .empty, records: snapshot.records))
        #expect(image.settings == hub.engine.settings)
    }

    @Test("that the log refuses never were")
    func refused() throws {
        _ = try change("a", "1")
        hub.durability = .held
        let reply = try change("a", "2")
        #expect(reply.count == 0)
        hub.refuseHeld("no space left")
        hub.settle()
        guard case .unavailable? = reply.value ?? nil else {
            Issue.record("it was changed")
            return
        }
        #expect(reply.count == 1)
        #expect(settings == ["a=1"])
    }

    @Test("that are none are refused with a sentence")
    func invalid() {
        #expect(throws: SettingFailure.self) { try change("a", "{") }
        #expect(throws: SettingFailure.self) { try change("a", "1 2") }
        #expect(throws: SettingFailure.self) { try change("", "1") }
        #expect(throws: SettingFailure.self) { try change("a", #""\#(String(repeating: "x", count: 65_536))""#) }
        #expect(throws: SettingFailure.self) { try change("defaultWriteSizeLimit", #""huge""#) }
        #expect(throws: SettingFailure.self) { try change("defaultWriteSizeLimit", "7") }
    }

    @Test("are at most 64")
    func tooMany() throws {
        for number in 1...64 { _ = try change("s\(number)", "1") }
        #expect(try change("s65", "1").value == .tooMany(limit: 64))
        #expect(try change("s1", "2").value == .some(nil))
        #expect(try change("s1", nil).value == .some(nil))
        #expect(try change("s65", "1").value == .some(nil))
    }

    @Test("limit how much one write may change, over the socket too, by what goes and what comes")
    func writeSize() throws {
        var image = DurableImage()
        // Half a million leaves go; those that come are counted too.
        image.tree = wideNode(children: 499)
        image.settings["defaultWriteSizeLimit"] = #""tiny""#
        let hub = EngineHarness(image: image)
        #expect(hub.engine.defaultWriteSize == .tiny)
        let ada = hub.connect()
        ada.request("p", #"{"p":"/","d":{"k":{"# + (0..<1001).map { "\"\($0)\":1" }.joined(separator: ",") + "}}}")
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"r":1,"b":{"s":"too_big","d":"Data to write exceeds the maximum size that can be modified with a single request."}}}"#
            ])
        #expect(hub.log.isEmpty)
        ada.request("p", #"{"p":"/b","d":1}"#)
        ada.request("p", #"{"p":"/.priority","d":1}"#)
        ada.request("m", #"{"p":"/","d":{"k1":null,"k2":2}}"#)
        ada.request("p", #"{"p":"/","d":null}"#)
        #expect(ada.takeStatuses() == ["ok", "ok", "ok", "ok"])
    }

    @Test("of the size of writes are `large` until somebody sets another one, and again when that is forgotten")
    func defaultSize() throws {
        #expect(hub.engine.defaultWriteSize == .large)
        _ = try change("defaultWriteSizeLimit", #""small""#)
        #expect(hub.engine.defaultWriteSize == .small)
        _ = try change("defaultWriteSizeLimit", nil)
        #expect(hub.engine.defaultWriteSize == .large)
    }
}

/// A node of a thousand leaves for each child; the children are one and the same, so that it is quickly made.
func wideNode(children: Int) -> Node {
    let child = Node(children: (0..<1000).map { (Key("\($0)"), Node(leaf: .integer(1))) })
    return Node(children: (0..<children).map { (Key("k\($0)"), child) })
}
