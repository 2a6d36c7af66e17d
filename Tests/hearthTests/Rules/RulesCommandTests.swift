import Testing

@testable import hearth

private let rules = """
    // Notes of one person each.
    {
      "rules": {
        "notes": {
          "$uid": {
            ".read": "auth != null && auth.uid == $uid",
            ".write": "auth.uid == $uid",
            ".validate": "newData.isString()
              && newData.val().length <= 5"
          }
        }
      }
    }
    """

private let cases = """
    {
      "now": 1700000000000,
      "identities": {"ada": {"uid": "ada"}},
      "data": {"notes": {"ada": "tea"}},
      "cases": [
        {"name": "own notes", "read": "/notes/ada", "as": "ada", "expect": "allow"},
        {"name": "notes of others", "read": "/notes/bob", "as": "ada", "expect": "deny"},
        {"set": "/notes/ada", "value": "milk", "as": "ada", "expect": "allow"}
      ]
    }
    """

/// What `hearth rules …` does with some files.
private func run(
    _ arguments: [String], files: [String: String] = [:], style: TextStyle = .plain
) -> CommandResult {
    let files = ["rules": rules, "cases": cases].merging(files) { $1 }
    let environment = CommandEnvironment(
        read: { path throws(CommandProblem) in
            guard let text = files[path] else { throw .failure("\(path) cannot be read: gone; check the path") }
            return Array(text.utf8)
        },
        now: 1_700_000_000_000, style: style, errorStyle: style)
    return RulesCommand.group.result(of: arguments, in: environment)
}

private func run(_ arguments: String, files: [String: String] = [:]) -> CommandResult {
    run(arguments.split(separator: " ").map(String.init), files: files)
}

