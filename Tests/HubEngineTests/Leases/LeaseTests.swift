import DataTree
import TestSupport
import Testing
import WireProtocol

@testable import HubEngine

@Suite("Leases")
struct LeaseTests {
    private let hub = EngineHarness(presence: "online")

    private func hold(
        _ uid: String? = "ada", _ path: String = "devices/1", online: String? = #""on""#, off: String = #""off""#,
        ttl: Int64 = 60_000, on hub: EngineHarness? = nil
    ) throws -> CallAnswer? {
        let terms = LeaseRequest.Terms(
            timeToLive: ttl, online: try online.map { try Node(json: $0) }, onDisconnect: try Node(json: off))
        return ask(uid, path, .hold(terms), on: hub)
    }

    private func ask(
        _ uid: String?, _ path: String, _ kind: LeaseRequest.Kind, on hub: EngineHarness? = nil
    ) -> CallAnswer? {
        (hub ?? self.hub).call(
            .lease(LeaseRequest(path: Path(path), kind: kind, agent: "ESP32", remoteAddress: "10.0.0.7")),
            credential: CallCredential(token: uid.map { UnsignedTokens.user($0) }))
    }

    private var content: String { hub.content.tree.json }
    private var gauge: Int { hub.engine.metrics.connections(.lease).value }

    /// What whoever watches the time does when a lease's time is up.
    private func expire() {
        var held: [ConnectionID] = []
        for news in hub.leaseNews {
            switch news {
            case .held(let connection, _): if !held.contains(connection) { held.append(connection) }
            case .ended(let connection): held.removeAll { $0 == connection }
            }
        }
        hub.apply(held.map { .end($0, .leaseExpired) })
    }

    @Test("holding writes the online value at once and says until when, and renewing prolongs without a write")
    func held() throws {
        #expect(try hold()?.lease == LeaseAnswer(expires: hub.time + 60_000, ttl: 60_000, isNew: true))
        #expect(content == #"{"devices":{"1":"on"}}"#)
        let entries = hub.log.count
        hub.advance(by: 40_000)
        #expect(try hold()?.lease == LeaseAnswer(expires: hub.time + 60_000, ttl: 60_000, isNew: false))
        #expect(ask("ada", "devices/1", .look)?.lease?.expires == hub.time + 60_000)
        #expect(hub.log.count == entries)
        #expect(gauge == 1)
        #expect(hub.leaseNews.count == 2)
    }

    @Test("when its time is up the registered value is written, once, and the user has left because the lease expired")
    func expiry() throws {
        _ = try hold()
        expire()
        #expect(content == #"{"devices":{"1":"off"}}"#)
        #expect(hub.connect().get("/online/lastSeen/ada/reason") == #""lease expired""#)
        #expect(gauge == 0)
        guard case .noLease? = ask("ada", "devices/1", .look) else {
            Issue.record("it lasts")
            return
        }
        #expect(try hold()?.lease?.isNew == true)
    }

    @Test("ending it runs what is registered as if a client had closed its connection")
    func ended() throws {
        _ = try hold()
        guard case .leaseEnded? = ask("ada", "devices/1", .end) else {
            Issue.record("not ended")
            return
        }
        #expect(content == #"{"devices":{"1":"off"}}"#)
        #expect(hub.connect().get("/online/lastSeen/ada/reason") == #""closed by client""#)
        guard case .noLease? = ask("ada", "devices/1", .end) else {
            Issue.record("ended twice")
            return
        }
    }

    @Test("whoever holds it is in the presence node and among the sessions, as a lease, and can be kicked")
    func shown() throws {
        let since = hub.time
        _ = try hold()
        let path = "/online/users/ada/connections/c1"
        #expect(hub.connect().get(path) == #"{"agent":"ESP32","since":\#(since),"transport":"lease"}"#)
        let report = try #require(hub.engine.sessionReports(SessionFilter(uid: "ada")).first)
        #expect(report.transport == .lease)
        #expect(report.remoteAddress == "10.0.0.7")
        #expect(report.onDisconnectOperations == 1)
        let reply = AwaitedReply<Int>()
        hub.apply([.administer(.kick(SessionFilter(ids: [report.id]), reply.reply(otherwise: -1)))])
        #expect(reply.value == 1)
        #expect(content == #"{"devices":{"1":"off"}}"#)
        #expect(gauge == 0)
    }

    @Test("holders and places have leases of their own")
    func keys() throws {
        _ = try hold("ada", "a")
        #expect(try hold("bob", "a")?.lease?.isNew == true)
        #expect(try hold("ada", "b")?.lease?.isNew == true)
        #expect(try hold(nil, "a")?.lease?.isNew == true)
        #expect(try hold("ada", "a")?.lease?.isNew == false)
        #expect(gauge == 4)
    }

