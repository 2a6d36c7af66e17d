import HubEngine
import TestSupport
import Testing
import WireProtocol

/// The presence node follows sessions and whom they act for.
@Suite("Presence")
struct PresenceTests {
    let hub = EngineHarness(presence: "online")

    @Test("a user who signs in appears with since, transport and agent, and in the numbers")
    func join() {
        let ada = hub.connect(agent: "Firebase/5/ada")
        let observer = hub.connect()
        observer.request("q", #"{"p":"/online","h":""}"#)
        _ = observer.takeReceived()
        ada.signIn("ada")
        #expect(
            observer.takePushes() == [
                #"d /online/users/ada/connections/c1 {"agent":"Firebase/5/ada","since":1767225600000,"transport":"websocket"}"#,
                #"d /online/stats {"connections":1,"users":1}"#,
            ])
    }

    @Test("one user with three tabs is one user, and the last tab that closes is the last visit")
    func tabs() {
        let tabs = (0..<3).map { _ in hub.connect() }
        for tab in tabs { tab.signIn("ada") }
        let observer = hub.connect()
        hub.advance(by: 1000)
        #expect(observer.get("/online/stats") == #"{"connections":3,"users":1}"#)
        tabs[0].close()
        tabs[1].close(.timedOut)
        #expect(observer.get("/online/lastSeen") == "null")
        hub.advance(by: 1000)
        #expect(observer.get("/online/stats") == #"{"connections":1,"users":1}"#)
        tabs[2].close(.connectionLost)
        #expect(observer.get("/online/lastSeen/ada") == #"{"at":1767225602000,"reason":"connection lost"}"#)
        #expect(observer.get("/online/users") == "null")
    }

    @Test(
        "the last visit says why it ended",
        arguments: [
            LeaveReason.closedByClient, .connectionLost, .timedOut, .kicked, .tooSlow, .protocolError, .disabled,
            .leaseExpired, .serverStopping,
        ])
    func reasons(reason: LeaveReason) {
        let ada = hub.connect()
        ada.signIn("ada")
        ada.close(reason)
        #expect(hub.connect().get("/online/lastSeen/ada/reason") == #""\#(reason.rawValue)""#)
    }

