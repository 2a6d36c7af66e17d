import DataTree
import HubEngine
import TestSupport

/// A database with rules, and some data that was there before.
struct RulesScene {
    let hub: EngineHarness

    /// - Parameters:
    ///   - rules: the value of `rules` in a rules file.
    ///   - data: the tree as JSON.
    init(_ rules: String, data: String = "null", mode: Authenticator.Mode = .development) throws {
        hub = EngineHarness(
            mode: mode, rules: try ConfiguredRules(Array(#"{"rules":\#(rules)}"#.utf8), author: "test"),
            secret: "s3cret")
        if data != "null" { administrator().request("p", #"{"p":"/","d":\#(data)}"#) }
    }

    /// A client that nobody is signed in on.
    func stranger() -> EngineHarness.Device {
        let device = hub.connect()
        _ = device.takeReceived()
        return device
    }

    func user(_ uid: String) -> EngineHarness.Device {
        let device = hub.connect()
        device.signIn(uid)
        _ = device.takeReceived()
        return device
    }

    func administrator() -> EngineHarness.Device {
        let device = hub.connect()
        device.request("gauth", #"{"cred":"s3cret"}"#)
        _ = device.takeReceived()
        return device
    }

    var json: String { hub.content.json }
}

/// Rule sets that several tests go by.
enum RuleSets {
    /// Each user's own place.
    static let owners = #"{"users":{"$uid":{".read":"auth.uid == $uid",".write":"auth.uid == $uid"}}}"#

    /// Members read rooms; anybody signed in may change who is a member.
    static let rooms = """
        {"rooms":{"$room":{".read":"root.child('members/' + $room).hasChild(auth.uid)",".write":"auth != null"}},
         "members":{".write":"auth != null"}}
        """
}
