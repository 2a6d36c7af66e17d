import HubEngine
import TestSupport
import Testing

/// A database without rules in production: nobody but the administrator may do anything.
@Suite("A locked database")
struct LockedDatabaseTests {
    let hub = EngineHarness(mode: .production, defaultRules: .locked, secret: "s3cret", presence: "online")

    private func administrator() -> EngineHarness.Device {
        let device = hub.connect()
        device.request("auth", #"{"cred":"s3cret"}"#)
        _ = device.takeReceived()
        return device
    }

    @Test(
        "everything is refused to everybody else",
        arguments: [
            ("q", #"{"p":"/","h":""}"#), ("q", #"{"p":"/x","h":"","q":{"l":1,"vf":"l"},"t":1}"#),
            ("g", #"{"p":"/x","q":{}}"#),
            ("q", #"{"p":"/online/stats","h":""}"#), ("g", #"{"p":"/online","q":{}}"#),
            ("p", #"{"p":"/x","d":1}"#), ("p", #"{"p":"/x/.priority","d":1}"#), ("m", #"{"p":"/","d":{"x":1}}"#),
            ("o", #"{"p":"/x","d":1}"#), ("om", #"{"p":"/","d":{"x":1}}"#), ("p", #"{"p":"/x","d":1,"h":""}"#),
        ])
    func refused(action: String, body: String) {
        let stranger = hub.connect()
        stranger.request(action, body)
        #expect(
            stranger.takeReceived() == [#"{"t":"d","d":{"r":1,"b":{"s":"permission_denied","d":"Permission denied"}}}"#]
        )
        administrator().request("p", #"{"p":"/x","d":7}"#)
        #expect(stranger.takeReceived() == [])
        stranger.close()
        #expect(hub.content.json == #"{"x":7}"#)
    }

    @Test("a stranger's transaction is told nothing of the value that he may not read")
    func hash() {
        let stranger = hub.connect()
        administrator().request("p", #"{"p":"/x","d":7}"#)
        stranger.request("p", #"{"p":"/x","d":1,"h":""}"#)
        #expect(stranger.takeStatuses() == ["permission_denied"])
    }

    @Test("only the secret counts", arguments: ["owner", "s3cre", "s3crets", "S3cret", "", "s3cret\\u0000"])
    func credentials(credential: String) {
        let device = hub.connect()
        device.request("gauth", #"{"cred":"\#(credential)"}"#)
        device.request("auth", #"{"cred":"\#(UnsignedTokens.user("ada"))"}"#)
        device.request("g", #"{"p":"/","q":{}}"#)
        #expect(device.takeStatuses() == ["invalid_token", "invalid_token", "permission_denied"])
    }

    @Test("`owner` counts on the administrators' listener, and only there")
    func administratorsListener() {
        let inside = hub.connect(isAdministrative: true)
        inside.request("gauth", #"{"cred":"owner"}"#)
        inside.request("g", #"{"p":"/","q":{}}"#)
        #expect(inside.takeStatuses() == ["ok", "ok"])
    }

    @Test("without a secret, nothing is the secret")
    func noSecret() {
        for secret in [nil, ""] {
            let hub = EngineHarness(mode: .production, defaultRules: .locked, secret: secret)
            let device = hub.connect()
            device.request("auth", #"{"cred":""}"#)
            #expect(device.takeStatuses() == ["invalid_token"])
        }
    }

    @Test("check 35: signing out revokes every listen once, each with its query as the client wrote it")
    func revoked() {
        let admin = administrator()
        admin.request("p", #"{"p":"/x","d":{"a":1,"b":2}}"#)
        admin.request("q", #"{"p":"/x","h":""}"#)
        admin.request("q", #"{"p":"/x","h":"","q":{"vf":"l","l":1,"i":".key"},"t":4}"#)
        admin.request("q", #"{"p":"/y","h":""}"#)
        admin.request("n", #"{"p":"/y"}"#)
        _ = admin.takeReceived()
        admin.request("unauth", "{}")
        #expect(
            admin.takeReceived() == [
                #"{"t":"d","d":{"r":7,"b":{"s":"ok","d":""}}}"#,
                #"{"t":"d","d":{"a":"c","b":{"p":"x"}}}"#,
                #"{"t":"d","d":{"a":"c","b":{"p":"x","q":[{"vf":"l","l":1,"i":".key"}]}}}"#,
            ])
        administrator().request("p", #"{"p":"/x","d":1}"#)
        #expect(admin.takeReceived() == [])
    }

    @Test("what an administrator registered and then signed out of is not carried out")
    func registeredBefore() {
        let admin = administrator()
        admin.request("o", #"{"p":"/x","d":1}"#)
        admin.request("unauth", "{}")
        admin.close()
        #expect(hub.content.json == "null")
    }

    @Test("nor is it when the hub is killed, and what he did not sign out of is")
    func registeredAndKilled() throws {
        let out = administrator()
        out.request("o", #"{"p":"/x","d":1}"#)
        out.request("unauth", "{}")
        administrator().request("o", #"{"p":"/y","d":1}"#)
        try hub.crash()
        #expect(hub.content.json == #"{"y":1}"#)
    }

    @Test("a failed sign-in leaves listens and identity alone")
    func failedSignIn() {
        let admin = administrator()
        admin.request("q", #"{"p":"/x","h":""}"#)
        admin.request("auth", #"{"cred":"wrong"}"#)
        _ = admin.takeReceived()
        admin.request("p", #"{"p":"/x","d":1}"#)
        #expect(admin.takeReceived().count == 2)
    }
}
