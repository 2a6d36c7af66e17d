import TestSupport
import Testing

@testable import hearth

@Suite("completions for bash")
struct CompletionsTests {
    /// What bash offers for the last of some words.
    private func offers(_ words: String...) throws -> [String] {
        let folder = TemporaryFolder()
        let script = folder.write(
            Completions.bash + "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _hearth; echo \"${COMPREPLY[*]}\"\n",
            to: "script")
        let (_, output, _) = try HubProcess.run(command: ["/bin/bash", script] + words)
        return output.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    @Test("offer commands, commands of groups, and options")
    func words() throws {
        #expect(try offers("hearth", "ex") == ["export"])
        #expect(try offers("hearth", "rules", "r") == ["rollback"])
        #expect(try offers("hearth", "namespace", "") == ["list", "create", "delete"])
        #expect(try offers("hearth", "namespace", "delete", "x", "--y") == ["--yes"])
        #expect(try offers("hearth", "serve", "--po") == ["--port"])
        #expect(try offers("hearth", "get", "/a", "--sh") == ["--shallow"])
    }

    @Test("leave what is no option to the names of files")
    func files() throws {
        #expect(try offers("hearth", "import", "x").isEmpty)
        #expect(try offers("hearth", "rules", "set", "x").isEmpty)
    }

    @Test("are refused for other shells")
    func others() {
        #expect(
            ScriptedHub().run("completions fish")
                == CommandResult(
                    error: "hearth completions: there are no completions for 'fish'; give bash\n", exit: .usage))
    }
}
