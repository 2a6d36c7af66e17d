import HubEngine
import TestSupport
import Testing

@Suite("Reads under rules")
struct ReadRulesTests {
    @Test("are allowed or denied by the identity, listens and gets alike")
    func identity() throws {
        let scene = try RulesScene(RuleSets.owners, data: #"{"users":{"ada":1,"bob":2}}"#)
        let ada = scene.user("ada")
        for path in ["/users/ada", "/users/bob", "/users", "/"] {
            ada.request("q", #"{"p":"\#(path)","h":""}"#)
            ada.request("g", #"{"p":"\#(path)","q":{}}"#)
        }
        #expect(
            ada.takeStatuses() == ["ok", "ok"] + Array(repeating: "permission_denied", count: 6))
        scene.administrator().request("p", #"{"p":"/users/bob","d":3}"#)
        #expect(ada.takeReceived() == [])
        scene.administrator().request("p", #"{"p":"/users/ada","d":3}"#)
        #expect(ada.takePushes() == ["d /users/ada 3"])
    }

    @Test("may depend on the query")
    func queries() throws {
        let scene = try RulesScene(
            #"{"feed":{".read":"query.limitToLast <= 10 && query.orderByChild == 'at'",".indexOn":"at"}}"#,
            data: #"{"feed":{"a":{"at":1}}}"#)
        let stranger = scene.stranger()
        for query in [
            #"{"l":10,"vf":"r","i":"at"}"#, #"{"l":11,"vf":"r","i":"at"}"#, #"{"l":10,"vf":"r","i":"by"}"#, "{}",
        ] {
            stranger.request("g", #"{"p":"/feed","q":\#(query)}"#)
            stranger.request("q", #"{"p":"/feed","h":"","q":\#(query),"t":7}"#)
            stranger.request("n", #"{"p":"/feed","q":\#(query),"t":7}"#)
        }
        let denied = ["permission_denied", "permission_denied", "ok"]
        #expect(stranger.takeStatuses() == ["ok", "ok", "ok"] + denied + denied + denied)
    }

    @Test("check 92: a listen over an index that the rules do not declare is served, with a warning; a get is refused")
    func indexes() throws {
        let scene = try RulesScene(
            #"{"d":{".read":true,".indexOn":["at","a/b"]},"v":{".read":true,".indexOn":".value"}}"#,
            data: #"{"d":{"x":{"at":1,"by":2},"y":{"at":2,"by":1}},"v":{"x":1,"y":2}}"#)
        let stranger = scene.stranger()
        func listen(_ path: String, _ index: String) -> String? {
            stranger.request("q", #"{"p":"\#(path)","h":"","q":{"l":1,"vf":"l","i":"\#(index)"},"t":1}"#)
            return stranger.takeReceived().last
        }
        func get(_ path: String, _ index: String) -> String? {
            stranger.request("g", #"{"p":"\#(path)","q":{"l":1,"vf":"l","i":"\#(index)"}}"#)
            return stranger.takeReceived().last
        }
        for (path, index) in [("/d", "at"), ("/d", "a/b"), ("/v", ".value"), ("/d", ".key"), ("/d", ".priority")] {
            #expect(listen(path, index)?.contains(#""s":"ok","d":{}"#) == true, "\(path) \(index)")
            #expect(get(path, index)?.contains(#""s":"ok""#) == true, "\(path) \(index)")
        }
        #expect(listen("/d", "by")?.contains(#""d":{"w":["no_index"]}"#) == true)
        #expect(listen("/v", "at")?.contains(#""d":{"w":["no_index"]}"#) == true)
        #expect(
            get("/d", "by")?.contains(
                #""d":"Index not defined, add \".indexOn\": \"by\", for path \"/d\", to the rules""#) == true)
        // What is not declared is filtered all the same.
        stranger.request("q", #"{"p":"/d","h":"","q":{"l":1,"vf":"l","i":"by"},"t":9}"#)
        #expect(stranger.takePushes() == [#"d /d #9 {"y":{"at":2,"by":1}}"#])
    }

    @Test("an administrator is asked for indexes too, and who may not read learns nothing of them")
    func indexOrder() throws {
        let scene = try RulesScene(RuleSets.owners, data: #"{"users":{"ada":{"x":1}}}"#)
        for (device, status) in [(scene.administrator(), "invalid_query"), (scene.stranger(), "permission_denied")] {
            device.request("g", #"{"p":"/users/ada","q":{"l":1,"vf":"l","i":"x"}}"#)
            #expect(device.takeStatuses() == [status])
        }
    }

    @Test("rules that nobody wrote ask for no index")
    func noRules() {
        let hub = EngineHarness()
        let device = hub.connect()
        device.request("p", #"{"p":"/d","d":{"x":{"at":1}}}"#)
        _ = device.takeReceived()
        device.request("g", #"{"p":"/d","q":{"l":1,"vf":"l","i":"at"}}"#)
        device.request("q", #"{"p":"/d","h":"","q":{"l":1,"vf":"l","i":"at"},"t":1}"#)
        #expect(device.takeReceived().filter { $0.contains("no_index") || !$0.contains(#""d""#) } == [])
    }
}
