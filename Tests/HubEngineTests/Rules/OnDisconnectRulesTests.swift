import HubEngine
import TestSupport
import Testing

@Suite("onDisconnect under rules")
struct OnDisconnectRulesTests {
    @Test("check 112: what rules deny at registration is refused and never runs")
    func registration() throws {
        let scene = try RulesScene(RuleSets.owners)
        let ada = scene.user("ada")
        ada.request("o", #"{"p":"/users/bob","d":1}"#)
        ada.request("om", #"{"p":"/users","d":{"ada":1,"bob":2}}"#)
        #expect(ada.takeStatuses() == ["permission_denied", "permission_denied"])
        ada.close()
        #expect(scene.json == "null")
    }

    @Test("check 111: each operation is judged again when it runs, on what the one before it left")
    func execution() throws {
        let scene = try RulesScene(
            #"{"a":{".write":"root.child('open').val() == true"},"b":{".write":true},"#
                + #""c":{".write":"!root.child('b').exists()"},"open":{".write":true}}"#,
            data: #"{"open":true}"#)
        let ada = scene.user("ada")
        for path in ["a", "b", "c"] { ada.request("o", #"{"p":"/\#(path)","d":1}"#) }
        #expect(ada.takeStatuses() == ["ok", "ok", "ok"])
        let other = scene.stranger()
        other.request("p", #"{"p":"/open","d":false}"#)
        ada.close()
        // `a` was shut meanwhile; `b` runs, and with it there `c` is shut.
        #expect(scene.json == #"{"b":1,"open":false}"#)
    }

    @Test("runs for whom the session was proved to act last: a user whose token expired, nobody who signed out")
    func identity() throws {
        let scene = try RulesScene(RuleSets.owners)
        let ada = scene.hub.connect()
        let seconds = scene.hub.time / 1000
        let token = UnsignedTokens.token(#"{"sub":"ada","iat":\#(seconds),"exp":\#(seconds + 60)}"#)
        ada.request("auth", #"{"cred":"\#(token)"}"#)
        ada.request("o", #"{"p":"/users/ada","d":"left"}"#)
        scene.hub.advance(by: 61_000)
        ada.close(.connectionLost)
        #expect(scene.json == #"{"users":{"ada":"left"}}"#)
        let bob = scene.user("bob")
        bob.request("o", #"{"p":"/users/bob","d":"left"}"#)
        bob.request("unauth", "{}")
        bob.close(.connectionLost)
        #expect(scene.json == #"{"users":{"ada":"left"}}"#)
    }

    @Test("after a crash the rules of the last run, and the identity that the log knows, decide")
    func crash() throws {
        let scene = try RulesScene(RuleSets.owners)
        scene.user("ada").request("o", #"{"p":"/users/ada","d":"left"}"#)
        scene.user("bob").request("o", #"{"p":"/users/bob","d":"left"}"#)
        _ = try scene.hub.changeRules(#"{"rules":{"users":{"bob":{".write":"auth.uid == 'bob'"}}}}"#)
        scene.hub.configuration.rules = nil
        try scene.hub.crash()
        #expect(scene.json == #"{"users":{"bob":"left"}}"#)
    }
}