@Suite("hearth rules")
struct RulesCommandTests {
    @Test("says what it can do")
    func help() {
        #expect(run("--help") == CommandResult(output: RulesCommand.group.help))
        #expect(run("") == CommandResult(error: RulesCommand.group.help, exit: .usage))
        #expect(run("check --help") == CommandResult(output: RulesCheck.syntax.help))
        #expect(run("test -h").output.hasPrefix("Usage: hearth rules test FILE CASES [OPTION...]\n"))
        #expect(run("simulate --help").output.hasPrefix("Usage: hearth rules simulate FILE OPERATION PATH [VALUE]"))
        for line in RulesCommand.group.help.split(separator: "\n") { #expect(line.count <= 88) }
    }

    @Test(
        "refuses what makes no sense",
        arguments: [
            ("lint", "hearth rules: unknown command 'lint'; see hearth rules --help"),
            ("check", "hearth rules check: FILE is missing; see hearth rules check --help"),
            ("test rules", "hearth rules test: CASES is missing; see hearth rules test --help"),
            ("test - -", "hearth rules test: standard input cannot be both files; name one of them"),
            ("simulate rules push /", "hearth rules simulate: there is no operation 'push'; give read, set or update"),
            ("simulate rules set /", "hearth rules simulate: VALUE is missing; give JSON, @FILE or -"),
            ("simulate rules read / 1", "hearth rules simulate: a read takes no VALUE; leave it out"),
            (
                "simulate rules read / --now noon",
                "hearth rules simulate: --now cannot be 'noon'; give milliseconds since 1970"
            ),
            (
                "simulate rules set / {",
                "hearth rules simulate: VALUE is not JSON: The JSON text ends too early; send it whole (at byte 1)"
            ),
            (
                "simulate rules read / --data tea",
                "hearth rules simulate: --data is not JSON: An unknown word; only true, false and null may stand "
                    + "without quotes (at byte 1)"
            ),
            (
                #"simulate rules read / --query {"orderByKey":true,"startAt":1}"#,
                "hearth rules simulate: \"startAt\" is no key, and the query is ordered by key; give a string"
            ),
        ])
    func usage(arguments: String, text: String) {
        #expect(run(arguments, files: ["-": "{}"]) == CommandResult(error: text + "\n", exit: .usage))
    }

    @Test("fails on files that cannot be read", arguments: ["check none", "test rules none", "simulate none read /"])
    func missing(arguments: String) {
        let result = run(arguments)
        #expect(result.exit == .failure && result.output.isEmpty)
        #expect(result.error.hasSuffix(": none cannot be read: gone; check the path\n"))
    }
}

@Suite("hearth rules check")
struct RulesCheckTests {
    @Test("counts the rules that are fine")
    func fine() {
        #expect(run("check rules") == CommandResult(output: "rules: 3 rules, no problems\n"))
        #expect(run("check rules --json") == CommandResult(output: #"{"rules":3,"problems":[]}"# + "\n"))
        let rich = run(["check", "-"], files: ["-": #"{"rules": {".read": true}}"#], style: .rich)
        #expect(rich.output == "\u{1B}[32m✔\u{1B}[0m standard input: 1 rule, no problems\n")
    }

    private static let wrong = """
        {"rules": {
          ".write": "dota.exists()",
          "a": {".read": "data.val().matches(/a/g)"}
        }}
        """

    @Test("shows each problem in its line, from the first to the last")
    func problems() {
        let result = run("check wrong", files: ["wrong": Self.wrong])
        #expect(
            result.error == """
                wrong:2:14: Unknown variable 'dota'.
                   2 | ".write": "dota.exists()",
                     |            ^
                wrong:3:38: regular expressions do not support flags other than i
                   3 | "a": {".read": "data.val().matches(/a/g)"}
                     |                                    ^

                """)
        #expect(result.exit == .failure && result.output.isEmpty)
    }

    @Test("lists problems for programs")
    func json() {
        let result = run("check wrong --json", files: ["wrong": Self.wrong])
        #expect(
            result.output == #"{"problems":[{"line":2,"column":14,"message":"Unknown variable 'dota'."},"#
                + #"{"line":3,"column":38,"message":"regular expressions do not support flags other than i"}]}"# + "\n")
        #expect(result.exit == .failure && result.error.isEmpty)
    }

    @Test("warns of rules that are longer than a hub takes")
    func long() {
        let padding = String(repeating: " ", count: 262_144)
        let result = run("check long", files: ["long": "{\"rules\": {}}" + padding])
        #expect(result.output == "long: 0 rules, no problems\n" && result.exit == .success)
        #expect(
            result.error == "hearth rules check: long: the rules have 262157 bytes, and a hub takes 262144; "
                + "leave out or shorten some\n")
    }
}

@Suite("hearth rules test")
struct RulesTestTests {
    @Test("lists the cases that came out as expected")
    func passing() {
        #expect(
            run("test rules cases")
                == CommandResult(
                    output: """
                        pass own notes
                        pass notes of others
                        pass set /notes/ada as ada

                        3 cases passed

                        """))
    }

    private static let failing = """
        {"cases": [
          {"name": "all notes", "read": "/notes", "expect": "allow"},
          {"name": "not of others", "read": "/notes/bob", "as": {"uid": "bob"}, "expect": "deny"},
          {"name": "long", "update": "/notes", "values": {"bob": "coffee", "ada": "x"}, "as": {"uid": "bob"},
           "expect": "allow"},
          {"name": "too much", "set": "/n", "value": {".sv": {"increment": 1.7e308}}, "data": {"n": 1.7e308},
           "expect": "deny"}
        ]}
        """

