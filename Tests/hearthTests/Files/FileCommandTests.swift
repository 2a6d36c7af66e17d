import Glibc
import TestSupport
import Testing

@testable import hearth

private let rules = #"{"rules": {".read": true}}"#
private let head =
    #"{"hearth":1,"namespace":"default","path":"/","time":5,"leaves":2,"rules":"{\"rules\": {\".read\": true}}"}"#
private let data = #"{"a":{".priority":1,"x":1},"b":"é"}"#

@Suite("hearth export")
struct ExportTests {
    private let folder = TemporaryFolder()

    private func contents(_ name: String) -> String? { TemporaryFolder.contents(of: folder.path(of: name)) }

    /// What lies in the folder.
    private var names: [String] { TemporaryFolder.names(in: folder.path) }

    @Test("writes data and rules into two files, however the answer is cut")
    func files() {
        for size in [1, 7, 1000] {
            let pieces = (head + "\n" + data).pieces(of: size)
            let hub = ScriptedHub(answers: [.success((200, pieces))])
            let path = folder.path(of: "shop.json")
            let result = hub.run("export \(path) --ns shop --auth owner")
            #expect(result.exit == .success && result.error.isEmpty)
            #expect(result.output.hasPrefix("\(path): 2 leaves, 36 bytes in "))
            #expect(result.output.hasSuffix("; rules in \(folder.path(of: "shop.rules.json"))\n"))
            #expect(contents("shop.json") == data && contents("shop.rules.json") == rules)
            #expect(names == ["shop.json", "shop.rules.json"])
            #expect(
                hub.requests == [
                    .init(
                        method: "GET", url: "http://127.0.0.1:9000/.hub/v1/ns/shop/export",
                        headers: ["Authorization: Bearer owner"])
                ])
        }
    }

    @Test("compresses what ends in .gz, and what it wrote it reads again")
    func compressed() throws {
        let hub = ScriptedHub((200, head + "\n" + data), (200, #"{"leaves":2,"rules":null}"#))
        let path = folder.path(of: "a.json.gz")
        #expect(hub.run("export \(path) --path /a").exit == .success)
        #expect(hub.requests.first?.url == "http://127.0.0.1:9000/.hub/v1/ns/default/export?path=%2Fa")
        #expect(hub.run("import \(path) --rules none").exit == .success)
        #expect(hub.requests.last?.body == data && hub.requests.last?.type == "application/json")
    }

    @Test("writes to standard output, and its summary beside it")
    func output() {
        let hub = ScriptedHub((200, head + "\n" + data))
        let result = hub.run("export -")
        #expect(hub.written == data && result.output.isEmpty)
        #expect(result.error.hasPrefix("exported: 2 leaves, 36 bytes in "))
    }

    @Test("prints its summary as JSON on request")
    func json() {
        let result = ScriptedHub((200, head + "\n" + data)).run("export \(folder.path(of: "a.json")) --json")
        #expect(result.output.hasPrefix(#"{"leaves":2,"bytes":36,"seconds":"#))
    }

    @Test("leaves the old file as it is unless all came, and no other behind")
    func failures() {
        folder.write("old", to: "a.json")
        let path = folder.path(of: "a.json")
        for answers: [Result<(status: Int, pieces: [String]), HTTPProblem>] in [
            [.success((401, ["{}"]))], [.failure(.broken("the connection broke; try again"))],
            [.success((200, [head + "\n"]))], [.success((200, ["null"]))], [.success((200, ["<html>\n<body>"]))],
        ] {
            let result = ScriptedHub(answers: answers).run("export \(path)")
            #expect(result.exit == .failure && !result.error.isEmpty)
            #expect(contents("a.json") == "old" && names == ["a.json"])
        }
    }

    @Test("tells of rules from another time that an import would take")
    func staleRules() {
        folder.write(rules, to: "a.rules.json")
        let path = folder.path(of: "a.json")
        let result = ScriptedHub((200, #"{"hearth":1,"leaves":1,"rules":null}"# + "\n1")).run("export \(path)")
        #expect(result.exit == .success && result.error.contains("a.rules.json is from another time"))
    }

    @Test("refuses places where no file can be")
    func places() {
        #expect(ScriptedHub().run("export \(folder.path)").error.contains("is a folder; name a file in it"))
        #expect(
            ScriptedHub().run("export \(folder.path)/no/a").error.contains("No such file or directory; check the path"))
        #expect(ScriptedHub().run("export \(folder.path(of: "a/"))").exit == .usage)
    }

    @Test("follows a link to the file that it names")
    func link() {
        folder.write("old", to: "real.json")
        symlink(folder.path(of: "real.json"), folder.path(of: "link.json"))
        _ = ScriptedHub((200, #"{"hearth":1,"leaves":1,"rules":null}"# + "\n1")).run(
            "export \(folder.path(of: "link.json"))")
        #expect(contents("real.json") == "1" && names == ["link.json", "real.json"])
    }
}

@Suite("hearth import")
struct ImportTests {
    private let folder = TemporaryFolder()
    private let answer = #"{"children":2,"leaves":2,"bytes":36,"rules":3}"#

    @Test("sends a file with the rules that lie beside it, and says so")
    func companion() {
        let path = folder.write(data, to: "shop.json")
        let rulesPath = folder.write(rules, to: "shop.rules.json")
        let hub = ScriptedHub((200, answer))
        hub.files = [rulesPath: rules]
        let result = hub.run("import \(path) --ns shop")
        #expect(result.exit == .success && result.output.hasPrefix("/ in shop: 2 leaves, 36 bytes in "))
        #expect(result.output.hasSuffix("; rules of \(rulesPath) as version 3 (--rules none leaves them out)\n"))
        #expect(hub.requests.first?.url == "http://127.0.0.1:9000/.hub/v1/ns/shop/import?mode=empty")
        #expect(hub.requests.first?.type == "application/x-hearth-export")
        #expect(
            hub.requests.first?.body
                == #"{"hearth":1,"namespace":"shop","path":"/","rules":"{\"rules\": {\".read\": true}}"}"# + "\n" + data
        )
    }

    @Test("takes no rules for a part, and none on request")
    func withoutRules() {
        let path = folder.write(data, to: "shop.json")
        folder.write(rules, to: "shop.rules.json")
        let hub = ScriptedHub((200, answer), (200, answer))
        _ = hub.run("import \(path) --path /a --replace")
        _ = hub.run("import \(path) --rules none")
        #expect(
            hub.requests
                == ["import?mode=replace&path=%2Fa", "import?mode=empty"].map {
                    .init(
                        method: "POST", url: "http://127.0.0.1:9000/.hub/v1/ns/default/" + $0, type: "application/json",
                        body: data)
                })
    }

    @Test("asks a person before it replaces")
    func question() {
        let path = folder.write(data, to: "a.json")
        let hub = ScriptedHub((200, answer), (200, answer))
        hub.reply = "no"
        #expect(hub.run("import \(path) --replace").error == "hearth import: nothing was done, as you wish\n")
        #expect(hub.notes == "Replace everything at / in default? [y/N] " && hub.requests.isEmpty)
        #expect(hub.run("import \(path) --replace --yes").exit == .success)
        hub.reply = "y"
        #expect(hub.run("import \(path) --replace").exit == .success)
    }

    @Test(
        "says what the hub has against it",
        arguments: [
            (
                409, #"{"error":{"code":"not_empty","text":"Full.","remedy":""}}"#,
                "there is data at / in default already; add --replace to overwrite it, or choose another --path or --ns"
            ),
            (
                400,
                #"{"error":{"code":"invalid_data","text":"2:5: A key is empty; give it a character","remedy":""}}"#,
                "FILE:2:5: A key is empty; give it a character"
            ),
        ])
    func refusals(status: Int, body: String, text: String) {
        let path = folder.write(data, to: "a.json")
        let text = text.hasPrefix("FILE") ? path + text.dropFirst(4) : text
        #expect(
            ScriptedHub((status, body)).run("import \(path)")
                == CommandResult(error: "hearth import: \(text)\n", exit: .failure))
    }

    @Test("shows what is wrong with the rules in their file")
    func wrongRules() {
        let path = folder.write(data, to: "a.json")
        let answer = #"{"error":{"code":"invalid_rules","text":"1:12: Unknown key.\n","remedy":""}}"#
        let hub = ScriptedHub((400, answer))
        hub.files = ["rules.json": rules]
        let error = """
            rules.json:1:12: Unknown key.
               1 | {"rules": {".read": true}}
                 |            ^

            """
        #expect(hub.run("import \(path) --rules rules.json") == CommandResult(error: error, exit: .failure))
    }

    @Test("refuses what is no file of JSON before it sends anything")
    func files() {
        let cut = folder.path(of: "cut.gz")
        let whole = ScriptedHub((200, head + "\n" + data))
        _ = whole.run("export \(cut)")
        truncate(cut, 30)
        for (path, text) in [
            (folder.path, "\(folder.path) is a folder; name a file"),
            (
                folder.write("# Hello", to: "a"),
                "\(folder.path)/a is no JSON, it begins with '#'; give a file as hearth export writes it"
            ),
            (
                folder.write(" \n", to: "b"),
                "\(folder.path)/b holds nothing; give a file of JSON, as hearth export writes it"
            ),
            (cut, "\(cut) is compressed and ends too early; get it again"),
            ("/nonexistent", "/nonexistent cannot be read: No such file or directory; check the path"),
        ] {
            let hub = ScriptedHub()
            #expect(hub.run("import \(path)") == CommandResult(error: "hearth import: \(text)\n", exit: .failure))
            #expect(hub.requests.isEmpty)
        }
    }

    @Test("leaves out the mark that some editors put in front")
    func mark() {
        let hub = ScriptedHub((200, answer))
        _ = hub.run("import \(folder.write("\u{FEFF}{}", to: "a"))")
        #expect(hub.requests.first?.body == "{}")
    }

    @Test(
        "looks for rules beside the data under one name",
        arguments: [
            ("data.json", "data.rules.json"), ("a/data.json.gz", "a/data.rules.json"), ("data", "data.rules.json"),
            (".json", ".json.rules.json"),
        ])
    func companionNames(path: String, companion: String) { #expect(RulesCompanion.path(of: path) == companion) }
}

@Suite("hearth backup")
struct BackupTests {
    private let folder = TemporaryFolder()
    private let text = """
        {"hearth-backup":1,"time":1,"version":"0.1.0","namespaces":["a","b"]}
        {"name":"a"}
        {"x":1}
        {"name":"b"}
        null
        {"end":true}

        """

    @Test("writes what comes, however it is cut, and counts the namespaces")
    func file() {
        let path = folder.path(of: "hub")
        for size in [1, 5, 1000] {
            let result = ScriptedHub(answers: [.success((200, text.pieces(of: size)))]).run("backup \(path)")
            #expect(result.output.hasPrefix("\(path): 2 namespaces, \(text.utf8.count) bytes in "))
            #expect(TemporaryFolder.contents(of: path) == text)
        }
        let json = ScriptedHub((200, text)).run("backup \(path).gz --json")
        #expect(json.output.hasPrefix(#"{"namespaces":["a","b"],"bytes":"#))
    }

    @Test("makes no file of what has no end, or is something else")
    func incomplete() {
        for wrong in [String(text.dropLast(2)), "null\n{\"end\":true}\n", text + "x", ""] {
            #expect(ScriptedHub((200, wrong)).run("backup \(folder.path(of: "hub"))").exit == .failure)
            #expect(TemporaryFolder.names(in: folder.path).isEmpty)
        }
    }
}

extension String {
    /// The text in pieces of so many bytes, which must not cut a character.
    fileprivate func pieces(of size: Int) -> [String] {
        var pieces: [String] = []
        var piece = ""
        for character in self {
            piece.append(character)
            if piece.utf8.count >= size {
                pieces.append(piece)
                piece = ""
            }
        }
        return piece.isEmpty ? pieces : pieces + [piece]
    }
}
