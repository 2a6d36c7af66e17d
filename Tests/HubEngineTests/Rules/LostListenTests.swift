import DataTree
import HubEngine
import TestSupport
import Testing

@Suite("Listens that lose their permission")
struct LostListenTests {
    private func listening(_ scene: RulesScene, _ uid: String, _ path: String) -> EngineHarness.Device {
        let device = scene.user(uid)
        device.request("q", #"{"p":"\#(path)","h":""}"#)
        #expect(device.takeStatuses() == ["ok"])
        return device
    }

    @Test(
        "check 35: signing out takes back what is not everybody's; a filtered listen is named by its query, in a list")
    func signingOut() throws {
        let scene = try RulesScene(
            #"{"all":{".read":true},"mine":{".read":"auth != null",".indexOn":"x"}}"#, data: #"{"mine":{"a":{"x":1}}}"#)
        let ada = listening(scene, "ada", "/mine")
        ada.request("q", #"{"p":"/all","h":""}"#)
        ada.request("q", #"{"p":"/mine","h":"","q":{"l":1,"vf":"l","i":"x"},"t":5}"#)
        _ = ada.takeReceived()
        ada.request("unauth", "{}")
        #expect(
            ada.takeReceived().dropFirst() == [
                #"{"t":"d","d":{"a":"c","b":{"p":"mine"}}}"#,
                #"{"t":"d","d":{"a":"c","b":{"p":"mine","q":[{"l":1,"vf":"l","i":"x"}]}}}"#,
            ])
        scene.administrator().request("m", #"{"p":"/","d":{"mine/b":2,"all":3}}"#)
        #expect(ada.takePushes() == ["d /all 3"])
    }

    @Test("another user's sign-in takes back what was the first one's")
    func otherUser() throws {
        let scene = try RulesScene(RuleSets.owners)
        let device = listening(scene, "ada", "/users/ada")
        device.signIn("bob")
        #expect(device.takePushes().map { $0.prefix(12) } == ["c /users/ada"])
    }

    @Test("new rules take back what they no longer allow, before the answer to the upload and before any further data")
    func newRules() throws {
        let scene = try RulesScene(#"{".read":true,".write":true}"#, data: #"{"a":1,"b":2}"#)
        let one = listening(scene, "ada", "/a")
        let two = listening(scene, "bob", "/b")
        scene.hub.durability = .held
        let answer = try scene.hub.changeRules(#"{"rules":{"b":{".read":true}}}"#)
        scene.hub.apply([])
        #expect(answer.result == nil)
        #expect(one.takeReceived() == [], "the rules are not durable yet")
        scene.hub.settle()
        #expect(answer.version == 2)
        #expect(one.takePushes().map { $0.prefix(4) } == ["c /a"])
        scene.hub.durability = .atOnce
        scene.administrator().request("m", #"{"p":"/","d":{"a":5,"b":6}}"#)
        #expect(one.takeReceived() == [])
        #expect(two.takePushes() == ["d /b 6"])
    }

    @Test("data that the rule read takes it back with the commit that changes it, and that commit is not told")
    func dataOfTheRule() throws {
        let scene = try RulesScene(
            RuleSets.rooms, data: #"{"rooms":{"r":{"m":1}},"members":{"r":{"ada":true,"bob":true}}}"#)
        let ada = listening(scene, "ada", "/rooms/r")
        let bob = listening(scene, "bob", "/rooms/r")
        let other = scene.user("bob")
        other.request("m", #"{"p":"/","d":{"members/r/ada":null,"rooms/r/m":2}}"#)
        #expect(ada.takePushes().map { $0.prefix(10) } == ["c /rooms/r"])
        #expect(bob.takePushes() == ["d /rooms/r/m 2"])
        other.request("p", #"{"p":"/members","d":null}"#)
        #expect(bob.takePushes().map { $0.prefix(10) } == ["c /rooms/r"])
        // Being a member again gives nothing back by itself: the client was told that it is over.
        other.request("p", #"{"p":"/members/r/ada","d":true}"#)
        other.request("p", #"{"p":"/rooms/r/m","d":3}"#)
        #expect(ada.takeReceived() == [])
    }

    @Test("a listen stays when another rule allows it after the change, and then depends on what that one read")
    func otherGrant() throws {
        let scene = try RulesScene(
            #"{"x":{".read":"root.child('open').val() == true || root.child('who').val() == auth.uid",".write":true},"#
                + #""open":{".write":true},"who":{".write":true}}"#,
            data: #"{"open":true}"#)
        let ada = listening(scene, "ada", "/x")
        let writer = scene.stranger()
        writer.request("p", #"{"p":"/who","d":"ada"}"#)
        writer.request("p", #"{"p":"/open","d":false}"#)
        writer.request("p", #"{"p":"/x","d":1}"#)
        #expect(ada.takePushes() == ["d /x 1"])
        writer.request("p", #"{"p":"/who","d":"bob"}"#)
        #expect(ada.takePushes().map { $0.prefix(4) } == ["c /x"])
    }

    @Test(
        "of many listens that one change concerns, each is judged by itself; those that stay are judged the next time")
    func someOfMany() throws {
        let scene = try RulesScene(
            #"{"x":{"$n":{".read":"root.child('least').val() <= root.child('level').child($n).val()"}},"#
                + #""least":{".write":true},"level":{".read":true}}"#,
            data: #"{"least":0,"level":{"a":1,"b":2,"c":3,"d":1,"e":2}}"#)
        let ada = scene.user("ada")
        let bob = scene.user("bob")
        for device in [ada, bob] {
            for place in ["x/d", "x/b", "level", "x/a", "x/c", "x/e"] {
                device.request("q", #"{"p":"/\#(place)","h":""}"#)
            }
            _ = device.takeReceived()
        }
        func lost(_ device: EngineHarness.Device) -> [String] {
            device.takePushes().map { String($0.prefix(6)) }
        }
        let writer = scene.stranger()
        writer.request("p", #"{"p":"/least","d":2}"#)
        #expect(lost(ada) == ["c /x/d", "c /x/a"])
        #expect(lost(bob) == ["c /x/d", "c /x/a"])
        scene.administrator().request("p", #"{"p":"/x","d":{"a":1,"b":1,"c":1,"d":1,"e":1}}"#)
        #expect(ada.takePushes() == ["d /x/b 1", "d /x/c 1", "d /x/e 1"])
        writer.request("p", #"{"p":"/least","d":3}"#)
        #expect(lost(bob) == ["d /x/b", "d /x/c", "d /x/e", "c /x/b", "c /x/e"])
        ada.request("n", #"{"p":"/x/c"}"#)
        _ = ada.takeReceived()
        writer.request("p", #"{"p":"/least","d":4}"#)
        #expect(lost(ada) == [])
        #expect(lost(bob) == ["c /x/c"])
        scene.administrator().request("p", #"{"p":"/level/a","d":9}"#)
        #expect(ada.takePushes() == ["d /level/a 9"])
    }

    @Test("a refused commit takes nothing away: what it took back is there again, windows included")
    func refused() throws {
        let scene = try RulesScene(
            #"{"rooms":{"$r":{".read":"root.child('members').hasChild(auth.uid)",".indexOn":"at"}},"members":{".write":true}}"#,
            data: #"{"rooms":{"r":{"a":{"at":1},"b":{"at":2}}},"members":{"ada":true,"bob":true}}"#)
        let ada = listening(scene, "ada", "/rooms/r")
        let bob = scene.user("bob")
        bob.request("q", #"{"p":"/rooms/r","h":"","q":{"l":1,"vf":"l","i":"at"},"t":4}"#)
        _ = bob.takeReceived()
        let writer = scene.stranger()
        scene.hub.durability = .held
        writer.request("p", #"{"p":"/members","d":null}"#)
        #expect(ada.takeReceived() == [])
        scene.hub.refuseHeld()
        scene.hub.durability = .atOnce
        #expect(writer.takeStatuses() == ["unavailable"])
        scene.administrator().request("p", #"{"p":"/rooms/r/0","d":{"at":0}}"#)
        #expect(ada.takePushes() == [#"d /rooms/r/0 {"at":0}"#])
        #expect(bob.takePushes() == [#"m /rooms/r #4 {"a":null,"0":{"at":0}}"#])
        // They still depend on the same data.
        writer.request("p", #"{"p":"/members/ada","d":null}"#)
        #expect(ada.takePushes().map { $0.prefix(10) } == ["c /rooms/r"])
        #expect(bob.takeReceived() == [])
        bob.close()
        ada.close()
        _ = try scene.hub.changeRules(#"{"rules":{}}"#)
        #expect(scene.hub.engine.listenPlaces == 0)
    }

    @Test("rules that are refused take nothing away, and are not in the history")
    func refusedRules() throws {
        let scene = try RulesScene(#"{".read":true}"#)
        let ada = listening(scene, "ada", "/a")
        scene.hub.durability = .held
        let answer = try scene.hub.changeRules(#"{"rules":{}}"#)
        scene.hub.refuseHeld("no space left")
        scene.hub.durability = .atOnce
        guard case .failure(.unavailable(let reason))? = answer.result else {
            Issue.record("\(String(describing: answer.result))")
            return
        }
        #expect(reason.contains("no space left"))
        #expect(scene.hub.rulesHistory.versions.count == 1)
        scene.administrator().request("p", #"{"p":"/a","d":1}"#)
        #expect(ada.takePushes() == ["d /a 1"])
    }

    @Test("a large listen that waits for its answer is judged once more when that is there")
    func waiting() throws {
        var limits = Limits()
        limits.inlineLeaves = 2
        let hub = EngineHarness(
            rules: try ConfiguredRules(
                Array(#"{"rules":{"x":{".read":"root.child('open').val() == true"},"open":{".write":true}}}"#.utf8),
                author: "test"), limits: limits)
        let owner = hub.connect()
        owner.request("gauth", #"{"cred":"owner"}"#)
        owner.request("p", #"{"p":"/","d":{"x":{"a":1,"b":2,"c":3},"open":true}}"#)
        let reader = hub.connect()
        _ = reader.takeReceived()
        hub.worksAtOnce = false
        reader.request("q", #"{"p":"/x","h":""}"#)
        owner.request("p", #"{"p":"/open","d":false}"#)
        hub.work()
        #expect(reader.takeStatuses() == ["permission_denied"])
        owner.request("p", #"{"p":"/x/a","d":2}"#)
        #expect(reader.takeReceived() == [])
    }
}
