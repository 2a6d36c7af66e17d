extension HTTPRoute {
    /// `/.lp`: sends browsers that come for long-polling back to the WebSocket.
    ///
    /// The JavaScript SDK notes a failure before each WebSocket attempt and takes the note back once the connection has proved
    /// itself (`WebSocketConnection.open`, `markConnectionHealthy`). A page that is left early, a second tab, or a hub that was
    /// away leaves the note, and from then on the SDK begins with long-polling (`TransportManager.initTransports_`), whose
    /// failure it answers with more long-polling. So the hub answers with what the SDK loads there, a script that runs in the
    /// page: it takes the note back and closes the attempt, and the next one is a WebSocket again.
    static let longPollReturn = HTTPRoute("/.lp") { request in
        func argument(_ name: String) -> String? { request.arguments.first { $0.name == name }?.value }
        // The number becomes part of a script: nothing but a number may.
        guard argument("start") == "t", let callback = argument("cb"), (1...9).contains(callback.utf8.count),
            callback.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else {
            return .text(
                404, "this hub has no long-polling: connect with a WebSocket, or give the SDK a ws:// or wss:// address"
            )
        }
        return HTTPResponse(
            status: 200, contentType: "text/javascript; charset=utf-8",
            body: """
                try { localStorage.removeItem("firebase:previous_websocket_failure"); } catch (error) {}
                if (parent.pLPCommand\(callback)) parent.pLPCommand\(callback)("close");

                """)
    }
}
