import Testing

@testable import hearth

@Suite("hearth watch")
struct WatchTests {
    /// Runs it against answers, and ends it when it would wait for the third time.
    private func run(
        _ answers: [Result<(status: Int, pieces: [String]), HTTPProblem>], _ arguments: String = "/a"
    ) -> (hub: ScriptedHub, result: CommandResult) {
        let hub = ScriptedHub(answers: answers)
        var environment = hub.environment
        var pauses = 0
        environment.sleep = { pause in
            pauses += 1
            return pause <= .seconds(2) && pauses < 3
        }
        return (hub, Watch.command.result(of: arguments.split(separator: " ").map(String.init), in: environment))
    }

    private let put = "event: put\ndata: {\"path\":\"/\",\"data\":{\"x\":1}}\n\n"

    @Test("prints a line an event as they come, and nothing for signs of life")
    func lines() {
        let patch = "event: patch\ndata: {\"path\":\"/x\",\"data\":{\"y\":null}}\n\nevent: keep-alive\ndata: null\n\n"
        // The script has one answer and then a signal.
        let (hub, result) = run([.success((200, [put, patch])), .failure(.interrupted)], "/a --auth a.b.c")
        #expect(result == CommandResult())
        #expect(
            hub.written == """
                {"event":"put","path":"/","data":{"x":1}}
                {"event":"patch","path":"/x","data":{"y":null}}

                """)
        #expect(
            hub.requests.first
                == .init(
                    method: "GET", url: "http://127.0.0.1:9000/a.json?auth=a.b.c",
                    headers: ["Accept: text/event-stream"]))
    }

    @Test("comes back after a lost connection, and says so")
    func reconnects() {
        let (hub, result) = run([
            .success((200, [put])), .failure(.unreachable("no hub answers at http://x; start one")),
            .success((200, [put])), .success((503, [#"{"error":"starting"}"#])),
        ])
        #expect(result == CommandResult())
        #expect(hub.written == String(repeating: "{\"event\":\"put\",\"path\":\"/\",\"data\":{\"x\":1}}\n", count: 2))
        let notes = hub.notes.split(separator: "\n").map { $0.prefix { $0 != ";" } }
        #expect(
            notes == [
                "hearth watch: the hub closed the stream", "hearth watch: no hub answers at http://x",
                "hearth watch: the hub closed the stream",
            ])
    }

    @Test("ends with 1 where it cannot begin, or the hub does not go on")
    func ends() {
        let denied: Result<(status: Int, pieces: [String]), HTTPProblem> = .success(
            (401, [#"{"error":"Permission denied"}"#]))
        let refusal = "hearth watch: Permission denied; say who you are with --auth\n"
        #expect(run([denied]).result == CommandResult(error: refusal, exit: .failure))
        #expect(run([.success((200, [put])), denied]).result == CommandResult(error: refusal, exit: .failure))
        #expect(
            run([.failure(.unreachable("no hub answers; start one"))]).result
                == CommandResult(error: "hearth watch: no hub answers; start one\n", exit: .failure))
    }

    @Test(
        "ends with 1 and the reason when the hub does not go on",
        arguments: [
            (
                "event: cancel\ndata: Permission denied.\n\n",
                "the hub ended the stream: Permission denied; check the rules and --auth"
            ),
            (
                "event: auth_revoked\ndata: \"credential is no longer valid\"\n\n",
                "the hub ended the stream: credential is no longer valid; give a new token with --auth"
            ),
            ("event: put\ndata: 5\n\n", "the hub sent an event that makes no sense; check --url"),
        ])
    func reasons(event: String, text: String) {
        let (hub, result) = run([.success((200, [put, event]))])
        #expect(result == CommandResult(error: "hearth watch: \(text)\n", exit: .failure))
        #expect(hub.written.hasPrefix("{\"event\":\"put\""))
    }

    @Test("ends quietly when nobody reads any more")
    func readerGone() {
        let hub = ScriptedHub(answers: [.success((200, [put]))])
        var environment = hub.environment
        environment.write = { _ throws(CommandProblem) in throw .readerGone }
        #expect(Watch.command.result(of: ["/"], in: environment) == CommandResult())
    }
}
