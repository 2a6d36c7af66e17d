import Testing

@testable import hearth

@Suite("the hub that a command talks to")
struct HubTargetTests {
    private let hub = ScriptedHub((200, "1"))

    @Test("is the one on this machine unless another is named, with the namespace that it chooses")
    func standard() {
        #expect(hub.run("get /a").exit == .success)
        #expect(hub.requests == [.init(method: "GET", url: "http://127.0.0.1:9000/a.json")])
    }

    @Test("comes from the environment, and from options before that")
    func environment() {
        hub.variables = ["HEARTH_URL": "http://one:1?ns=a", "HEARTH_AUTH": "@secret"]
        hub.files = ["secret": "hush\n"]
        _ = hub.run("get /a")
        #expect(
            hub.requests == [
                .init(method: "GET", url: "http://one:1/a.json?ns=a", headers: ["Authorization: Bearer hush"])
            ])
        let other = ScriptedHub((200, "1"))
        other.variables = hub.variables
        _ = other.run("get /a --url http://two:2 --ns b --auth owner")
        #expect(
            other.requests == [
                .init(method: "GET", url: "http://two:2/a.json?ns=b", headers: ["Authorization: Bearer owner"])
            ])
    }

    @Test("gets an ID token as a parameter and any other secret in the header")
    func credentials() throws {
        _ = hub.run("get /a --auth eyJh.eyJz.")
        #expect(hub.requests == [.init(method: "GET", url: "http://127.0.0.1:9000/a.json?auth=eyJh.eyJz.")])
        #expect(try HubCredential("a.b.c") == .identityToken("a.b.c"))
        #expect(try HubCredential("a.b") == .administrator("a.b"))
        #expect(try HubCredential("..") == .administrator(".."))
    }

    @Test(
        "is not asked when options make no sense",
        arguments: [
            (
                "get /a --ns a.b",
                "'a.b' is no name of a namespace; use up to 64 letters, digits, _ and -, a letter or digit first"
            ),
            (
                "get /a --ns _hub",
                "'_hub' is no name of a namespace; use up to 64 letters, digits, _ and -, a letter or digit first"
            ),
            (
                "get /a --auth=",
                "the token of --auth is empty or has characters that no token has; give it as it was issued"
            ),
            ("get /a.json", "'/a.json' ends in .json; leave that out"),
            ("get /a/b$", "A key of \"/a/b$\" has '$'; leave out . # $ [ ] / and control characters"),
        ])
    func usage(arguments: String, text: String) {
        #expect(hub.run(arguments) == CommandResult(error: "hearth get: \(text)\n", exit: .usage))
        #expect(hub.requests.isEmpty)
    }

    @Test("gets keys of any script, spaces and percent signs encoded")
    func encoding() {
        _ = hub.run(["get", "/a b/é%/x+y&=?"])
        #expect(hub.requests.first?.url == "http://127.0.0.1:9000/a%20b/%C3%A9%25/x%2By%26%3D%3F.json")
    }

    @Test(
        "says why it refuses, and what to do about it",
        arguments: [
            (401, "{\n  \"error\" : \"Permission denied\"\n}\n", "", "Permission denied; say who you are with --auth"),
            (
                401, #"{"error":"Permission denied"}"#, " --auth hush",
                "Permission denied; check --auth, and the rules of the namespace"
            ),
            (
                409, #"{"error":{"code":"exists","text":"It is there.","remedy":"Take another name."}}"#, "",
                "It is there. Take another name."
            ),
            (
                400, #"{"error":"orderBy must be a valid JSON encoded path"}"#, "",
                "orderBy must be a valid JSON encoded path"
            ),
            (502, "<html>\nBad gateway", "", "the answer was HTTP 502; try again in a while"),
            (404, "append .json\n", "", "append .json; check --url, --ns, and whether the hub is of this version"),
        ])
    func refusals(status: Int, body: String, options: String, text: String) {
        let hub = ScriptedHub((status, body))
        #expect(hub.run("get /a" + options) == CommandResult(error: "hearth get: \(text)\n", exit: .failure))
        #expect(hub.written.isEmpty)
    }

    @Test("that cannot be reached ends a command with a sentence")
    func unreachable() {
        let hub = ScriptedHub(answers: [.failure(.unreachable("no hub answers at http://x; start one"))])
        #expect(
            hub.run("get /")
                == CommandResult(error: "hearth get: no hub answers at http://x; start one\n", exit: .failure))
    }
}