    @Test("says where others failed, and which rule decided")
    func failing() {
        let result = run("test rules failing", files: ["failing": Self.failing])
        #expect(
            result.output == """
                FAIL all notes
                    failing:2: read /notes, signed out
                    expected allow, but there is no .read rule on the way to "/notes"

                FAIL not of others
                    failing:3: read /notes/bob
                    expected deny, but .read at /notes/$uid allows it:
                       6 | ".read": "auth != null && auth.uid == $uid",
                         |           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ true

                FAIL long
                    failing:4: update /notes with 2 changes
                    expected allow, but the .validate rule for "/notes/bob" is not true:
                       9 | && newData.val().length <= 5"
                         |    ^~~~~~~~~~~~~~~~~~~~~~~~~ false for /notes/bob
                           newData.val() is 'coffee'
                           newData.val().length is 6
                    and no .write rule on the way to "/notes/ada" is true:
                       7 | ".write": "auth.uid == $uid",
                         |            ^~~~~~~~~~~~~~~~ false for /notes/ada
                           auth.uid is 'bob'
                           $uid is 'ada'

                FAIL too much
                    failing:6: set /n, signed out
                    The increment at "/n" leaves the range of numbers; write a value below 1.8e308 there

                0 cases passed, 4 failed

                """)
        #expect(result.error == "hearth rules test: 4 of 4 cases failed\n")
        #expect(result.exit == .failure)
    }

    @Test("tells why a rule failed")
    func error() {
        let file = #"{"rules": {".read": "data.val() > 5"}}"#
        let result = run(
            "test file one", files: ["file": file, "one": #"{"cases": [{"read": "/", "expect": "allow"}]}"#])
        #expect(
            result.output.contains(
                """
                       1 | {"rules": {".read": "data.val() > 5"}}
                         |                      ^~~~~~~~~~~~~~ error for /
                           the operands are not two numbers or two strings; test their types first
                           data.val() is null
                """))
    }

    @Test("says what no case tried")
    func coverage() {
        let result = run("test rules cases --coverage")
        #expect(
            result.output.hasSuffix(
                """
                pass set /notes/ada as ada

                Coverage: 3 of 3 rules evaluated, 9 of 14 outcomes seen

                  Booleans never seen both ways
                       6:19 never false: auth != null
                       7:20 never false: auth.uid == $uid
                       8:23 never false: newData.isString() && newData.val().length <= 5
                       8:23 never false: newData.isString()
                       9:14 never false: newData.val().length <= 5

                  .validate rules that never failed
                       8:23 .validate at /notes/$uid

                3 cases passed

                """))
        let other = run(
            "test rules none --coverage", files: ["none": #"{"cases": [{"read": "/notes", "expect": "deny"}]}"#])
        #expect(
            other.output.contains(
                """
                  Rules never evaluated
                       6:19 .read at /notes/$uid
                       7:20 .write at /notes/$uid
                       8:23 .validate at /notes/$uid

                  Wildcards never bound
                    /notes/$uid

                """))
    }

    @Test("gives programs each case with its decision, and the trace of those that failed")
    func json() {
        let passing = run("test rules cases --json").output
        #expect(passing.hasPrefix(#"{"passed":3,"failed":0,"cases":[{"name":"own notes","line":6,"passed":true,"#))
        #expect(
            passing.contains(#""expected":"allow","allowed":true,"reason":null,"grantedBy":{"rulePath":"/notes/$uid","#)
        )
        #expect(!passing.contains("\"trace\"") && !passing.contains("\"coverage\""))
        let failing = run("test rules failing --json --coverage", files: ["failing": Self.failing])
        #expect(failing.exit == .failure && failing.error.isEmpty)
        #expect(failing.output.contains(#""reason":"there is no .read rule on the way to \"/notes\"""#))
        #expect(failing.output.contains(#""trace":[{"path":"/notes/bob","rulePath":"/notes/$uid","kind":".read""#))
        #expect(failing.output.contains(#""problem":"The increment at"#))
        #expect(failing.output.contains(#""coverage":{"rules":3,"evaluated":3,"#))
    }

    @Test("shows the place of a problem in the cases")
    func problem() {
        let result = run("test rules wrong", files: ["wrong": "{\"cases\": [\n  {\"read\": \"/\", \"as\": \"eve\"}]}"])
        #expect(
            result.error == """
                wrong:2:23: there is no identity "eve"; describe it under "identities"
                   2 | {"read": "/", "as": "eve"}]}
                     |                     ^

                """)
        #expect(result.exit == .failure && result.output.isEmpty)
    }

    @Test("shows the problems of the rules before it asks them")
    func wrongRules() {
        let result = run("test wrong cases", files: ["wrong": "{}"])
        #expect(result.error.hasPrefix("wrong:1:2: Expected 'rules' property.\n") && result.exit == .failure)
        #expect(run("test wrong cases --json", files: ["wrong": "{}"]).output.hasPrefix("{\"problems\":[{\"line\":1,"))
    }

    @Test("marks cases in a terminal")
    func rich() {
        let result = run(["test", "rules", "cases"], style: .rich)
        #expect(result.output.hasPrefix("\u{1B}[32m✔\u{1B}[0m own notes\n"))
        var colourless = TextStyle.rich
        colourless.hasColour = false
        #expect(run(["test", "rules", "cases"], style: colourless).output.hasPrefix("✔ own notes\n"))
    }
}

