import HubEngine
import Storage
import TestSupport
import Testing
import WireProtocol

@Suite("A hub's sessions", .blocking)
struct HubSessionsTests {
    private func hub() throws -> Hub {
        let hub = Hub(
            configuration: HubConfiguration(mode: .development), storage: MemoryHubStorage(), log: .silent,
            fail: { _ in })
        try hub.start()
        return hub
    }

    private func open(_ hub: Hub, _ namespace: String, slot: UInt32) throws {
        try hub.route(namespace: namespace).get().post([
            .opened(
                ConnectionID(loop: 0, slot: slot, generation: 1), SessionOpening(transport: .webSocket, host: "x"))
        ])
    }

    private func sessions(_ hub: Hub, _ filter: SessionFilter) throws -> [SessionReport] {
        let reply = AwaitedReply<[SessionReport]>()
        hub.sessions(filter) { reply.set($0) }
        let sessions = try #require(reply.wait())
        #expect(reply.count == 1)
        return sessions
    }

    private func kick(_ hub: Hub, _ filter: SessionFilter) throws -> Int {
        let reply = AwaitedReply<Int>()
        hub.kick(filter) { reply.set($0) }
        return try #require(reply.wait())
    }

    @Test("are collected over all namespaces, by namespace and connection, and ended by what they are")
    func all() throws {
        let hub = try hub()
        #expect(try sessions(hub, SessionFilter()).isEmpty)
        for slot: UInt32 in 1...3 { try open(hub, "b", slot: slot) }
        try open(hub, "a", slot: 4)
        let all = try sessions(hub, SessionFilter())
        #expect(all.map(\.namespace) == ["a", "b", "b", "b"])
        #expect(all.map(\.id) == ["0.4.1", "0.1.1", "0.2.1", "0.3.1"])
        #expect(try kick(hub, SessionFilter(ids: ["0.4.1", "0.2.1"])) == 2)
        #expect(try kick(hub, SessionFilter()) == 0)
        #expect(try sessions(hub, SessionFilter(namespace: "b")).map(\.id) == ["0.1.1", "0.3.1"])
        hub.stop()
    }

    @Test("are none in a hub that has stopped, and who asks is answered")
    func stopped() throws {
        let hub = try hub()
        try open(hub, "a", slot: 1)
        hub.stop()
        #expect(try sessions(hub, SessionFilter()).isEmpty)
    }
}
