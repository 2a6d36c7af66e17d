import TestSupport
import Testing

@Suite("Replaying conversations")
struct ConversationReplayerTests {
    private func replay(_ host: ScriptedHost, _ steps: String) throws -> ConversationReplayer.Outcome {
        let text = #"{"conversation":"a test","checks":[1]}"# + "\n" + steps
        let conversations = try Conversation.read(file: "test.jsonl", text: text)
        let conversation = try #require(conversations.first)
        return try ConversationReplayer(host: host, patience: .milliseconds(10)).replay(conversation)
    }

    private func failure(_ host: ScriptedHost, _ steps: String) -> ConversationFailure? {
        #expect(throws: ConversationFailure.self) { _ = try replay(host, steps) }
    }

    @Test("placeholders are bound, filled in and compared")
    func placeholders() throws {
        let host = ScriptedHost(
            [ScriptedHost.greeting, .text(#"{"b":[1767225600002,7],"a":"x"}"#), .text(#"{"c":7,"d":1767225600003}"#)],
            [ScriptedHost.greeting])
        let outcome = try replay(
            host,
            """
            {"open":"A"}
            {"A<":{"a":"$text","b":["$time:t","$integer:i"]}}
            {"A<":{"c":"$i","d":"$after:t"}}
            {"open":"B","query":"ls=${A.session}&x=${i}","namespace":false}
            {"B>":{"s":"$A.session","i":"$i","text":"<${i}>","dollar":"$$i"}}
            {"B!":"reset"}
            """)
        #expect(outcome == .passed)
        #expect(host.targets == ["/.ws?v=5&ns=c1", "/.ws?v=5&ls=session1&x=7"])
        #expect(host.connections[1].sent == [#"{"s":"session1","i":7,"text":"<7>","dollar":"$i"}"#])
        #expect(host.connections[0].ended == .close)
    }

    @Test("a conversation that needs more than the host can do is skipped")
    func skipped() throws {
        let conversation = try #require(
            try Conversation.read(file: "t", text: #"{"conversation":"x","checks":[],"needs":["reset","dev"]}"#).first)
        let host = ScriptedHost()
        host.capabilities = ["dev"]
        #expect(try ConversationReplayer(host: host).replay(conversation) == .skipped(missing: ["reset"]))
    }

    @Test(
        "a difference is told with its place",
        arguments: [
            (#"{"a":{"b":1}}"#, #"{"a":{"b":2}}"#, "message.a.b: expected 1, got 2"),
            (#"{"a":[1,"x"]}"#, #"{"a":[1,"y"]}"#, #"message.a[1]: expected "x", got "y""#),
            (#"{"a":1}"#, #"{}"#, "message.a is missing"),
            (#"{}"#, #"{"a":{"b":1}}"#, #"message.a is not expected: {"b":1}"#),
            (#"{"a":[1]}"#, #"{"a":[1,2]}"#, "message.a: expected [1], got [1,2]"),
            (#"{"a":null}"#, #"{"a":false}"#, "message.a: expected null, got false"),
            (#"{"a":"$integer"}"#, #"{"a":1.5}"#, #"message.a: expected "$integer", got 1.5"#),
            (#"{"a":"$time"}"#, #"{"a":1767225000000}"#, #"message.a: expected "$time", got 1767225000000"#),
            (#"{"a":"$text"}"#, #"{"a":""}"#, #"message.a: expected "$text", got """#),
            (#"{"a":"$A.session"}"#, #"{"a":"session2"}"#, #"message.a: expected "session1", got "session2""#),
            (
                #"{"a":"$not:A.session"}"#, #"{"a":"session1"}"#,
                #"message.a: expected "$not:A.session", got "session1""#
            ),
            (#"{"a":"$nobody"}"#, #"{"a":1}"#, "message.a: nothing is named '$nobody'"),
            ("{\"a\":\"e\u{301}\"}", "{\"a\":\"\u{E9}\"}", "message.a: expected \"e\u{301}\", got \"\u{E9}\""),
        ])
    func differences(pattern: String, message: String, reason: String) {
        let host = ScriptedHost([ScriptedHost.greeting, .text(message)])
        let failure = failure(host, "{\"open\":\"A\"}\n{\"A<\":\(pattern)}")
        #expect(failure.map { Array($0.reason.utf8) } == Array(reason.utf8))
        #expect(failure?.line == 3)
    }

    @Test("a failure shows file, line, title and what went before")
    func description() {
        let host = ScriptedHost([ScriptedHost.greeting])
        let failure = failure(host, "{\"open\":\"A\"}\n{\"A>text\":\"0\"}\n{\"A<\":{\"a\":1}}")
        #expect(
            failure?.description == """
                protocol/conversations/test.jsonl:4: expected {"a":1}, got nothing within 0.01 seconds
                  in "a test"
                    A: GET /.ws?v=5&ns=c1
                    <A {"t":"c","d":{"t":"h","d":{"ts":1767225600001,"v":"5","h":"hub.test:9000","s":"session1","w":1}}}
                    A> 0
                """)
    }

    @Test(
        "what must not come is noticed",
        arguments: [
            (#"{"A<none":1}"#, ConversationEvent.text("{}"), "expected nothing, got {}"),
            (#"{"A<none":1}"#, .closed(code: 1000), "expected nothing, got the end of the connection"),
            (#"{"A<close":1002}"#, .closed(code: 1000), "expected close code 1002, got 1000"),
            (#"{"A<close":1002}"#, .closed(code: nil), "expected close code 1002, got none"),
            (#"{"A<close":"any"}"#, .text("{}"), "expected the end of the connection, got {}"),
            (#"{"A<":{}}"#, .closed(code: 1001), "expected {}, got the end of the connection (1001)"),
            (#"{"A<":{}}"#, .text("0"), "'0' would wedge a client: it waits for that many segments"),
            (#"{"A<":{}}"#, .text(""), "'' would wedge a client: it waits for that many segments"),
            (#"{"A<":{}}"#, .text("10000"), "'10000' would wedge a client: it waits for that many segments"),
            (
                #"{"A<":{}}"#, .text("\"" + String(repeating: "x", count: 16_384) + "\""),
                "a message of 16386 UTF-16 units came in one piece"
            ),
            (#"{"A<":{},"segmented":true}"#, .text("{}"), "expected the message in segments, got 1 segments"),
        ])
    func unexpected(step: String, event: ConversationEvent, reason: String) {
        let host = ScriptedHost([ScriptedHost.greeting, event])
        #expect(failure(host, "{\"open\":\"A\"}\n" + step)?.reason == reason)
    }

    @Test("segments are joined")
    func segments() throws {
        let host = ScriptedHost([ScriptedHost.greeting, .text("2"), .text("{\"a\":"), .text("1}")])
        let outcome = try replay(host, "{\"open\":\"A\"}\n{\"A<\":{\"a\":1},\"segmented\":true}")
        #expect(outcome == .passed)
    }

    @Test("messages in any order")
    func anyOrder() throws {
        let events: [ConversationEvent] = [ScriptedHost.greeting, .text("{\"a\":1}"), .text("{\"b\":2}")]
        let outcome = try replay(
            ScriptedHost(events), "{\"open\":\"A\"}\n{\"A<any order\":[{\"b\":2},{\"a\":\"$any\"}]}")
        #expect(outcome == .passed)
        let failed = failure(ScriptedHost(events), "{\"open\":\"A\"}\n{\"A<any order\":[{\"b\":2},{\"c\":3}]}")
        #expect(failed?.reason == "got {\"a\":1}, which is none of {\"b\":2}, {\"c\":3}")
    }

    @Test("the picture of a client is painted by its pushes, each tag for itself")
    func pictures() throws {
        let host = ScriptedHost([
            ScriptedHost.greeting,
            .text(#"{"t":"d","d":{"a":"d","b":{"p":"a","d":{"b":1,"c":2}}}}"#),
            .text(#"{"t":"d","d":{"a":"m","b":{"p":"a","d":{"b":null,"c/.priority":3}}}}"#),
            .text(#"{"t":"d","d":{"a":"d","b":{"p":"a","d":{"z":1},"t":4}}}"#),
        ])
        let outcome = try replay(
            host,
            """
            {"open":"A"}
            {"A sees":"/a","is":{"b":1,"c":2}}
            {"A sees":"/a","is":{"c":{".value":2,".priority":3}}}
            {"A sees":"/a","tag":4,"is":{"z":1}}
            """)
        #expect(outcome == .passed)
        let failed = failure(
            ScriptedHost([ScriptedHost.greeting]), "{\"open\":\"A\"}\n{\"A sees\":\"/a\",\"is\":5}")
        #expect(failed?.reason == "the picture of /a: expected 5, got null")
    }

    @Test("sending in segments, repeating, generating")
    func sending() throws {
        let host = ScriptedHost([ScriptedHost.greeting])
        _ = try replay(
            host,
            """
            {"let":{"big":{"repeat":"xy","times":6}}}
            {"open":"A"}
            {"A>segments":{"d":"$big"},"units":8,"between":["0"]}
            {"times":2,"do":[{"A>":{"n":"$n","next":"$next"}}]}
            """)
        #expect(
            host.connections[0].sent == [
                "3", "{\"d\":\"xy", "0", "xyxyxyxy", "0", "xy\"}", "{\"n\":0,\"next\":1}", "{\"n\":1,\"next\":2}",
            ])
    }

    @Test("the answer to the upgrade")
    func response() throws {
        let host = ScriptedHost([ScriptedHost.greeting])
        host.connections[0].response = (101, [("upgrade", "websocket"), ("x", "y")])
        let steps = "{\"open\":\"A\"}\n{\"A<response\":101,\"with\":{\"upgrade\":\"websocket\"},\"without\":[\"x\"]}"
        #expect(failure(host, steps)?.reason == "the header x is not expected")
    }

    @Test("a refusal is expected by its status")
    func refusal() throws {
        let outcome = try replay(ScriptedHost(), #"{"open":"A","refused":404}"#)
        #expect(outcome == .passed)
        #expect(
            failure(ScriptedHost(), #"{"open":"A","refused":503}"#)?.reason == "expected status 503, got: status 404")
    }

    @Test(
        "a line that makes no sense is told with its number",
        arguments: [
            ("{\"A>\":}", "no JSON"), ("[]", "a step is an object"), ("{\"A?\":1}", "unknown step \"A?\""),
            ("{\"A!\":\"sleep\"}", "\"!\" wants close, end, reset or vanish"),
            ("{\"A sees\":\"/a\"}", "\"sees\" wants \"is\""),
        ])
    func malformed(line: String, reason: String) {
        let failure = #expect(throws: MalformedConversation.self) {
            _ = try Conversation.read(file: "t.jsonl", text: "{\"conversation\":\"x\",\"checks\":[]}\n\n" + line)
        }
        #expect(failure?.description.hasPrefix("t.jsonl:3: \(reason)") == true, "\(String(describing: failure))")
        #expect(failure?.description.hasSuffix("; see protocol/conversations/README.md for the form") == true)
    }
}
