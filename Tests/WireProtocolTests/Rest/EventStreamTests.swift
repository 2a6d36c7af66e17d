import DataTree
import Testing
import WireProtocol

@Suite("Events of a stream")
struct EventStreamTests {
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("104 to 106, an event is a name, a line of JSON and an empty line")
    func values() throws {
        #expect(
            text(EventStream.put(path: .root, node: .empty)) == "event: put\ndata: {\"path\":\"/\",\"data\":null}\n\n")
        #expect(
            text(EventStream.put(path: "a\"/b", node: try Node(json: #"{"x":"1\n2","l":[1,2]}"#)))
                == "event: put\ndata: {\"path\":\"/a\\\"/b\",\"data\":{\"l\":[1,2],\"x\":\"1\\n2\"}}\n\n")
        #expect(
            text(EventStream.patch(path: "a", changes: [("b", 1), ("c\\", .empty)]))
                == "event: patch\ndata: {\"path\":\"/a\",\"data\":{\"b\":1,\"c\\\\\":null}}\n\n")
    }

    @Test("108 and 110, what has no value")
    func control() {
        #expect(text(EventStream.keepAlive) == "event: keep-alive\ndata: null\n\n")
        #expect(text(EventStream.authRevoked) == "event: auth_revoked\ndata: credential is no longer valid\n\n")
        #expect(text(EventStream.permissionDenied) == "event: cancel\ndata: Permission denied.\n\n")
        #expect(
            text(EventStream.tooLarge)
                == "event: cancel\ndata: The specified payload is too large, please request a location with less data."
                + "\n\n")
        #expect(text(EventStream.cancel("two\r\nlines")) == "event: cancel\ndata: two  lines\n\n")
    }
}
