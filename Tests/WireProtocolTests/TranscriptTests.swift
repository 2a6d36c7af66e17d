import DataTree
import Testing
import WireProtocol

/// One session from greeting to takeover, as `protocol/websocket.md` describes it: everything the hub says must come out byte
/// for byte, everything the client says must be understood.
@Suite("A whole session, byte for byte")
struct TranscriptTests {
    struct Line: CustomTestStringConvertible {
        let text: String
        let frame: Frame
        var testDescription: String { text }
        init(_ text: String, _ frame: Frame) {
            self.text = text
            self.frame = frame
        }
    }

    private static let ann = Array(#"{"uid":"ann","provider":"password","token":{"sub":"ann"}}"#.utf8)

    private static func json(_ text: String) -> [UInt8] { Array(text.utf8) }

    static let lines: [Line] = [
        Line(
            #"{"t":"c","d":{"t":"h","d":{"ts":1767225600123,"v":"5","h":"db.example.net:9000","s":"A0000000000000000000000000000001"}}}"#,
            ServerMessage.hello(
                timestamp: 1_767_225_600_123, host: "db.example.net:9000", session: "A0000000000000000000000000000001",
                writeIDs: false)),
        Line(#"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#, ServerMessage.ok(1)),
        Line(
            #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":{"auth":{"uid":"ann","provider":"password","token":{"sub":"ann"}},"expires":1767229200}}}}"#,
            ServerMessage.authenticated(2, identity: ann, expires: 1_767_229_200)),
        Line(
            #"{"t":"d","d":{"a":"d","b":{"p":"rooms/r1","d":{"name":"Lobby"}}}}"#,
            ServerMessage.data(path: "rooms/r1", node: Node(children: [("name", Node(leaf: .string(Text("Lobby"))))]))),
        Line(#"{"t":"d","d":{"r":3,"b":{"s":"ok","d":{}}}}"#, ServerMessage.listening(3)),
        Line(
            #"{"t":"d","d":{"a":"d","b":{"p":"rooms/r1/topic","d":"tea"}}}"#,
            ServerMessage.data(path: "rooms/r1/topic", node: Node(leaf: .string(Text("tea"))))),
        Line(#"{"t":"d","d":{"r":4,"b":{"s":"ok","d":""}}}"#, ServerMessage.ok(4)),
        Line(
            #"{"t":"d","d":{"a":"d","b":{"p":"rooms/r1/seen","d":1767225601001}}}"#,
            ServerMessage.data(path: "rooms/r1/seen", node: Node(leaf: .integer(1_767_225_601_001)))),
        Line(
            #"{"t":"d","d":{"a":"m","b":{"p":"rooms/r1","d":{"topic":null,"members/ann":true}}}}"#,
            ServerMessage.merge(
                path: "rooms/r1", changes: [("topic", .empty), ("members/ann", Node(leaf: .bool(true)))])),
        Line(
            #"{"t":"d","d":{"r":6,"b":{"s":"permission_denied","d":"Permission denied"}}}"#,
            ServerMessage.refusal(6, .permissionDenied)),
        Line(
            #"{"t":"d","d":{"a":"d","b":{"p":"log","d":{"k2":"b","k3":"c"},"t":1}}}"#,
            ServerMessage.data(path: "log", value: json(#"{"k2":"b","k3":"c"}"#), tag: 1)),
        Line(
            #"{"t":"d","d":{"a":"m","b":{"p":"log","d":{"k3":null,"k1":"a"},"t":1}}}"#,
            ServerMessage.merge(path: "log", changes: [("k3", .empty), ("k1", Node(leaf: .string(Text("a"))))], tag: 1)),
        Line(
            #"{"t":"d","d":{"a":"d","b":{"p":"log/k1","d":"a2","t":1}}}"#,
            ServerMessage.data(path: "log/k1", node: Node(leaf: .string(Text("a2"))), tag: 1)),
        Line(
            #"{"t":"d","d":{"a":"d","b":{"p":"counters/likes","d":5}}}"#,
            ServerMessage.data(path: "counters/likes", node: Node(leaf: .integer(5)))),
        Line(
            #"{"t":"d","d":{"r":9,"b":{"s":"datastale","d":"Transaction hash does not match"}}}"#,
            ServerMessage.refusal(9, .dataStale)),
        Line(
            #"{"t":"d","d":{"a":"d","b":{"p":"presence/ann","d":null}}}"#,
            ServerMessage.data(path: "presence/ann", node: .empty)),
    ]

    @Test("what the hub says", arguments: lines)
    func speaks(line: Line) {
        #expect(line.frame.messages == [line.text])
    }

    @Test(
        "what the client says",
        arguments: [
            (#"{"t":"d","d":{"r":1,"a":"s","b":{"c":{"sdk.node.12-0-0":1}}}}"#, "stats"),
            (#"{"t":"d","d":{"r":2,"a":"auth","b":{"cred":"eyJ...jwt"}}}"#, "authenticate auth eyJ...jwt"),
            (#"{"t":"d","d":{"r":3,"a":"q","b":{"p":"/rooms/r1","h":""}}}"#, "listen /rooms/r1 {} h="),
            (#"{"t":"d","d":{"r":4,"a":"p","b":{"p":"/rooms/r1/topic","d":"tea"}}}"#, #"put /rooms/r1/topic "tea""#),
            (
                #"{"t":"d","d":{"r":4,"a":"p","b":{"p":"/rooms/r1/seen","d":{".sv":"timestamp"}}}}"#,
                #"put /rooms/r1/seen {".sv":"timestamp"}"#
            ),
            (
                #"{"t":"d","d":{"r":5,"a":"m","b":{"p":"/rooms/r1","d":{"topic":null,"members/ann":true}}}}"#,
                "merge /rooms/r1 topic=null members/ann=true"
            ),
            (
                #"{"t":"d","d":{"r":7,"a":"q","b":{"p":"/log","q":{"l":2,"vf":"r","i":".key"},"t":1,"h":""}}}"#,
                #"listen /log {"i":".key","l":2,"vf":"r"} h= t=1 q={"l":2,"vf":"r","i":".key"}"#
            ),
            (#"{"t":"d","d":{"r":9,"a":"p","b":{"p":"/counters/likes","d":1,"h":""}}}"#, "put /counters/likes 1 h="),
            (
                #"{"t":"d","d":{"r":10,"a":"p","b":{"p":"/counters/likes","d":6,"h":"w28swksk9+tXf5jEdS9R5oSFAv8="}}}"#,
                "put /counters/likes 6 h=w28swksk9+tXf5jEdS9R5oSFAv8="
            ),
            (#"{"t":"d","d":{"r":12,"a":"n","b":{"p":"/counters/likes"}}}"#, "unlisten /counters/likes {}"),
            (
                #"{"t":"d","d":{"r":13,"a":"o","b":{"p":"/presence/ann","d":null}}}"#,
                "onDisconnectPut /presence/ann null"
            ),
            (
                #"{"t":"d","d":{"r":14,"a":"om","b":{"p":"/users/ann","d":{"lastSeen":{".sv":"timestamp"}}}}}"#,
                #"onDisconnectMerge /users/ann lastSeen={".sv":"timestamp"}"#
            ),
        ])
    func hears(text: String, action: String) throws {
        guard case .request(let request) = try RequestTexts.decode(text) else {
            Issue.record("no request")
            return
        }
        #expect(RequestTexts.describe(request.action) == action)
    }
}