    @Test("leaving is one message: the connection goes and the last visit comes")
    func leaveIsOneMessage() {
        let ada = hub.connect()
        ada.signIn("ada")
        let observer = hub.connect()
        observer.request("q", #"{"p":"/online/lastSeen","h":""}"#)
        observer.request("q", #"{"p":"/online","h":""}"#)
        _ = observer.takeReceived()
        ada.close()
        hub.advance(by: 1000)
        #expect(
            observer.takePushes() == [
                #"m /online {"lastSeen/ada":{"at":1767225600000,"reason":"closed by client"},"users/ada/connections/c1":null}"#,
                #"d /online/lastSeen/ada {"at":1767225600000,"reason":"closed by client"}"#,
                #"d /online/stats {"connections":0,"users":0}"#,
            ])
    }

    @Test("U24: a refreshed token is neither a leave nor a join")
    func refresh() {
        let ada = hub.connect()
        ada.signIn("ada")
        let observer = hub.connect()
        observer.request("q", #"{"p":"/online","h":""}"#)
        _ = observer.takeReceived()
        ada.request("auth", #"{"cred":"\#(UnsignedTokens.token(#"{"sub":"ada","iat":0,"fresh":true}"#))"}"#)
        hub.advance(by: 1000)
        #expect(observer.takeReceived() == [])
    }

    @Test("signing in as another and signing out move the connection")
    func otherUser() {
        let device = hub.connect()
        let observer = hub.connect()
        device.signIn("ada")
        device.signIn("bob")
        #expect(observer.get("/online/users/ada") == "null")
        #expect(observer.get("/online/users/bob/connections") != "null")
        #expect(observer.get("/online/lastSeen/ada/reason") == #""closed by client""#)
        device.request("unauth", "{}")
        hub.advance(by: 1000)
        #expect(observer.get("/online/users") == "null")
        #expect(observer.get("/online/stats") == #"{"connections":0,"users":0}"#)
    }

    @Test(
        "a user whose token expired and who then signs out, or in as another, leaves no ghost", arguments: [nil, "bob"])
    func noGhostAfterExpiry(next: String?) {
        let device = hub.connect()
        let observer = hub.connect()
        let now = hub.time / 1000
        device.request("auth", #"{"cred":"\#(UnsignedTokens.token(#"{"sub":"ada","iat":1,"exp":\#(now + 5)}"#))"}"#)
        hub.advance(by: 6000)
        if let next { device.signIn(next) } else { device.request("unauth", "{}") }
        #expect(observer.get("/online/users/ada") == "null")
        device.close()
        hub.advance(by: 1000)
        #expect(observer.get("/online/users") == "null")
        #expect(observer.get("/online/stats") == #"{"connections":0,"users":0}"#)
    }

    @Test("U45: ten reloads in five seconds never show more than one connection or a second user")
    func reloads() {
        let observer = hub.connect()
        var page = hub.connect()
        page.signIn("ada")
        for _ in 0..<10 {
            page = hub.connect(lastSession: page.session)
            page.signIn("ada")
            hub.advance(by: 500)
            #expect(observer.get("/online/stats") == #"{"connections":1,"users":1}"#)
        }
    }

    @Test("the numbers change at most five times a second and end up right")
    func coalesced() {
        let observer = hub.connect()
        observer.request("q", #"{"p":"/online/stats","h":""}"#)
        _ = observer.takeReceived()
        var pushes = 0
        for index in 0..<100 {
            hub.connect().signIn("user\(index)")
            hub.advance(by: 10)
            pushes += observer.takePushes().count
        }
        #expect(pushes <= 6)
        hub.advance(by: 200)
        #expect(observer.get("/online/stats") == #"{"connections":100,"users":100}"#)
        #expect(hub.engine.nextDeadline == nil)
    }

    @Test(
        "a user id with characters that keys cannot have is shown under a key of its own",
        arguments: [
            ("a.b", "a%2Eb"), ("a#$[]/", "a%23%24%5B%5D%2F"), ("50%", "50%25"), ("é", "é"), ("\u{1}\u{7F}", "%01%7F"),
        ])
    func forbiddenCharacters(uid: String, key: String) {
        let device = hub.connect()
        device.signIn(uid)
        #expect(hub.connect().get("/online/users/\(key)/connections/c1/transport") == #""websocket""#)
        device.close()
        #expect(hub.connect().get("/online/lastSeen/\(key)/reason") == #""closed by client""#)
    }

    @Test("the administrator and nobody are not shown")
    func notShown() {
        hub.connect().request("gauth", #"{"cred":"owner"}"#)
        hub.connect().request("gauth", #"{"cred":"owner","authvar":{"uid":""}}"#)
        hub.connect().request("gauth", #"{"cred":"owner","noauth":true}"#)
        #expect(hub.connect().get("/online/users") == "null")
    }

    @Test("the newest last visits are kept, those who left longest ago are forgotten")
    func bounded() throws {
        var limits = Limits()
        limits.rememberedLastSeen = 3
        let hub = EngineHarness(presence: "online", limits: limits)
        for uid in ["a", "b", "c", "a", "d"] {
            let device = hub.connect()
            device.signIn(uid)
            hub.advance(by: 10)
            device.close()
        }
        #expect(
            try hub.connect().get("/online/lastSeen", query: #"{"i":".key"}"#).map { try keys($0) } == ["a", "c", "d"])
        try hub.crash()
        #expect(
            try hub.connect().get("/online/lastSeen", query: #"{"i":".key"}"#).map { try keys($0) } == ["a", "c", "d"])
    }

    @Test("a hub that was killed has nobody online and knows whose visit it cut short")
    func killed() throws {
        hub.connect().signIn("ada")
        hub.connect().signIn("ada")
        hub.advance(by: 5000)
        try hub.crash()
        let observer = hub.connect()
        #expect(observer.get("/online/users") == "null")
        #expect(observer.get("/online/stats") == #"{"connections":0,"users":0}"#)
        #expect(observer.get("/online/lastSeen/ada") == #"{"at":1767225605000,"reason":"hub restarted"}"#)
    }
}
