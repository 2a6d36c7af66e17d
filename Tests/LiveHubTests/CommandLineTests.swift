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
        #expect(error.hasPrefix("hearth serve: /nonexistent cannot be read: ") && error.hasSuffix("--config\n"))
    }
}
