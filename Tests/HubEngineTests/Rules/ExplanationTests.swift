import HubEngine
import TestSupport
import Testing

@Suite("Telling why rules denied something")
struct ExplanationTests {
    private func debugging(_ scene: RulesScene, _ claims: String) -> EngineHarness.Device {
        let device = scene.hub.connect()
        device.request("auth", #"{"cred":"\#(UnsignedTokens.token(claims))"}"#)
        _ = device.takeReceived()
        return device
    }

    private let rules =
        #"{"users":{"$uid":{".read":"auth.uid == $uid && auth.token.level > 3",".write":"auth.uid == $uid",".validate":"newData.hasChildren(['name'])"}}}"#

    @Test("names the rule, its place in the file, the wildcards, and the values of what decided")
    func text() throws {
        let scene = try RulesScene(rules)
        let device = debugging(scene, #"{"sub":"bob","iat":0,"debug":true,"level":7,"card":"4111"}"#)
        device.request("g", #"{"p":"/users/ada","q":{}}"#)
        device.request("p", #"{"p":"/users/bob","d":{"nick":"b"}}"#)
        let told = device.takeReceived().filter { $0.contains(#""a":"sd""#) }
        #expect(told.count == 2)
        for part in ["read /users/ada", "$uid = 'ada'", "auth.uid == $uid", "'bob'"] {
            #expect(told.first?.contains(part) == true, "\(part) in \(told)")
        }
        for part in ["write /users/bob", ".validate", "newData.hasChildren"] {
            #expect(told.last?.contains(part) == true, "\(part) in \(told)")
        }
    }

    @Test("tells nothing of the token's claims but `uid` and `provider`")
    func secrets() throws {
        let scene = try RulesScene(#"{"x":{".read":"auth.token.card == 'none'"}}"#)
        let device = debugging(scene, #"{"sub":"bob","iat":0,"debug":true,"card":"4111"}"#)
        device.request("g", #"{"p":"/x","q":{}}"#)
        let told = device.takeReceived()
        #expect(told.contains { $0.contains(#""a":"sd""#) } && !told.contains { $0.contains("4111") }, "\(told)")
    }

    @Test("is for those who asked: a claim in --dev, an administrator's authvar; in production no token can ask")
    func whoAsked() throws {
        let asked = #"{"sub":"bob","iat":0,"debug":true}"#
        for (mode, action, body, isTold) in [
            (Authenticator.Mode.development, "auth", #"{"cred":"\#(UnsignedTokens.token(asked))"}"#, true),
            (.development, "auth", #"{"cred":"\#(UnsignedTokens.user("bob"))"}"#, false),
            (.development, "gauth", #"{"cred":"owner","authvar":{"uid":"bob"}}"#, false),
            (.production, "gauth", #"{"cred":"s3cret","authvar":{"uid":"bob","debug":true}}"#, true),
            (.production, "gauth", #"{"cred":"s3cret","authvar":{"uid":"bob","token":{"debug":true}}}"#, true),
            (.production, "auth", #"{"cred":"\#(UnsignedTokens.token(asked))"}"#, false),
        ] {
            let scene = try RulesScene("{}", mode: mode)
            let device = scene.hub.connect()
            device.request(action, body)
            device.request("g", #"{"p":"/x","q":{}}"#)
            #expect(device.takeReceived().contains { $0.contains(#""a":"sd""#) } == isTold, "\(mode) \(body)")
        }
    }

    @Test("a listen that is lost is explained too")
    func lostListen() throws {
        let scene = try RulesScene(
            #"{"x":{".read":"root.child('open').val() == true"},"open":{".write":true}}"#, data: #"{"open":true}"#)
        let device = debugging(scene, #"{"sub":"bob","iat":0,"debug":true}"#)
        device.request("q", #"{"p":"/x","h":""}"#)
        _ = device.takeReceived()
        scene.stranger().request("p", #"{"p":"/open","d":false}"#)
        let told = device.takeReceived()
        #expect(told.count == 2 && told[0].contains("root.child('open')") && told[1].contains(#""a":"c""#), "\(told)")
    }

    @Test("hostile claims and paths cannot make an explanation that is no message")
    func hostile() throws {
        let scene = try RulesScene(#"{"$a":{".read":"auth.uid.contains($a) && auth.token[$a].length > 3"}}"#)
        let device = debugging(scene, #"{"sub":"\"\\\u0000\ud83d\ude00","iat":0,"debug":true,"a\"b":"x"}"#)
        for path in [#"a\"b"#, "\u{1F600}", String(repeating: "x", count: 700)] {
            device.request("g", #"{"p":"/\#(path)","q":{}}"#)
        }
        let told = device.takeReceived()
        #expect(told.count == 6)
        for text in told { #expect(throws: Never.self) { try DeviceMessage(text) } }
    }
}