@Suite("hearth rules simulate")
struct RulesSimulateTests {
    @Test("lists the rules that were asked, and the one that granted")
    func allowed() {
        let result = run(["simulate", "rules", "set", "/notes/ada", "\"milk\"", "--as", "ada"])
        #expect(
            result
                == CommandResult(
                    output: """
                        true  .write    /notes/ada  (7:20 /notes/$uid)
                        true  .validate /notes/ada  (8:23 /notes/$uid)
                        allowed by .write at /notes/$uid (7:20)

                        """))
    }

    @Test("says why an operation is denied")
    func denied() {
        let result = run(["simulate", "rules", "read", "notes/bob", "--as", #"{"uid": "ada"}"#])
        #expect(
            result.output == """
                false .read     /notes/bob  (6:19 /notes/$uid)
                     6 | ".read": "auth != null && auth.uid == $uid",
                       |                           ^~~~~~~~~~~~~~~~ false for /notes/bob
                         auth.uid is 'ada'
                         $uid is 'bob'

                """)
        #expect(result.error == "denied: no .read rule on the way to \"/notes/bob\" is true\n")
        #expect(result.exit == .failure)
        let elsewhere = run("simulate rules read /x")
        #expect(elsewhere.output.isEmpty)
        #expect(elsewhere.error == "denied: there is no .read rule on the way to \"/x\"\n")
    }

    @Test("takes values from files, and the time and the data as they are given")
    func inputs() {
        let file = """
            {"rules": {".read": "data.val() == 'tea' && now == 5 && query.limitToFirst == 2 && auth.a.b == 1",
             ".write": "newData.child('t').val() == now"}}
            """
        let files = ["file": file, "tea": "\"tea\"", "auth": #"{"a": {"b": 1}}"#, "-": #"{"t": {".sv": "timestamp"}}"#]
        let read = run(
            ["simulate", "file", "read", "/", "--data", "@tea", "--now", "5", "--query", #"{"limitToFirst": 2}"#]
                + ["--as", "@auth"], files: files)
        #expect(read.exit == .success)
        #expect(run("simulate file update / -", files: files).exit == .success)
        #expect(run("simulate file set / -", files: files).exit == .success)
        #expect(run("simulate file set / @tea --as null", files: files).exit == .failure)
        #expect(run("simulate file update / {}", files: files).exit == .failure)
    }

    @Test("gives programs the decision and its trace")
    func json() {
        let result = run("simulate rules read /notes/ada --as ada --json")
        #expect(result.output.hasPrefix(#"{"allowed":true,"reason":null,"grantedBy":{"rulePath":"/notes/$uid","#))
        #expect(result.output.contains(#""trace":[{"path":"/notes/ada","#) && result.exit == .success)
        let denied = run("simulate rules read /notes --json")
        #expect(denied.output.hasPrefix(#"{"allowed":false,"#) && denied.error.isEmpty && denied.exit == .failure)
    }

    @Test("fails when the operation cannot be carried out")
    func impossible() {
        let result = run(
            ["simulate", "rules", "set", "/n", #"{".sv": {"increment": 1.7e308}}"#, "--data", #"{"n": 1.7e308}"#])
        #expect(result.exit == .failure && result.error.hasPrefix("hearth rules simulate: The increment at"))
    }
}

extension TextStyle {
    fileprivate static let rich = TextStyle(isRich: true, hasColour: true, width: 100)
}
