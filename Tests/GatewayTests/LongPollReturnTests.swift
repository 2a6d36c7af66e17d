import Testing

@testable import Gateway

@Suite("browsers that come for long-polling")
struct LongPollReturnTests {
    private func answer(_ arguments: [(String, String)]) -> HTTPResponse {
        HTTPRoute.longPollReturn.answer(
            HTTPRequest(
                method: "GET", path: "/.lp", arguments: arguments.map { (name: $0.0, value: $0.1) }, host: "h",
                remoteAddress: "127.0.0.1", credential: nil, isAdministrative: false))
    }

    @Test("get a script that takes the note of failure back and closes the attempt")
    func start() {
        let response = answer([("start", "t"), ("ser", "8"), ("cb", "17"), ("v", "5")])
        #expect(response.status == 200)
        #expect(response.contentType == "text/javascript; charset=utf-8")
        #expect(response.body.contains(#"localStorage.removeItem("firebase:previous_websocket_failure")"#))
        #expect(response.body.contains(#"parent.pLPCommand17("close")"#))
    }

    @Test(
        "get nothing else, and no script with what they sent in it",
        arguments: [
            [("start", "t")], [("cb", "1")], [("start", "t"), ("cb", "")], [("start", "t"), ("cb", "1);alert(1")],
            [("start", "t"), ("cb", "1234567890")], [("start", "t"), ("cb", "٣")], [("id", "1"), ("pw", "2")],
        ])
    func refusals(arguments: [(String, String)]) {
        let response = answer(arguments)
        #expect(response.status == 404)
        #expect(
            response.body
                == #"{"error":"this hub has no long-polling: connect with a WebSocket, or give the SDK a ws:// or "#
                + "wss:// address\"}\n")
    }
}
