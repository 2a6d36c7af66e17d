import DataTree
import HubEngine
import SecurityRules
import TestSupport
import Testing

/// Listens and random commits, compared with rules that are asked anew for every listen after every commit.
@Suite("Listens under rules that read data, at random")
struct RejudgingPropertyTests {
    static let rules = """
        {"rooms":{"$room":{
            ".read":"root.child('members').child($room).hasChild(auth.uid) || data.child('public').val() == true",
            "secret":{".read":"root.child('level/' + auth.uid).val() >= 3 && data.exists()"},
            "log":{".read":"data.parent().child('open').exists() && !root.child('closed').hasChildren([$room])"},
            "same":{".read":"data.val() == root.child('mirror').val()"},
            "sorted":{".read":"data.getPriority() != null || root.child('members').hasChildren()"}}}}
        """

    private struct Listener {
        let device: EngineHarness.Device
        let uid: String
        /// The paths at which it listens now, as it was told.
        var paths: Set<String> = []
    }

    @Test("a listen is open exactly while rules allow it", arguments: 1...TestScale.pick(40, short: 6))
    func open(seed: Int) throws {
        var random = SeededRandom(UInt64(seed))
        let text = #"{"rules":\#(Self.rules)}"#
        let hub = EngineHarness(rules: try ConfiguredRules(Array(text.utf8), author: "test"))
        let rules = try CompiledRules(Array(text.utf8))
        let writer = hub.connect()
        writer.request("gauth", #"{"cred":"owner"}"#)
        var listeners = ["ada", "bob", "cyd"].map { uid in
            let device = hub.connect()
            device.signIn(uid)
            _ = device.takeReceived()
            return Listener(device: device, uid: uid)
        }
        func mayRead(_ uid: String, _ path: String) -> Bool {
            rules.read(
                Path(path), by: RuleIdentity(uid: uid, provider: nil, token: .empty), now: hub.time,
                in: hub.content.tree
            ).isAllowed
        }
        for _ in 0..<120 {
            // Some commits are refused by the log: they have changed nothing.
            let isRefused = Int.random(in: 0..<8, using: &random) == 0
            if isRefused { hub.durability = .held }
            for _ in 0..<(isRefused ? 3 : 1) {
                let (action, body) = Self.randomWrite(&random)
                writer.request(action, body)
            }
            if isRefused {
                hub.refuseHeld()
                hub.durability = .atOnce
            }
            for index in listeners.indices {
                let listener = listeners[index]
                for text in listener.device.takeReceived() {
                    guard case .push(let push)? = try? DeviceMessage(text), push.action == "c" else { continue }
                    let path = push.path ?? ""
                    #expect(listener.paths.contains(path), "seed \(seed): \(path) was taken back twice")
                    #expect(!mayRead(listener.uid, path), "seed \(seed): \(listener.uid) may still read \(path)")
                    listeners[index].paths.remove(path)
                }
                for path in listeners[index].paths where !mayRead(listener.uid, path) {
                    Issue.record("seed \(seed): \(listener.uid) still listens at \(path)")
                    return
                }
                let path = "rooms/r\(Int.random(in: 0..<2, using: &random))" + Self.places.random(&random)
                guard !listeners[index].paths.contains(path) else { continue }
                listener.device.request("q", #"{"p":"/\#(path)","h":""}"#)
                let isOpen = listener.device.takeStatuses().last == "ok"
                #expect(isOpen == mayRead(listener.uid, path))
                if isOpen { listeners[index].paths.insert(path) }
            }
        }
        for listener in listeners { listener.device.close() }
        #expect(hub.engine.listenPlaces == 0 && hub.engine.grantCount == 0)
    }

    private static let places = ["", "/secret", "/log", "/same", "/sorted", "/public/x"]

    private static func randomWrite(_ random: inout SeededRandom) -> (action: String, body: String) {
        let room = "r\(Int.random(in: 0..<2, using: &random))"
        let uid = ["ada", "bob", "cyd"].random(&random)
        let paths = [
            "members", "members/\(room)", "members/\(room)/\(uid)", "level/\(uid)", "level", "rooms/\(room)",
            "rooms/\(room)/public", "rooms/\(room)/secret", "rooms/\(room)/open", "closed/\(room)", "closed",
            "mirror", "mirror/x", "rooms/\(room)/same", "rooms/\(room)/same/x", "rooms/\(room)/sorted/.priority",
            "rooms/\(room)/sorted", "rooms", "rooms/\(room)/public/x",
        ]
        let values = ["null", "true", "3", "1", #""x""#, #"{"x":1}"#, #"{"ada":true,"r0":{"bob":true}}"#]
        let path = paths.random(&random)
        let value = path.hasSuffix("priority") ? ["null", "1"].random(&random) : values.random(&random)
        if Bool.random(using: &random) || path.hasSuffix("priority") {
            return ("p", #"{"p":"/\#(path)","d":\#(value)}"#)
        }
        let other = ["members/\(room)/\(uid)", "level/\(uid)", "mirror"].random(&random)
        if other.hasPrefix(path) || path.hasPrefix(other) { return ("p", #"{"p":"/\#(path)","d":\#(value)}"#) }
        return ("m", #"{"p":"/","d":{"\#(path)":\#(value),"\#(other)":\#(values.random(&random))}}"#)
    }
}

extension Array {
    fileprivate func random(_ random: inout SeededRandom) -> Element { self[Int.random(in: 0..<count, using: &random)] }
}