    @Test("values that change replace those before")
    func changed() throws {
        _ = try hold()
        _ = try hold(online: #""busy""#, off: "null")
        #expect(content == #"{"devices":{"1":"busy"}}"#)
        _ = ask("ada", "devices/1", .end)
        #expect(content == "null")
    }

    @Test("a crash runs what is registered, because the hub restarted")
    func crash() throws {
        _ = try hold()
        try hub.crash()
        #expect(content == #"{"devices":{"1":"off"}}"#)
        #expect(hub.connect().get("/online/lastSeen/ada/reason") == #""hub restarted""#)
    }

    @Test("rules are asked for both values: both are written or none")
    func rules() throws {
        _ = try hub.changeRules(
            #"{"rules":{"a":{".write":"newData.val() != 'bad'"},"b":{".write":"auth.uid == 'ada'"}}}"#)
        for (online, off) in [("1", #""bad""#), (#""bad""#, "1")] {
            guard case .refused(.denied)? = try hold("ada", "a", online: online, off: off) else {
                Issue.record("\(online) \(off) is allowed")
                continue
            }
        }
        guard case .refused(.denied)? = try hold("bob", "b") else {
            Issue.record("bob may")
            return
        }
        #expect(content == "null")
        #expect(gauge == 0)
        #expect(hub.engine.sessionCount == 0)
        #expect(try hold("ada", "b")?.lease?.isNew == true)
        guard case .refused(.denied)? = try hold("ada", "a", off: #""bad""#) else {
            Issue.record("it is allowed")
            return
        }
    }

    @Test("times and places that make no sense are refused with a sentence", arguments: [1_000, 3_456_000_000])
    func invalid(ttl: Int64) throws {
        guard case .refused(.invalid(let text))? = try hold(ttl: ttl) else {
            Issue.record("it is allowed")
            return
        }
        #expect(text == "A lease lasts from 5 to 86400 seconds. Choose a ttl in between.")
        for path in ["a/.priority", ".info/x"] {
            guard case .refused(.invalid)? = try hold("ada", path) else {
                Issue.record("\(path) is allowed")
                continue
            }
        }
        guard case .refused(.denied)? = try hold("ada", "online/users") else {
            Issue.record("the presence node is allowed")
            return
        }
    }

    @Test("there are only so many")
    func limit() throws {
        var limits = Limits()
        limits.leases = 2
        let hub = EngineHarness(limits: limits)
        for name in ["a", "b"] { #expect(try hold(name, on: hub)?.lease?.isNew == true) }
        guard case .refused(.unavailable)? = try hold("c", on: hub) else {
            Issue.record("three are allowed")
            return
        }
        #expect(try hold("a", on: hub)?.lease?.isNew == false)
    }

    @Test("a lease that the log refuses never was: nobody is online, nothing is registered")
    func refused() throws {
        let observer = hub.connect()
        observer.request("q", #"{"p":"/","h":""}"#)
        _ = observer.takeReceived()
        hub.durability = .held
        #expect(try hold() == nil)
        hub.refuseHeld()
        hub.settle()
        guard case .refused(.unavailable)? = hub.lastAnswer else {
            Issue.record("it was begun")
            return
        }
        #expect(hub.lastAnswerCount == 1)
        #expect(observer.takePushes().isEmpty)
        #expect(gauge == 0)
        hub.durability = .atOnce
        hub.advance(by: 1000)
        #expect(content == "null")
        #expect(hub.connect().get("/online/users") == "null")
        #expect(hub.connect().get("/online/lastSeen") == "null")
        #expect(hub.engine.sessionReports(SessionFilter(uid: "ada")).isEmpty)
        #expect(try hub.durableImage().sessions.isEmpty)
        #expect(!hub.engine.owesEnds)
        #expect(try hold()?.lease?.isNew == true)
    }

    @Test("a renewal that the log refuses leaves the lease as it was")
    func refusedRenewal() throws {
        _ = try hold()
        hub.durability = .held
        _ = try hold(online: "2", off: "3", ttl: 10_000)
        hub.refuseHeld()
        hub.settle()
        #expect(ask("ada", "devices/1", .look)?.lease?.ttl == 60_000)
        #expect(content == #"{"devices":{"1":"on"}}"#)
        hub.durability = .atOnce
        _ = ask("ada", "devices/1", .end)
        #expect(content == #"{"devices":{"1":"off"}}"#)
    }

    @Test("an end that the log refuses is stored later, and the next lease comes behind it")
    func refusedEnd() throws {
        _ = try hold()
        hub.durability = .held
        expire()
        hub.refuseHeld()
        hub.settle()
        #expect(content == #"{"devices":{"1":"on"}}"#)
        hub.durability = .atOnce
        #expect(try hold(off: #""gone""#)?.lease?.isNew == true)
        #expect(content == #"{"devices":{"1":"on"}}"#)
        expire()
        #expect(try hub.durableImage().tree.json == #"{"devices":{"1":"gone"}}"#)
    }

    @Test("a fresh token of the same user is taken over, and one that has ended does not end the lease")
    func tokens() throws {
        let old = UnsignedTokens.token(#"{"sub":"ada","iat":1,"exp":\#(hub.time / 1000 + 10)}"#)
        let new = UnsignedTokens.token(#"{"sub":"ada","iat":1,"exp":\#(hub.time / 1000 + 3600)}"#)
        let terms = LeaseRequest.Terms(timeToLive: 60_000, onDisconnect: try Node(json: "1"))
        func renew(_ token: String) -> CallAnswer? {
            hub.call(
                .lease(LeaseRequest(path: Path("d"), kind: .hold(terms))), credential: CallCredential(token: token))
        }
        #expect(renew(old)?.lease?.isNew == true)
        hub.advance(by: 20_000)
        #expect(gauge == 1)
        #expect(renew(new)?.lease?.isNew == false)
        #expect(try hub.durableImage().sessions.values.first?.identity.expiry == hub.time - 20_000 + 3_600_000)
    }
}

struct LeaseAnswer: Equatable {
    var expires: Int64
    var ttl: Int64
    var isNew: Bool
}

extension CallAnswer {
    /// What is told of a lease that lasts.
    var lease: LeaseAnswer? {
        guard case .lease(let expires, let ttl, let isNew) = self else { return nil }
        return LeaseAnswer(expires: expires, ttl: ttl, isNew: isNew)
    }
}
