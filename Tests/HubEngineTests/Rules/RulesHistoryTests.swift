import DataTree
import HubEngine
import Storage
import TestSupport
import Testing

@Suite("The history of rules")
struct RulesHistoryTests {
    private func text(_ number: Int) -> String { #"{"rules":{".read":\#(number % 2 == 0),".write":"\#(number) > 0"}}"# }

    @Test("every accepted upload is a version with its time and author, and survives a crash")
    func versions() throws {
        let hub = EngineHarness()
        for number in 1...3 {
            hub.time += 1000
            #expect(try hub.changeRules(text(number), author: "ada").version == UInt32(number))
        }
        let before = hub.rulesHistory
        #expect(before.versions.map(\.text) == (1...3).map(text))
        #expect(before.versions.map(\.author) == ["ada", "ada", "ada"])
        #expect(before.current?.time == hub.time)
        try hub.crash()
        #expect(hub.rulesHistory == before)
        let device = hub.connect()
        device.request("g", #"{"p":"/","q":{}}"#)
        #expect(device.takeStatuses() == ["permission_denied"])
    }

    @Test("the same text once more is no new version")
    func same() throws {
        let hub = EngineHarness()
        _ = try hub.changeRules(text(1))
        #expect(try hub.changeRules(text(1)).version == 1)
        #expect(hub.rulesHistory.versions.count == 1)
    }

    @Test("rules with errors are refused with all their places, and change nothing")
    func errors() throws {
        let hub = EngineHarness()
        _ = try hub.changeRules(text(2))
        #expect(throws: (any Error).self) { try hub.changeRules(#"{"rules":{".read":"auth = 1"}}"#) }
        #expect(hub.rulesHistory.versions.count == 1)
    }

    @Test("is bounded in number and bytes; what is in force is always kept")
    func bounds() {
        var history = RulesHistory()
        for number in 1...250 {
            let forgotten = history.add(RulesVersion(number: UInt32(number), time: 0, author: "", text: "x"))
            #expect(forgotten == (number > 100 ? [UInt32(number - 100)] : []))
        }
        #expect(history.versions.map(\.number) == Array(151...250))
        let big = String(repeating: "x", count: RulesHistory.maxBytes + 1)
        #expect(history.add(RulesVersion(number: 251, time: 0, author: "", text: big)).count == 100)
        #expect(history.versions.map(\.number) == [251])
        #expect(history.add(RulesVersion(number: 3, time: 0, author: "", text: "old")) == [])
        #expect(history.current?.number == 251)
    }

    @Test("is in the state store: redone on it or not, the image is the same")
    func state() throws {
        let hub = EngineHarness()
        for number in 1...5 { _ = try hub.changeRules(text(number)) }
        let (snapshot, _) = hub.engine.takeSnapshot(at: LogPosition(5))
        let loaded = LoadedState(position: .none, tree: .empty, records: snapshot.records)
        let image = try DurableImage(loaded)
        #expect(image.rules == hub.rulesHistory)
        var redone = image
        for entry in hub.log { redone.redo(try entry.withUnsafeBytes { try LogEntry(decoding: $0) }) }
        #expect(redone.rules == hub.rulesHistory)
    }

    @Test("rules of the configuration are a version like others, once")
    func configured() throws {
        let rules = try ConfiguredRules(Array(text(1).utf8), author: "--rules my.json")
        let hub = EngineHarness(rules: rules)
        #expect(hub.rulesHistory.versions.map(\.author) == ["--rules my.json"])
        try hub.crash()
        #expect(hub.rulesHistory.versions.count == 1)
        _ = try hub.changeRules(text(2))
        try hub.crash()
        #expect(hub.rulesHistory.versions.map(\.text) == [text(1), text(2), text(1)])
    }

    @Test("rules of the configuration that cannot be stored are tried again until they can; the last ones count")
    func configuredLater() throws {
        let hub = EngineHarness(rules: try ConfiguredRules(Array(text(1).utf8), author: "f"))
        for number in 2...3 {
            hub.durability = .held
            hub.apply([.configureRules(try ConfiguredRules(Array(text(number).utf8), author: "f"))])
            hub.refuseHeld()
        }
        hub.durability = .atOnce
        #expect(hub.rulesHistory.versions.map(\.text) == [text(1)])
        hub.advance(by: 1000)
        #expect(hub.rulesHistory.versions.map(\.text) == [text(1), text(3)])
    }

    @Test("rules that cannot be read any more lock the namespace: nobody gets in but the administrator")
    func unreadable() throws {
        var image = DurableImage()
        image.rules.add(RulesVersion(number: 1, time: 0, author: "", text: #"{"rules":{".read":"tomorrow()"}}"#))
        let hub = EngineHarness(image: image)
        let device = hub.connect()
        device.request("g", #"{"p":"/","q":{}}"#)
        device.request("gauth", #"{"cred":"owner"}"#)
        device.request("g", #"{"p":"/","q":{}}"#)
        #expect(device.takeStatuses() == ["permission_denied", "ok", "ok"])
    }

    @Test("differences are told line by line, byte by byte")
    func difference() {
        let difference = RulesDifference(from: "a\nb\nc\n", to: "a\nx\nc\nd\n")
        #expect(
            difference.lines == [.same("a"), .removed("b"), .added("x"), .same("c"), .added("d"), .same("")])
        #expect(RulesDifference(from: "a\r\nb", to: "a\nb").isEmpty)
        #expect(!RulesDifference(from: "\u{E9}", to: "e\u{301}").isEmpty)
    }
}
