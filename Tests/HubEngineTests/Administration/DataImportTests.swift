import DataTree
import HubEngine
import TestSupport
import Testing

@Suite("Importing data")
struct DataImportTests {
    private let hub = EngineHarness(presence: "online")

    private func load(
        _ json: String, at path: String = "", rules: String? = nil, mode: DataImport.Mode = .empty
    ) throws -> AwaitedReply<Result<ImportReport, ImportFailure>> {
        let reply = AwaitedReply<Result<ImportReport, ImportFailure>>()
        let rules = try rules.map { try ConfiguredRules(Array($0.utf8), author: "import") }
        hub.apply([
            .administer(
                .importData(
                    DataImport(
                        path: Path(path), node: try Node(json: json), rules: rules, mode: mode, author: "administrator",
                        reply: reply.reply(otherwise: .failure(.gone)))))
        ])
        return reply
    }

    private static let open = #"{"rules":{".read":true}}"#
    private static let closed = #"{"rules":{"open":{".read":true}}}"#

    @Test("data and rules are one entry of the log, and what was done is told")
    func together() throws {
        let reply = try load(#"{"a":{"b":1,".priority":2},"c":"x"}"#, rules: Self.open)
        #expect(try reply.value?.get() == ImportReport(children: 2, leaves: 2, rules: 1))
        let entry = try #require(hub.log.last)
        let records = try entry.withUnsafeBytes { try LogEntry(decoding: $0) }.records
        #expect(records.count == 2)
        try hub.crash()
        #expect(hub.content.tree.json == #"{"a":{".priority":2,"b":1},"c":"x"}"#)
        #expect(hub.rulesHistory.current?.text == Self.open)
        #expect(hub.rulesHistory.current?.author == "administrator")
    }

    @Test("into a place that is not empty is refused, and nothing is changed")
    func notEmpty() throws {
        _ = try load(#"{"x":1}"#, at: "a")
        let before = hub.log.count
        #expect(try load("2", at: "a", rules: Self.open).value == .failure(.notEmpty(Path("a"))))
        #expect(try load("2").value == .failure(.notEmpty(.root)))
        #expect(hub.log.count == before)
        #expect(hub.rulesHistory.versions.isEmpty)
        #expect(try load("2", at: "b").value == .success(ImportReport(children: 0, leaves: 1, rules: nil)))
        #expect(
            try load("2", at: "a", mode: .replace).value == .success(ImportReport(children: 0, leaves: 1, rules: nil)))
        #expect(hub.content.tree.json == #"{"a":2,"b":2}"#)
    }

    @Test("rules that somebody wrote are replaced only on demand; the same ones are no new version")
    func rules() throws {
        _ = try hub.changeRules(Self.open)
        #expect(try load("1", rules: Self.closed).value == .failure(.hasRules(version: 1)))
        #expect(try load("1", rules: Self.open).value == .success(ImportReport(children: 0, leaves: 1, rules: 1)))
        #expect(
            try load("2", rules: Self.closed, mode: .replace).value
                == .success(ImportReport(children: 0, leaves: 1, rules: 2)))
    }

    @Test("listeners are told, but not those whom the new rules shut out")
    func listeners() throws {
        let ada = hub.connect()
        let bob = hub.connect()
        ada.request("q", #"{"p":"/open","h":""}"#)
        bob.request("q", #"{"p":"/other","h":""}"#)
        _ = (ada.takeReceived(), bob.takeReceived())
        _ = try load(#"{"open":1,"other":2}"#, rules: Self.closed)
        #expect(ada.takePushes() == ["d /open 1"])
        #expect(!bob.received.contains { $0.contains(#""d":2"#) })
        #expect(bob.received.last?.contains(#""a":"c""#) == true)
    }

    @Test("the presence node is left out")
    func presence() throws {
        _ = try load(#"{"a":1,"online":{"users":{"eve":1}}}"#)
        #expect(hub.content.tree.json == #"{"a":1}"#)
        guard case .failure(.invalid)? = try load("1", at: "online/users").value else {
            Issue.record("it was imported")
            return
        }
    }

    @Test("what the log refuses never was, and the answer says so once")
    func refused() throws {
        hub.durability = .held
        let reply = try load(#"{"a":1}"#, rules: Self.open)
        #expect(reply.count == 0)
        hub.refuseHeld()
        hub.settle()
        guard case .failure(.unavailable)? = reply.value else {
            Issue.record("it was imported")
            return
        }
        #expect(reply.count == 1)
        #expect(hub.content.tree.isEmpty)
        #expect(hub.rulesHistory.versions.isEmpty)
    }

    @Test("the limit of a write's size does not hold for it")
    func size() throws {
        let reply = AwaitedReply<SettingFailure?>()
        hub.apply([
            .administer(
                .changeSetting(
                    try SettingChange(
                        name: "defaultWriteSizeLimit", text: #""tiny""#, author: "a",
                        reply: reply.reply(otherwise: nil))))
        ])
        let wide = "{" + (0..<100_001).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
        #expect(try load(wide).value == .success(ImportReport(children: 100_001, leaves: 100_001, rules: nil)))
    }
}
