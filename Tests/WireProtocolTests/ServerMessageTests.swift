import DataTree
import Testing
import WireProtocol

@Suite("Encoding what a hub says")
struct ServerMessageTests {
    private func text(_ frame: Frame) -> String { String(decoding: frame.text, as: UTF8.self) }
    private func node(_ json: String) throws -> Node { try Node(json: json) }

    @Test("greeting and pong")
    func control() {
        #expect(
            text(
                ServerMessage.hello(
                    timestamp: 1_767_225_600_123, host: "db.example.net:9000",
                    session: "A0000000000000000000000000000001",
                    writeIDs: false))
                == #"{"t":"c","d":{"t":"h","d":{"ts":1767225600123,"v":"5","h":"db.example.net:9000","s":"A0000000000000000000000000000001"}}}"#
        )
        #expect(
            text(ServerMessage.hello(timestamp: 1, host: "a\"b", session: "s"))
                == #"{"t":"c","d":{"t":"h","d":{"ts":1,"v":"5","h":"a\"b","s":"s","w":1}}}"#)
        #expect(text(ServerMessage.pong()) == #"{"t":"c","d":{"t":"o","d":{}}}"#)
    }

    @Test("answers")
    func answers() throws {
        #expect(text(ServerMessage.ok(1)) == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#)
        #expect(text(ServerMessage.ok(0, node: .empty)) == #"{"t":"d","d":{"r":0,"b":{"s":"ok","d":null}}}"#)
        #expect(
            text(ServerMessage.ok(-3, node: try node(#"{"a":1}"#)))
                == #"{"t":"d","d":{"r":-3,"b":{"s":"ok","d":{"a":1}}}}"#)
        #expect(text(ServerMessage.ok(9, payload: Array("[]".utf8))) == #"{"t":"d","d":{"r":9,"b":{"s":"ok","d":[]}}}"#)
        #expect(text(ServerMessage.listening(3)) == #"{"t":"d","d":{"r":3,"b":{"s":"ok","d":{}}}}"#)
        #expect(
            text(ServerMessage.listening(3, withoutIndex: true))
                == #"{"t":"d","d":{"r":3,"b":{"s":"ok","d":{"w":["no_index"]}}}}"#)
        #expect(
            text(ServerMessage.refusal(6, .permissionDenied))
                == #"{"t":"d","d":{"r":6,"b":{"s":"permission_denied","d":"Permission denied"}}}"#)
        #expect(
            text(ServerMessage.refusal(9, .dataStale))
                == #"{"t":"d","d":{"r":9,"b":{"s":"datastale","d":"Transaction hash does not match"}}}"#)
        #expect(
            text(ServerMessage.refusal(9, .invalidData, reason: "a \"key\""))
                == #"{"t":"d","d":{"r":9,"b":{"s":"invalid_data","d":"a \"key\""}}}"#)
        #expect(
            text(
                ServerMessage.authenticated(
                    2, identity: Array(#"{"uid":"ann","provider":"password","token":{"sub":"ann"}}"#.utf8),
                    expires: 1_767_229_200))
                == #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":{"auth":{"uid":"ann","provider":"password","token":{"sub":"ann"}},"expires":1767229200}}}}"#
        )
        #expect(
            text(ServerMessage.authenticated(2, identity: nil, expires: nil))
                == #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":{"auth":null}}}}"#)
    }

    @Test("pushes")
    func pushes() throws {
        #expect(
            text(ServerMessage.data(path: "rooms/r1", node: try node(#"{"name":"Lobby"}"#)))
                == #"{"t":"d","d":{"a":"d","b":{"p":"rooms/r1","d":{"name":"Lobby"}}}}"#)
        #expect(
            text(ServerMessage.data(path: .root, value: Array("null".utf8)))
                == #"{"t":"d","d":{"a":"d","b":{"p":"","d":null}}}"#)
        #expect(
            text(ServerMessage.data(path: "log/k1", value: Array("\"a2\"".utf8), tag: 1))
                == #"{"t":"d","d":{"a":"d","b":{"p":"log/k1","d":"a2","t":1}}}"#)
        #expect(
            text(
                ServerMessage.merge(
                    path: "rooms/r1", changes: [("topic", .empty), ("members/ann", Node(leaf: .bool(true)))]))
                == #"{"t":"d","d":{"a":"m","b":{"p":"rooms/r1","d":{"topic":null,"members/ann":true}}}}"#)
        #expect(
            text(
                ServerMessage.merge(
                    path: "log", changes: [("k3", Array("null".utf8)), ("k1", Array("\"a\"".utf8))], tag: 1))
                == #"{"t":"d","d":{"a":"m","b":{"p":"log","d":{"k3":null,"k1":"a"},"t":1}}}"#)
        #expect(text(ServerMessage.listenRevoked(path: "a/b")) == #"{"t":"d","d":{"a":"c","b":{"p":"a/b"}}}"#)
        #expect(
            text(ServerMessage.listenRevoked(path: "a", query: Array(#"{"l":1,"vf":"l"}"#.utf8)))
                == #"{"t":"d","d":{"a":"c","b":{"p":"a","q":[{"l":1,"vf":"l"}]}}}"#)
        #expect(
            text(ServerMessage.authRevoked(.expiredToken))
                == #"{"t":"d","d":{"a":"ac","b":{"s":"expired_token","d":"Auth token is expired."}}}"#)
        #expect(text(ServerMessage.securityDebug("denied")) == #"{"t":"d","d":{"a":"sd","b":{"msg":"denied"}}}"#)
    }

    @Test("keys and paths are escaped")
    func escapes() throws {
        #expect(
            text(ServerMessage.data(path: "a\"b/\u{1F600}", node: try node(#"{"x\\y":"\u0001"}"#)))
                == "{\"t\":\"d\",\"d\":{\"a\":\"d\",\"b\":{\"p\":\"a\\\"b/\u{1F600}\",\"d\":{\"x\\\\y\":\"\\u0001\"}}}}"
        )
    }

    @Test("a push tells its action within the first 32 bytes")
    func actionIsEarly() throws {
        let push = text(ServerMessage.data(path: "a/very/long/path/indeed", node: try node("1")))
        #expect(push.prefix(32).contains(#""a":"d""#))
    }

    @Test("a framed message has the header of its length", arguments: [1, 50, 100, 200, 70_000])
    func framed(count: Int) throws {
        let value = "\"" + String(repeating: "v", count: count) + "\""
        let frame = ServerMessage.data(path: "a", value: Array(value.utf8))
        #expect(frame.bytes == Frame(text: frame.text).bytes)
        #expect(frame.messages.count == (count > 16_384 ? 6 : 1))
    }
}
