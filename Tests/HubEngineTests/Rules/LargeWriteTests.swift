import DataTree
import HubEngine
import TestSupport
import Testing

/// Writes that rules judge away from the engine.
@Suite("Large writes under rules")
struct LargeWriteTests {
    private let hub: EngineHarness
    private let writer: EngineHarness.Device
    private let other: EngineHarness.Device

    init() throws {
        let rules = """
            {"rules":{"list":{".write":"root.child('open').val() == true && data.child('locked').val() != true",
                "$item":{".validate":"newData.isNumber()"}},"open":{".write":true},"other":{".write":true}}}
            """
        var limits = Limits()
        limits.inlineLeaves = 3
        hub = EngineHarness(rules: try ConfiguredRules(Array(rules.utf8), author: "test"), limits: limits)
        other = hub.connect()
        other.request("gauth", #"{"cred":"owner"}"#)
        other.request("p", #"{"p":"/open","d":true}"#)
        writer = hub.connect()
        _ = writer.takeReceived()
        hub.worksAtOnce = false
    }

    private let items = #"{"a":1,"b":2,"c":3,"d":4}"#

    @Test("others are served meanwhile, and what comes behind it waits for it")
    func meanwhile() {
        writer.request("p", #"{"p":"/list","d":\#(items)}"#)
        writer.request("p", #"{"p":"/list/e","d":5}"#)
        other.request("p", #"{"p":"/other","d":1}"#)
        #expect(writer.takeReceived() == [] && other.takeStatuses().last == "ok")
        hub.work()
        #expect(writer.takeStatuses() == ["ok", "ok"])
        #expect(hub.content.json == #"{"list":{"a":1,"b":2,"c":3,"d":4,"e":5},"open":true,"other":1}"#)
    }

    @Test("one bad item denies all of it")
    func denied() {
        writer.request("p", #"{"p":"/list","d":{"a":1,"b":2,"c":3,"d":"four"}}"#)
        hub.work()
        #expect(writer.takeStatuses() == ["permission_denied"])
        #expect(hub.content.json == #"{"open":true}"#)
    }

    @Test(
        "the verdict falls anew when what it read has changed: a place elsewhere, the place itself, the rules, the identity"
    )
    func changed() throws {
        for change in [
            ("p", #"{"p":"/open","d":false}"#), ("p", #"{"p":"/list","d":{"locked":true}}"#),
        ] {
            writer.request("p", #"{"p":"/list","d":\#(items)}"#)
            other.request(change.0, change.1)
            hub.work()
            #expect(writer.takeReceived() == [])
            hub.work()
            #expect(writer.takeStatuses() == ["permission_denied"])
            other.request("p", #"{"p":"/","d":{"open":true}}"#)
        }
        writer.request("p", #"{"p":"/list","d":\#(items)}"#)
        _ = try hub.changeRules(#"{"rules":{}}"#)
        hub.work()
        hub.work()
        #expect(writer.takeStatuses() == ["permission_denied"])
    }

    @Test("a place that changes again and again does not keep it waiting for ever")
    func busy() {
        writer.request("p", #"{"p":"/list","d":\#(items)}"#)
        for round in 0..<10 {
            other.request("p", #"{"p":"/list/x","d":\#(round)}"#)
            hub.work()
        }
        #expect(writer.takeStatuses() == ["ok"])
    }

    @Test("a transaction whose node changed while it was judged is stale")
    func transaction() {
        writer.request("p", #"{"p":"/list","d":\#(items),"h":""}"#)
        other.request("p", #"{"p":"/list/x","d":1}"#)
        for _ in 0..<5 { hub.work() }
        // Who may not read `/list` is told what the rules say; they allow the write.
        #expect(writer.takeStatuses() == ["datastale"])
    }

    @Test("a refusal of the log is told for it too; a client that leaves takes it along")
    func refusedAndLeft() {
        hub.durability = .held
        other.request("p", #"{"p":"/other","d":1}"#)
        writer.request("p", #"{"p":"/list","d":\#(items)}"#)
        hub.refuseHeld()
        hub.durability = .atOnce
        for _ in 0..<3 { hub.work() }
        #expect(writer.takeStatuses() == ["unavailable"])
        writer.request("p", #"{"p":"/list","d":\#(items)}"#)
        hub.work()
        #expect(writer.takeStatuses() == ["ok"])
        writer.request("p", #"{"p":"/list","d":{"a":1,"b":1,"c":1,"d":1,"e":1}}"#)
        writer.close()
        hub.work()
        #expect(hub.content.json.contains(#""d":4"#))
    }
}
