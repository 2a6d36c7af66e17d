import Testing

@testable import hearth

private let base = "http://127.0.0.1:9000/.hub/v1"

@Suite("hearth namespace")
struct NamespaceCommandTests {
    @Test("list shows a table, or the hub's answer")
    func list() {
        let answer = #"""
            {"namespaces":[{"name":"default","loaded":true,"leaves":12345,"connections":3},
            {"name":"shop","loaded":false,"leaves":null,"connections":null}]}
            """#
        let hub = ScriptedHub((200, answer), (200, answer))
        #expect(
            hub.run("namespace list").output == """
                NAMESPACE  LEAVES  CONNECTIONS  STATE
                default    12,345            3  in memory
                shop            -            -  on disk

                """)
        #expect(hub.run("namespace list --json").output == answer + "\n")
        #expect(hub.requests.first == .init(method: "GET", url: base + "/namespaces"))
    }

    @Test("create makes one, and refuses what is no name")
    func create() {
        let hub = ScriptedHub(
            (200, #"{"name":"shop"}"#),
            (409, #"{"error":{"code":"exists","text":"There is one.","remedy":"Choose another name."}}"#))
        #expect(hub.run("namespace create shop") == CommandResult(output: "created shop\n"))
        #expect(
            hub.requests == [
                .init(method: "POST", url: base + "/namespaces", type: "application/json", body: #"{"name":"shop"}"#)
            ])
        #expect(hub.run("namespace create _x").exit == .usage)
        #expect(
            hub.run("namespace create shop")
                == CommandResult(
                    error: "hearth namespace create: There is one. Choose another name.\n", exit: .failure))
    }

    @Test("delete asks, and confirms by the name")
    func delete() {
        let hub = ScriptedHub((200, #"{"name":"shop"}"#))
        #expect(
            hub.run("namespace delete shop")
                == CommandResult(
                    error: "hearth namespace delete: nobody is there to agree; add --yes if that is meant\n",
                    exit: .usage))
        #expect(hub.requests.isEmpty)
        #expect(hub.run("namespace delete shop --yes") == CommandResult(output: "deleted shop\n"))
        #expect(
            hub.requests == [
                .init(
                    method: "DELETE", url: base + "/namespaces/shop", type: "application/json",
                    body: #"{"confirm":"shop"}"#)
            ])
    }

    @Test("says what it can do")
    func help() {
        #expect(ScriptedHub().run("namespace --help").output == NamespaceCommand.group.help)
        #expect(ScriptedHub().run("namespace").exit == .usage)
        #expect(
            ScriptedHub().run("namespace drop")
                == CommandResult(
                    error: "hearth namespace: unknown command 'drop'; see hearth namespace --help\n", exit: .usage))
    }
}

@Suite("hearth connections")
struct ConnectionsCommandTests {
    private let answer = #"""
        {"total":3,"connections":[
        {"id":"0.12.3","ns":"default","transport":"websocket","uid":"ada","admin":false,"since":1699991960000,
        "address":"127.0.0.1","agent":"Firebase/5/10.1.0/21","listens":2,"onDisconnect":1},
        {"id":"1.0.1","ns":"shop","transport":"sse","uid":null,"admin":true,"since":1699999997000,
        "address":"::1","agent":"hearth","listens":1,"onDisconnect":0}]}
        """#

    @Test("list shows who is there and for how long")
    func list() {
        let hub = ScriptedHub((200, answer), (200, #"{"total":0,"connections":[]}"#))
        #expect(
            hub.run("connections list --ns shop --uid ada --limit 2").output == """
                ID      NAMESPACE  USER             TRANSPORT     SINCE  LISTENS  LEAVING  ADDRESS    AGENT
                0.12.3  default    ada              websocket  2 h 14 m        2        1  127.0.0.1  Firebase/5/10.1.0/21
                1.0.1   shop       (administrator)  sse             3 s        1        0  ::1        hearth
                2 of 3 connections

                """)
        #expect(hub.requests.first?.url == base + "/connections?ns=shop&uid=ada&limit=2")
        #expect(hub.run("connections list") == CommandResult(output: "no connections\n"))
        #expect(hub.run("connections list --limit 0").exit == .usage)
    }

    @Test("fits the terminal")
    func width() {
        let hub = ScriptedHub((200, answer))
        hub.style = TextStyle(isRich: true, hasColour: false, width: 96)
        let output = hub.run("connections list").output
        #expect(output.contains("…\n"))
        for line in output.split(separator: "\n") { #expect(line.count <= 96) }
    }

    @Test("kick names connections, or a user")
    func kick() {
        let hub = ScriptedHub((200, #"{"kicked":2}"#), (200, #"{"kicked":1}"#))
        #expect(hub.run("connections kick 0.1.2 0.1.3") == CommandResult(output: "ended 2 connections\n"))
        #expect(
            hub.run("connections kick --uid ada --ns shop --dry-run")
                == CommandResult(output: "would end 1 connection\n"))
        #expect(
            hub.requests.map(\.body) == [#"{"ids":["0.1.2","0.1.3"]}"#, #"{"uid":"ada","ns":"shop","dryRun":true}"#])
        #expect(hub.requests.map(\.url) == [base + "/connections/kick", base + "/connections/kick"])
        #expect(hub.run("connections kick --ns shop").exit == .usage)
    }
}
