import DataTree
import Testing
import WireProtocol

@Suite("What frames mean")
struct PushContentTests {
    /// One line that says all.
    func description(_ frame: Frame) -> String {
        switch frame.content {
        case nil: "unknown"
        case .data(let path, let node, let updatedAt):
            "data /\(path) \(node.json) \(updatedAt.map { "/\($0)" } ?? "-")"
        case .merge(let path, let changes, let updatedAt):
            "merge /\(path) \(changes.map { "\($0.0)=\($0.1.json)" }) \(updatedAt.map { "/\($0)" } ?? "-")"
        case .response(let number, let status, let reason): "response \(number) \(status.rawValue) \(reason ?? "-")"
        case .listenRevoked: "listen revoked"
        case .authRevoked(let status): "auth revoked \(status.rawValue)"
        case .greeting(let session): "greeting \(session)"
        }
    }

    @Test("a frame made of nodes says what it means; the place of the update does not travel")
    func pushes() throws {
        let node = try Node(json: #"{"x":1}"#)
        let data = ServerMessage.data(path: "a/b", node: node, updatedAt: "a")
        #expect(description(data) == #"data /a/b {"x":1} /a"#)
        #expect(data.text == ServerMessage.data(path: "a/b", node: node).text)
        #expect(description(ServerMessage.data(path: "a/b", node: node, tag: 3)) == #"data /a/b {"x":1} -"#)
        let merge = ServerMessage.merge(path: "a", changes: [("b", node), ("c/d", .empty)], tag: 1, updatedAt: "a")
        #expect(description(merge) == #"merge /a ["b={\"x\":1}", "c/d=null"] /a"#)
        #expect(merge.text == ServerMessage.merge(path: "a", changes: [("b", node), ("c/d", .empty)], tag: 1).text)
    }

    @Test("where only a priority changed the node travels whole, and the content tells the priority alone")
    func priorityAlone() throws {
        for (json, priority) in [
            (#"{".value":1,".priority":2}"#, "2"), (#"{".value":1,".priority":"p"}"#, #""p""#), ("1", "null"),
        ] {
            let node = try Node(json: json)
            let frame = ServerMessage.data(path: "a", node: node, updatedAt: "a", isPriorityAlone: true)
            #expect(description(frame) == "data /a/.priority \(priority) /a")
            #expect(frame.text == ServerMessage.data(path: "a", node: node).text)
        }
    }

    @Test("every answer says to which request it is, and how it went")
    func answers() {
        #expect(description(ServerMessage.hello(timestamp: 1, host: "h", session: "3.f")) == "greeting 3.f")
        #expect(description(ServerMessage.ok(7)) == "response 7 ok -")
        #expect(description(ServerMessage.ok(7, payload: [0x31])) == "response 7 ok -")
        #expect(description(ServerMessage.ok(7, node: .empty)) == "response 7 ok -")
        #expect(description(ServerMessage.listening(8)) == "response 8 ok -")
        #expect(description(ServerMessage.authenticated(9, identity: nil, expires: 1)) == "response 9 ok -")
        #expect(
            description(ServerMessage.refusal(10, .permissionDenied))
                == "response 10 permission_denied Permission denied")
        #expect(description(ServerMessage.refusal(11, .invalidData, reason: "why")) == "response 11 invalid_data why")
    }

    @Test("revocations are told; of a text alone nothing is known")
    func others() {
        #expect(description(ServerMessage.listenRevoked(path: "a")) == "listen revoked")
        #expect(description(ServerMessage.authRevoked(.expiredToken)) == "auth revoked expired_token")
        #expect(description(ServerMessage.data(path: "a", value: [0x31])) == "unknown")
        #expect(description(ServerMessage.merge(path: "a", changes: [("b", [0x31])])) == "unknown")
        #expect(description(ServerMessage.pong()) == "unknown")
    }
}
