import DataTree
import HubEngine
import TestSupport
import Testing

@Suite("Writes under rules")
struct WriteRulesTests {
    static let denied = #"{"t":"d","d":{"r":2,"b":{"s":"permission_denied","d":"Permission denied"}}}"#

    @Test(
        "are allowed or denied by the identity that the session has proved",
        arguments: [
            ("p", #"{"p":"/users/ada","d":1}"#, "ok"), ("p", #"{"p":"/users/bob","d":1}"#, "permission_denied"),
            ("p", #"{"p":"/users","d":1}"#, "permission_denied"), ("p", #"{"p":"/","d":null}"#, "permission_denied"),
            ("p", #"{"p":"/users/ada/x/y","d":1}"#, "ok"), ("p", #"{"p":"/users/ada/.priority","d":1}"#, "ok"),
            ("p", #"{"p":"/users/bob/.priority","d":1}"#, "permission_denied"),
            ("m", #"{"p":"/users/ada","d":{"a":1,"b/c":2}}"#, "ok"),
            ("m", #"{"p":"/users/bob","d":{}}"#, "permission_denied"), ("m", #"{"p":"/users/ada","d":{}}"#, "ok"),
            ("o", #"{"p":"/users/ada/gone","d":1}"#, "ok"), ("o", #"{"p":"/users/bob","d":1}"#, "permission_denied"),
            ("om", #"{"p":"/users","d":{"ada/a":1,"bob/b":1}}"#, "permission_denied"),
        ])
    func identity(action: String, body: String, status: String) throws {
        let scene = try RulesScene(RuleSets.owners, data: #"{"users":{"ada":{"x":0},"bob":{"x":0}}}"#)
        let ada = scene.user("ada")
        ada.request(action, body)
        #expect(ada.takeStatuses() == [status])
    }

    @Test("check 55: one path of a merge denied, and nothing of it is written or told")
    func merge() throws {
        let scene = try RulesScene(RuleSets.owners, data: #"{"users":{"ada":0,"bob":0}}"#)
        let watcher = scene.administrator()
        watcher.request("q", #"{"p":"/","h":""}"#)
        _ = watcher.takeReceived()
        let ada = scene.user("ada")
        ada.request("m", #"{"p":"/users","d":{"ada":1,"bob":1}}"#)
        #expect(ada.takeReceived() == [Self.denied])
        #expect(watcher.takeReceived() == [])
        #expect(scene.json == #"{"users":{"ada":0,"bob":0}}"#)
    }

    @Test("see all of a merge applied: one place may demand another")
    func mergeTogether() throws {
        let scene = try RulesScene(
            #"""
            {"names":{"$name":{".write":"newData.parent().parent().child('users/' + auth.uid).val() == $name"}},
             "users":{"$uid":{".write":"auth.uid == $uid"}}}
            """#)
        let ada = scene.user("ada")
        ada.request("p", #"{"p":"/names/lovelace","d":true}"#)
        ada.request("m", #"{"p":"/","d":{"names/lovelace":true,"users/ada":"lovelace"}}"#)
        #expect(ada.takeStatuses() == ["permission_denied", "ok"])
    }

    @Test("see server values filled in, with the time of the write")
    func serverValues() throws {
        let scene = try RulesScene(#"{"at":{".write":"newData.val() == now"}}"#)
        let stranger = scene.stranger()
        stranger.request("p", #"{"p":"/at","d":{".sv":"timestamp"}}"#)
        stranger.request("p", #"{"p":"/at","d":5}"#)
        #expect(stranger.takeStatuses() == ["ok", "permission_denied"])
    }

    @Test("that are denied leave no trace: no push, no log entry, no remembered write id")
    func noTrace() throws {
        let scene = try RulesScene(RuleSets.owners, data: #"{"users":{"ada":0}}"#)
        let entries = scene.hub.log.count
        let bob = scene.user("bob")
        let before = scene.hub.log.count
        bob.request("p", #"{"p":"/users/ada","d":1,"w":"one"}"#)
        bob.request("p", #"{"p":"/users/ada","d":1,"w":"one"}"#)
        #expect(bob.takeStatuses() == ["permission_denied", "permission_denied"])
        #expect(scene.hub.log.count == before && before >= entries)
        #expect(scene.json == #"{"users":{"ada":0}}"#)
    }

    @Test("checks 30 and 31: an administrator is above rules, and under them as `authvar` or `noauth` say")
    func administrator() throws {
        let scene = try RulesScene(RuleSets.owners)
        func statuses(_ credential: String) -> [String] {
            let device = scene.hub.connect()
            device.request("gauth", credential)
            device.request("p", #"{"p":"/users/ada","d":1}"#)
            device.request("p", #"{"p":"/users/bob","d":1}"#)
            device.request("g", #"{"p":"/users/ada","q":{}}"#)
            return device.takeStatuses()
        }
        #expect(statuses(#"{"cred":"owner"}"#) == ["ok", "ok", "ok", "ok"])
        #expect(statuses(#"{"cred":"owner","authvar":{"uid":"ada"}}"#) == ["ok", "ok", "permission_denied", "ok"])
        let denied = ["ok", "permission_denied", "permission_denied", "permission_denied"]
        #expect(statuses(#"{"cred":"owner","noauth":true}"#) == denied)
        // An empty object is somebody without properties, not a way around the rules.
        #expect(statuses(#"{"cred":"owner","authvar":{}}"#) == denied)
        // A mistake gives nobody an administrator's rights.
        for wrong in [#""noauth":"true""#, #""noauth":1"#, #""noauth":{}"#, #""authvar":"ada""#] {
            #expect(statuses(#"{"cred":"owner",\#(wrong)}"#) == ["invalid_data"] + denied.dropFirst())
        }
    }

    @Test("check 99: a transaction's hash counts before the rules, so that the optimistic first attempt is only stale")
    func hashFirst() throws {
        let scene = try RulesScene(
            #"{"counter":{".read":true,".write":"newData.val() == data.val() + 1"}}"#, data: #"{"counter":4}"#)
        let stranger = scene.stranger()
        stranger.request("p", #"{"p":"/counter","d":1,"h":""}"#)
        stranger.request("p", #"{"p":"/counter","d":5,"h":"\#(Hashes.number(4))"}"#)
        #expect(stranger.takeStatuses() == ["datastale", "ok"])
    }

    @Test("who may not read a place cannot try out its value with hashes")
    func hashOfTheUnreadable() throws {
        let scene = try RulesScene(
            #"{"secret":{".write":"auth.uid == 'ada'"}}"#, data: #"{"secret":4}"#)
        let stranger = scene.stranger()
        for hash in ["", Hashes.number(4), Hashes.number(5)] {
            stranger.request("p", #"{"p":"/secret","d":1,"h":"\#(hash)"}"#)
        }
        #expect(stranger.takeStatuses() == Array(repeating: "permission_denied", count: 3))
        #expect(scene.json == #"{"secret":4}"#)
    }
}

private enum Hashes {
    /// The hash of a leaf without priority.
    static func number(_ value: Int) -> String { Node(leaf: .integer(Int64(value))).hash() }
}
