import TestSupport
import Testing

@Suite("the command line", .blocking)
struct CommandLineTests {
    @Test("hearth version prints the version and ends with 0")
    func version() throws {
        let (exit, output, error) = try HubProcess.run(["version"])
        #expect(exit == .code(0) && error.isEmpty)
        #expect(output.hasPrefix("hearth ") && output.hasSuffix("\n") && output.split(separator: ".").count == 3)
    }

    @Test("help goes to standard output and ends with 0", arguments: [["--help"], ["help"], ["serve", "--help"]])
    func help(arguments: [String]) throws {
        let (exit, output, error) = try HubProcess.run(arguments)
        #expect(exit == .code(0) && error.isEmpty)
        #expect(output.hasPrefix("Usage: hearth "))
    }

    @Test(
        "bad usage ends with 2 and one line on standard error",
        arguments: [
            (["fetch"], "hearth: unknown command 'fetch'; see hearth --help\n"),
            (["serve", "--prot", "1"], "hearth serve: unknown option '--prot'; see hearth serve --help\n"),
            (
                ["serve", "--dev", "--host", "0.0.0.0"],
                "hearth serve: --dev is open to everybody who reaches 0.0.0.0; use --host 127.0.0.1, or add "
                    + "--dev-allow-remote if that is meant\n"
            ),
        ])
    func badUsage(arguments: [String], text: String) throws {
        let (exit, output, error) = try HubProcess.run(arguments)
        #expect(exit == .code(2) && output.isEmpty)
        #expect(error == text)
    }

    @Test("a configuration file that is not there ends with 1")
    func missingFile() throws {
        let (exit, _, error) = try HubProcess.run(["serve", "--config", "/nonexistent"])
        #expect(exit == .code(1))
        #expect(error.hasPrefix("hearth serve: /nonexistent cannot be read: ") && error.hasSuffix("check the path\n"))
    }

    @Test(
        "hearth rules test finds every case of the project's own sets of rules as expected",
        arguments: [
            ("todos", 14), ("chat", 16), ("presence", 10), ("roles", 14), ("rate-limit", 9), ("append-only-log", 11),
            ("orders", 13), ("usernames", 11),
        ])
    func rulesTest(name: String, count: Int) throws {
        let file = Self.cases + name
        let (exit, output, error) = try HubProcess.run(
            ["rules", "test", file + ".rules.json", file + ".cases.json", "--coverage"])
        #expect(exit == .code(0) && error.isEmpty)
        #expect(output.contains("\nCoverage: ") && output.hasSuffix("\n\n\(count) cases passed\n"))
        #expect(try HubProcess.run(["rules", "check", file + ".rules.json"]).exit == .code(0))
    }

    @Test("hearth rules ends with 1 and says why when rules deny, or are wrong")
    func rulesRefusals() throws {
        let denied = try HubProcess.run(["rules", "simulate", Self.cases + "todos.rules.json", "read", "/todos"])
        #expect(denied.exit == .code(1) && denied.output.isEmpty)
        #expect(denied.error == "denied: there is no .read rule on the way to \"/todos\"\n")
        let folder = TemporaryFolder()
        let wrong = folder.write(#"{"rules": {".read": "auth.uid = 'x'"}}"#, to: "wrong.json")
        let refused = try HubProcess.run(["rules", "check", wrong])
        #expect(refused.exit == .code(1) && refused.output.isEmpty)
        #expect(refused.error.hasPrefix("\(wrong):1:31: Rule expressions may not contain assignments.\n"))
        let missing = try HubProcess.run(["rules", "check", "/nonexistent"])
        #expect(missing.exit == .code(1))
        #expect(missing.error.hasPrefix("hearth rules check: /nonexistent cannot be read: No such file"))
    }

    /// Where the sets of rules are, from the place of this source file.
    private static let cases =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
        + "/SecurityRulesTests/Cases/"
}
