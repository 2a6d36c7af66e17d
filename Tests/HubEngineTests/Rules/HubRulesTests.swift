import HubEngine
import Storage
import TestSupport
import Testing

/// Rules through a whole hub with its threads.
@Suite("A hub's rules", .blocking)
struct HubRulesTests {
    private static func text(_ number: Int) -> String { #"{"rules":{".read":"now > \#(number)"}}"# }

    private func hub() throws -> Hub {
        let hub = Hub(
            configuration: HubConfiguration(mode: .development), storage: MemoryHubStorage(), log: .silent,
            fail: { _ in })
        try hub.start()
        return hub
    }

    /// Waits for what a hub answers from another thread.
    private func answer<Value: Sendable>(_ ask: (@escaping @Sendable (Value) -> Void) throws -> Void) throws -> Value {
        let answer = Monitor<Value?>(nil)
        try ask { value in answer.update { $0 = value } }
        return try #require(answer.wait(until: monotonicNanoseconds() + 20_000_000_000) { $0 })
    }

    private func change(_ hub: Hub, _ text: String) throws -> UInt32 {
        try answer { reply in
            try hub.changeRules(of: "demo", RulesChange(Array(text.utf8), author: "ada", reply: reply))
        }.get().number
    }

    @Test("are kept as versions that can be read, compared and gone back to, each namespace its own")
    func versions() throws {
        let hub = try hub()
        for number in 1...3 { #expect(try change(hub, Self.text(number)) == UInt32(number)) }
        let back: Result<RulesVersion, RulesChangeFailure> = try answer { reply in
            try hub.rollBackRules(of: "demo", to: 2, author: "ada", reply)
        }
        #expect(try back.get().number == 4)
        let history: RulesHistory = try answer { try hub.readRules(of: "demo", $0) }
        #expect(history.versions.map(\.text) == [1, 2, 3, 2].map(Self.text))
        #expect(history.current?.author == "ada, back to version 2")
        let difference = RulesDifference(from: history.versions[2].text, to: history.versions[3].text)
        #expect(difference.lines == [.removed(Self.text(3)), .added(Self.text(2))])
        let other: RulesHistory = try answer { try hub.readRules(of: "other", $0) }
        #expect(other.versions.isEmpty)
        hub.stop()
    }

    @Test("going back to a version that is not kept says which are")
    func unknownVersion() throws {
        let hub = try hub()
        let none: Result<RulesVersion, RulesChangeFailure> = try answer { reply in
            try hub.rollBackRules(of: "demo", to: 1, author: "ada", reply)
        }
        #expect(throws: RulesChangeFailure.unknownVersion(1, kept: [])) { try none.get() }
        _ = try change(hub, Self.text(1))
        let wrong: Result<RulesVersion, RulesChangeFailure> = try answer { reply in
            try hub.rollBackRules(of: "demo", to: 9, author: "ada", reply)
        }
        #expect(throws: RulesChangeFailure.unknownVersion(9, kept: [1])) { try wrong.get() }
        hub.stop()
    }

    @Test("a namespace that comes back into memory goes by the configuration as it is then")
    func reloaded() throws {
        let folder = TemporaryFolder()
        let lines = Monitor<[String]>([])
        var configuration = HubConfiguration(
            mode: .production, namespaces: ["demo"],
            rules: try ConfiguredRules(Array(Self.text(1).utf8), author: "f"))
        configuration.idleTime = 20_000_000
        let hub = Hub(
            configuration: configuration,
            storage: FileHubStorage(directory: try DataDirectory(path: folder.path(of: "data"))),
            log: Logger(write: { line in lines.update { $0.append(line) } }), fail: { _ in })
        try hub.start()
        func expectUnloaded(_ times: Int) {
            let deadline = monotonicNanoseconds() + 20_000_000_000
            let closed = lines.wait(until: deadline) { lines in
                lines.count { $0.contains("database.closed") } >= times ? true : nil
            }
            #expect(closed == true)
        }
        expectUnloaded(1)
        hub.configure(try ConfiguredRules(Array(Self.text(2).utf8), author: "f"))
        expectUnloaded(2)
        let history: RulesHistory = try answer { try hub.readRules(of: "demo", $0) }
        #expect(history.versions.map(\.text) == [1, 2].map(Self.text))
        hub.stop()
    }

    @Test("rules of a configuration that was read again hold in the namespaces that are there, as a version of theirs")
    func configured() throws {
        let hub = try hub()
        _ = try change(hub, Self.text(1))
        hub.configure(try ConfiguredRules(Array(Self.text(7).utf8), author: "--rules f"))
        _ = try change(hub, Self.text(8))
        let known: RulesHistory = try answer { try hub.readRules(of: "demo", $0) }
        #expect(known.versions.map(\.author) == ["ada", "--rules f", "ada"])
        hub.stop()
    }
}
