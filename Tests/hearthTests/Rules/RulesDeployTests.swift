import Testing

@testable import hearth

private let base = "http://127.0.0.1:9000/"
private let rules = "{\"rules\": {\n  \".read\": \"dota.exists()\"\n}}\n"

@Suite("hearth rules of a hub")
struct RulesDeployTests {
    @Test("get prints the source, of now or of a version")
    func get() {
        let hub = ScriptedHub((200, "// Mine\n{}"), (200, #"{"number":2,"text":"{}\n"}"#))
        #expect(hub.run("rules get --ns shop") == CommandResult(output: "// Mine\n{}\n"))
        #expect(hub.run("rules get --version 2") == CommandResult(output: "{}\n"))
        #expect(
            hub.requests.map(\.url) == [
                base + ".settings/rules.json?ns=shop", base + ".hub/v1/ns/default/rules/versions/2",
            ])
        #expect(hub.run("rules get --version new").exit == .usage)
    }

    @Test("set sends the file as it is")
    func set() {
        let hub = ScriptedHub((200, #"{"status":"ok"}"#), (200, #"{"status":"ok"}"#))
        hub.files = ["rules.json": rules, "-": rules]
        #expect(hub.run("rules set rules.json --ns shop") == CommandResult(output: "rules.json: in force in shop\n"))
        #expect(hub.run("rules set - --dry-run").output == "standard input: default would take it\n")
        #expect(hub.requests.map(\.url) == ["?ns=shop", "?dryRun=true"].map { base + ".settings/rules.json" + $0 })
        #expect(hub.requests.map(\.body) == [rules, rules] && hub.requests.map(\.method) == ["PUT", "PUT"])
    }

    @Test("set shows what is wrong in the file")
    func problems() {
        let answer = #"{"error":"2:13: Unknown variable 'dota'.\n3:1: Something: else.\n"}"#
        let hub = ScriptedHub((400, answer), (400, answer), (401, #"{"error":"Permission denied"}"#))
        hub.files = ["rules.json": rules]
        #expect(
            hub.run("rules set rules.json")
                == CommandResult(
                    error: """
                        rules.json:2:13: Unknown variable 'dota'.
                           2 | ".read": "dota.exists()"
                             |           ^
                        rules.json:3:1: Something: else.
                           3 | }}
                             | ^

                        """, exit: .failure))
        let json = hub.run("rules set rules.json --json")
        #expect(json.output.hasPrefix(#"{"problems":[{"line":2,"column":13,"message":"Unknown variable 'dota'."},"#))
        #expect(hub.run("rules set rules.json").error.hasPrefix("hearth rules set: Permission denied; "))
    }

    @Test("versions lists what was in force and when")
    func versions() {
        let hub = ScriptedHub(
            (
                200,
                #"""
                {"versions":[{"number":1,"time":1699827200000,"author":"file","bytes":41,"current":false},
                {"number":12,"time":1699999940000,"author":"administrator","bytes":1410,"current":true}]}
                """#
            ), (200, #"{"versions":[]}"#))
        #expect(
            hub.run("rules versions").output == """
                VERSION  SET                       AGO  BYTES  AUTHOR
                      1  2023-11-12 22:13 UTC  2 d 0 h     41  file
                     12  2023-11-14 22:12 UTC  1 m 0 s  1,410  administrator  in force

                """)
        #expect(hub.run("rules versions").output == "default never had rules of its own\n")
    }

    @Test("rollback names a version")
    func rollback() {
        let hub = ScriptedHub((200, #"{"number":13}"#))
        #expect(hub.run("rules rollback 1").output == "version 13 with the rules of version 1: in force in default\n")
        #expect(hub.requests.first?.url == base + ".hub/v1/ns/default/rules/rollback")
        #expect(hub.requests.first?.body == #"{"version":1}"#)
        #expect(hub.run("rules rollback first").exit == .usage)
    }
}
