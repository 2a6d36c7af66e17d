import HubEngine
import Storage
import TestSupport
import Testing
import WireProtocol

@Suite("Sessions seen and ended from outside")
struct SessionReportTests {
    private let hub = EngineHarness(presence: "online")

    private func ask(_ filter: SessionFilter) -> AwaitedReply<[SessionReport]> {
        let reply = AwaitedReply<[SessionReport]>()
        hub.apply([.administer(.inquire(Inquiry(reply.reply(otherwise: [])) { $0.sessionReports(filter) }))])
        return reply
    }

    private func kick(_ filter: SessionFilter) -> AwaitedReply<Int> {
        let reply = AwaitedReply<Int>()
        hub.apply([.administer(.kick(filter, reply.reply(otherwise: -1)))])
        return reply
    }

    @Test("a session is shown with who it is, where from, and what it holds")
    func report() throws {
        let ada = hub.connect(agent: "tests/1")
        ada.signIn("ada")
        ada.request("q", #"{"p":"/a","h":""}"#)
        ada.request("o", #"{"p":"/a","d":1}"#)
        ada.request("o", #"{"p":"/b","d":2}"#)
        _ = hub.connect(transport: .eventStream)
        let reports = try #require(ask(SessionFilter()).value)
        #expect(
            reports.first { $0.uid != nil }
                == SessionReport(
                    id: ada.connection.description, namespace: "demo", transport: .webSocket, uid: "ada",
                    isAdministrator: false, since: hub.time, remoteAddress: "127.0.0.1", agent: "tests/1", listens: 1,
                    onDisconnectOperations: 2))
        #expect(reports.count == 2)
        #expect(reports.map(\.id) == reports.map(\.id).sorted())
    }

    @Test("an administrator's session says so")
    func administrator() throws {
        hub.connect().request("gauth", #"{"cred":"owner"}"#)
        #expect(ask(SessionFilter()).value?.map(\.isAdministrator) == [true])
    }

    @Test("all that a filter gives must fit")
    func filter() throws {
        let ada = hub.connect()
        let tab = hub.connect()
        let bob = hub.connect()
        ada.signIn("ada")
        tab.signIn("ada")
        bob.signIn("bob")
        #expect(ask(SessionFilter(uid: "ada")).value?.count == 2)
        #expect(ask(SessionFilter(ids: [bob.connection.description], uid: "ada")).value?.isEmpty == true)
        #expect(ask(SessionFilter(ids: [tab.connection.description], uid: "ada")).value?.count == 1)
        #expect(ask(SessionFilter(namespace: "other")).value?.isEmpty == true)
        #expect(ask(SessionFilter(uid: "nobody")).value?.isEmpty == true)
    }

    @Test("names that are only canonically equal are two users")
    func canonicallyEqual() {
        let ada = hub.connect()
        ada.signIn("caf\u{E9}")
        #expect(ask(SessionFilter(uid: "cafe\u{301}")).value?.isEmpty == true)
        #expect(ask(SessionFilter(uid: "caf\u{E9}")).value?.count == 1)
    }

    @Test("whoever is kicked leaves with that reason, and what was registered runs")
    func kicked() {
        let ada = hub.connect()
        ada.signIn("ada")
        ada.request("o", #"{"p":"/state","d":"off"}"#)
        let bob = hub.connect()
        #expect(kick(SessionFilter(uid: "ada")).value == 1)
        #expect(ada.closeReason == .kicked)
        #expect(bob.isOpen)
        #expect(bob.get("/state") == #""off""#)
        #expect(bob.get("/online/lastSeen/ada/reason") == #""kicked""#)
        #expect(kick(SessionFilter(uid: "ada")).value == 0)
    }

    @Test("a list waits for what it shows to be durable, and is made anew when that is refused")
    func refused() throws {
        let ada = hub.connect()
        hub.durability = .held
        ada.request("o", #"{"p":"/state","d":1}"#)
        let reply = ask(SessionFilter())
        #expect(reply.count == 0)
        hub.refuseHeld()
        hub.settle()
        #expect(try #require(reply.value).map(\.onDisconnectOperations) == [0])
        #expect(reply.count == 1)
    }

    @Test("who asks for the rules is answered, once, also when the log refuses what came with it")
    func refusedRules() throws {
        hub.durability = .held
        _ = try hub.changeRules(#"{"rules":{}}"#)
        let reply = AwaitedReply<RulesHistory>()
        hub.apply([.readRules { reply.set($0) }])
        hub.refuseHeld()
        hub.settle()
        #expect(reply.count == 1)
        #expect(reply.value?.versions.isEmpty == true)
    }

    @Test("a kick whose end the log refuses is told as it was, once, and the end is stored later")
    func refusedKick() throws {
        let ada = hub.connect()
        ada.request("o", #"{"p":"/state","d":"off"}"#)
        hub.durability = .held
        let reply = kick(SessionFilter(ids: [ada.connection.description]))
        #expect(reply.count == 0)
        hub.refuseHeld()
        hub.settle()
        #expect(reply.value == 1)
        #expect(reply.count == 1)
        hub.durability = .atOnce
        hub.advance(by: 1000)
        #expect(try hub.durableImage().tree.json == #"{"state":"off"}"#)
    }
}
