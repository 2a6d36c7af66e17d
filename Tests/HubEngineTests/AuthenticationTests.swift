import DataTree
import HubEngine
import TestSupport
import Testing
import WireProtocol

/// Who a client is, and what becomes of its listens and registrations when that changes.
@Suite("Signing in")
struct AuthenticationTests {
    let hub = EngineHarness()
    var now: Int64 { hub.time / 1000 }

    private func token(_ claims: String) -> String { UnsignedTokens.token(claims) }

    @Test("an unsigned token signs in: the answer names the user, the provider, the claims and the end")
    func signIn() {
        let ada = hub.connect()
        let claims = #"{"sub":"ada","iat":\#(now),"exp":\#(now + 3600),"firebase":{"sign_in_provider":"password"}}"#
        ada.request("auth", #"{"cred":"\#(token(claims))"}"#)
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":{"auth":{"provider":"password","token":{"exp":\#(now + 3600),"firebase":{"sign_in_provider":"password"},"iat":\#(now),"sub":"ada"},"uid":"ada"},"expires":\#(now + 3600)}}}}"#
            ])
    }

    @Test("a mock user's token never expires", arguments: [#""iat":0,"exp":3600"#, #""exp":3600"#, #""iat":0"#])
    func mockUser(times: String) {
        let ada = hub.connect()
        ada.request("auth", #"{"cred":"\#(token(#"{"sub":"ada",\#(times)}"#))"}"#)
        #expect(ada.takeStatuses() == ["ok"])
        hub.advance(by: 10 * 365 * 86_400_000)
        #expect(ada.takeReceived() == [])
        #expect(hub.engine.nextDeadline == nil)
    }

    @Test("check 34: at its end a token is taken back once, and what was registered runs for the user all the same")
    func expiry() throws {
        let ada = hub.connect()
        ada.request("auth", #"{"cred":"\#(token(#"{"sub":"ada","iat":1,"exp":\#(now + 2)}"#))"}"#)
        ada.request("o", #"{"p":"/x","d":1}"#)
        _ = ada.takeReceived()
        hub.advance(by: 1999)
        #expect(ada.takeReceived() == [])
        #expect(hub.engine.nextDeadline == hub.time + 1)
        hub.advance(by: 1)
        #expect(ada.takePushes() == [#"ac /? "Auth token is expired.""#])
        hub.advance(by: 10_000)
        #expect(ada.takeReceived() == [])
        ada.close()
        #expect(hub.content.json == #"{"x":1}"#)
        #expect(try lastAuthor() == "ada")
    }

    @Test(
        "signing out, also after the token has expired, takes the identity from what was registered",
        arguments: [0, 5000])
    func signingOut(wait: Int64) throws {
        let ada = hub.connect()
        ada.request("auth", #"{"cred":"\#(token(#"{"sub":"ada","iat":1,"exp":\#(now + 2)}"#))"}"#)
        ada.request("o", #"{"p":"/x","d":1}"#)
        hub.advance(by: wait)
        ada.request("unauth", "{}")
        #expect(try hub.durableImage().sessions.values.map(\.identity) == [.anonymous])
        ada.close()
        #expect(try lastAuthor() == nil)
    }

    private func lastAuthor() throws -> String? {
        var author: String?
        for entry in hub.log {
            for case .commit(let commit) in try entry.withUnsafeBytes({ try LogEntry(decoding: $0) }).records {
                author = commit.author
            }
        }
        return author
    }

    @Test("a new token of the same user moves the end and pushes nothing")
    func refresh() {
        let ada = hub.connect()
        ada.request("q", #"{"p":"/x","h":""}"#)
        ada.request("auth", #"{"cred":"\#(token(#"{"sub":"ada","iat":1,"exp":\#(now + 2)}"#))"}"#)
        ada.request("auth", #"{"cred":"\#(token(#"{"sub":"ada","iat":1,"exp":\#(now + 20)}"#))"}"#)
        _ = ada.takeReceived()
        hub.advance(by: 5000)
        #expect(ada.takeReceived() == [])
        hub.advance(by: 15_000)
        #expect(ada.takePushes().count == 1)
    }

    @Test(
        "a credential that proves nothing is refused with a text, and the session stays who it was",
        arguments: [
            "", "x", "..", "...", "a.b.c", "owner ", "Owner", "e30.e30.", "bnVsbA.bnVsbA.",
            UnsignedTokens.token(#"{"sub":""}"#), UnsignedTokens.token(#"{"sub":5}"#), UnsignedTokens.token("[]"),
            UnsignedTokens.token(#"{".value":"x","sub":"ada"}"#), UnsignedTokens.token(#"{"sub":"ada""#),
            UnsignedTokens.token(#"{"sub":"ada"}"#, header: #"{"alg":"HS256"}"#),
            UnsignedTokens.token(#"{"sub":"ada"}"#) + "c2ln", UnsignedTokens.token(#"{"sub":"ada"}"#) + ".",
            UnsignedTokens.token(#"{"sub":"ada","iat":1,"exp":9223372036854775807}"#),
            UnsignedTokens.token(#"{"sub":"ada","iat":1,"exp":-9223372036854775808}"#),
            String(repeating: "A", count: 200_000), String(repeating: ".", count: 100_000),
            UnsignedTokens.token(#"{"sub":"\#(String(repeating: "u", count: 129))"}"#),
        ])
    func garbage(credential: String) throws {
        let ada = hub.connect()
        ada.signIn("ada")
        ada.request("o", #"{"p":"/x","d":1}"#)
        _ = ada.takeReceived()
        ada.request("auth", #"{"cred":"\#(credential)"}"#)
        let message = try #require(ada.takeReceived().first.map { try DeviceMessage($0) })
        guard case .response(let response) = message else {
            Issue.record("no answer")
            return
        }
        #expect(response.status == "invalid_token" || response.status == "expired_token")
        #expect(response.payload.hasPrefix("\"") && response.payload.count > 20)
        ada.close()
        #expect(try lastAuthor() == "ada")
    }

    @Test("an expired token is told from a bad one, with both times")
    func expired() {
        let ada = hub.connect()
        ada.request("auth", #"{"cred":"\#(token(#"{"sub":"ada","iat":1,"exp":\#(now)}"#))"}"#)
        #expect(
            ada.takeReceived() == [
                #"{"t":"d","d":{"r":1,"b":{"s":"expired_token","d":"The token expired at 1767225600 (seconds since 1970); the server's time is 1767225600. Sign in again or refresh it."}}}"#
            ])
    }

    @Test(
        "claims may hold anything that is JSON, and come back as they are, also after a restart",
        arguments: [
            #"{"sub":"ada","a/b":1,"":2,"x.y":3,"$z":4}"#, #"{"sub":"ada","list":[1,null,"x",[true]]}"#,
            #"{"sub":"ada","deep":\#(String(repeating: #"{"d":"#, count: 25))1\#(String(repeating: "}", count: 25))}"#,
            #"{"sub":"ada","t":{".sv":"timestamp"},"p":{".value":1,".priority":2}}"#,
            #"{"sub":"ada","big":1e300,"huge":123456789012345678901234567890,"neg":-0}"#,
            #"{"sub":"é\u0301\ud83d\ude00","\u0000":"\u0000"}"#,
        ])
    func hostileClaims(claims: String) throws {
        let ada = hub.connect()
        ada.request("auth", #"{"cred":"\#(token(claims))"}"#)
        #expect(ada.takeStatuses() == ["ok"])
        ada.request("o", #"{"p":"/x","d":1}"#)
        let identity = try #require(try hub.durableImage().sessions.values.first?.identity)
        let direct = try Authenticator(mode: .development, administratorSecret: nil)
            .identity(
                for: Credential(kind: .auth, token: token(claims), authVariable: nil, noAuth: false), now: hub.time)
        #expect(identity == direct)
        try hub.crash()
        #expect(hub.content.json == #"{"x":1}"#)
    }

    @Test("an administrator may act as somebody or as nobody")
    func overrides() throws {
        let admin = hub.connect()
        admin.request("gauth", #"{"cred":"owner"}"#)
        admin.request("gauth", #"{"cred":"owner","authvar":{"uid":"x","level":{"a.b":1}}}"#)
        admin.request("gauth", #"{"cred":"owner","noauth":true}"#)
        #expect(
            admin.takeReceived() == [
                #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":{"auth":null}}}}"#,
                #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":{"auth":{"level":{"a.b":1},"uid":"x"}}}}}"#,
                #"{"t":"d","d":{"r":3,"b":{"s":"ok","d":{"auth":null}}}}"#,
            ])
    }
}
