import Testing

@testable import hearth

@Suite("hearth get, set, update, push and remove")
struct DataCommandTests {
    @Test("get passes the answer on as it comes, and ends the line")
    func get() {
        let hub = ScriptedHub(answers: [.success((200, [#"{"a":"#, "1}"]))])
        #expect(hub.run("get a//b/") == CommandResult())
        #expect(hub.written == "{\"a\":1}\n")
        #expect(hub.requests == [.init(method: "GET", url: "http://127.0.0.1:9000/a/b.json")])
    }

    @Test("output is indented in a terminal and on request, and in one line otherwise")
    func pretty() {
        let asked = ScriptedHub((200, "{\n  \"a\" : 1\n}\n"))
        _ = asked.run("get / --pretty")
        #expect(asked.requests.first?.url == "http://127.0.0.1:9000/.json?print=pretty")
        #expect(asked.written == "{\n  \"a\" : 1\n}\n")
        for (arguments, url) in [("get /", "/.json?print=pretty"), ("get / --json", "/.json")] {
            let terminal = ScriptedHub((200, "null"))
            terminal.style = TextStyle(isRich: true, hasColour: false, width: 80)
            _ = terminal.run(arguments)
            #expect(terminal.requests.first?.url == "http://127.0.0.1:9000" + url)
        }
        #expect(asked.run("get / --json --pretty").exit == .usage)
    }

    @Test(
        "get asks with the parameters of the REST interface",
        arguments: [
            ("--shallow", "shallow=true"), ("--export", "format=export"),
            ("--shallow --limit-to-first 2", "limitToFirst=2&shallow=true"),
            ("--order-by $key --start-at 5", "orderBy=%22%24key%22&startAt=%225%22"),
            ("--order-by $key --start-at \"5\"", "orderBy=%22%24key%22&startAt=%225%22"),
            ("--order-by a/b --equal-to 5", "orderBy=%22a%2Fb%22&equalTo=5"),
            ("--order-by h --start-after tea --end-before true", "orderBy=%22h%22&startAfter=%22tea%22&endBefore=true"),
            ("--order-by h --end-at 3,\"ada\"", "orderBy=%22h%22&endAt=3%2C%22ada%22"),
            ("--order-by h --end-at 3,ada", "orderBy=%22h%22&endAt=%223%2Cada%22"),
            ("--order-by $value --limit-to-last 2", "orderBy=%22%24value%22&limitToLast=2"),
        ])
    func parameters(options: String, parameters: String) {
        let hub = ScriptedHub((200, "null"))
        #expect(hub.run("get / \(options)") == CommandResult())
        #expect(hub.requests.first?.url == "http://127.0.0.1:9000/.json?" + parameters)
    }

    @Test(
        "a query that cannot be meant is refused here",
        arguments: [
            ("--limit-to-first 2", "--limit-to-first needs an order; add --order-by CHILD, or --order-by '$key'"),
            ("--equal-to 2", "--equal-to needs an order; add --order-by CHILD, or --order-by '$key'"),
            ("--order-by h --limit-to-last 0", "--limit-to-last cannot be '0'; give a whole number above 0"),
            ("--order-by h --shallow", "--shallow takes no query but --limit-to-first; leave the other options out"),
            ("--export --shallow", "--shallow shows no values, and so no priorities; leave out --export"),
        ])
    func queryUsage(options: String, text: String) {
        #expect(ScriptedHub().run("get / \(options)") == CommandResult(error: "hearth get: \(text)\n", exit: .usage))
    }

    @Test("set sends what was typed, a file, or standard input")
    func set() {
        let hub = ScriptedHub((200, "5"), (200, "5"), (200, "5"), (204, ""))
        hub.files = ["five.json": "5", "-": " 5"]
        #expect(hub.run("set /a -5") == CommandResult())
        #expect(hub.run("set /a @five.json --ns demo") == CommandResult())
        #expect(hub.run("set /a/.priority -") == CommandResult())
        #expect(hub.run("set /a null --quiet") == CommandResult())
        let type = "application/json"
        #expect(
            hub.requests == [
                .init(method: "PUT", url: "http://127.0.0.1:9000/a.json", type: type, body: "-5"),
                .init(method: "PUT", url: "http://127.0.0.1:9000/a.json?ns=demo", type: type, body: "5"),
                .init(method: "PUT", url: "http://127.0.0.1:9000/a/.priority.json", type: type, body: " 5"),
                .init(
                    method: "PUT", url: "http://127.0.0.1:9000/a.json?print=silent", type: type, body: "null"),
            ])
        #expect(hub.written == "5\n5\n5\n")
    }

    @Test("update sends an object")
    func update() {
        let hub = ScriptedHub((200, #"{"a/b":1}"#))
        #expect(hub.run(#"update / {"a/b":1}"#) == CommandResult())
        #expect(hub.requests.map(\.method) == ["PATCH"])
        #expect(hub.written == "{\"a/b\":1}\n")
    }

    @Test("push prints the new key, or the whole answer as JSON")
    func push() {
        let hub = ScriptedHub((200, #"{"name":"-Nk"}"#), (200, #"{"name":"-Nk"}"#))
        #expect(hub.run("push /l true") == CommandResult(output: "-Nk\n"))
        #expect(hub.run("push /l true --json") == CommandResult(output: "{\"name\":\"-Nk\"}\n"))
        #expect(hub.requests.map(\.method) == ["POST", "POST"])
    }

    @Test("remove says nothing, and asks before it removes everything")
    func remove() {
        let hub = ScriptedHub((200, "null"), (200, "null"), (200, "null"))
        #expect(hub.run("remove /a") == CommandResult() && hub.notes.isEmpty)
        #expect(hub.run("remove /").error == "hearth remove: nobody is there to agree; add --yes if that is meant\n")
        hub.reply = "n"
        #expect(hub.run("remove /").exit == .failure)
        #expect(hub.requests.count == 1)
        hub.reply = "y"
        #expect(hub.run("remove / --ns demo") == CommandResult())
        #expect(hub.notes.hasSuffix("Remove all data of the namespace demo? [y/N] "))
        #expect(hub.run("remove / --yes") == CommandResult())
        #expect(hub.requests.map(\.method) == ["DELETE", "DELETE", "DELETE"] && hub.written.isEmpty)
    }

    @Test(
        "a value that is no JSON is refused before anything is sent",
        arguments: [
            ("set /a", "hearth set: VALUE is missing; give JSON, @FILE or -"),
            (
                "set /a tea",
                "hearth set: VALUE is not JSON; a string has double quotes, and the shell wants single ones around: '\"tea\"'"
            ),
            (
                "set /a {\"b\":",
                "hearth set: VALUE is not JSON: The JSON text ends too early; send it whole (at byte 5)"
            ),
            (
                "update /a [1]",
                "hearth update: VALUE names no children to change; give an object, such as '{\"name\": \"Ada\"}'"
            ),
        ])
    func values(arguments: String, text: String) {
        let hub = ScriptedHub()
        #expect(hub.run(arguments) == CommandResult(error: text + "\n", exit: .usage))
        #expect(hub.requests.isEmpty)
    }

    @Test("a file that cannot be read ends a write with 1")
    func missingFile() {
        let result = ScriptedHub().run("push /a @none")
        #expect(
            result == CommandResult(error: "hearth push: none cannot be read: gone; check the path\n", exit: .failure))
    }
}
