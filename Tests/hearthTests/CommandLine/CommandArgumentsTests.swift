import Testing

@testable import hearth

private let syntax = CommandSyntax(
    name: "hearth try", operands: ["FILE", "[VALUE]"],
    options: [
        .init(name: "json", help: "print JSON"), .init(name: "as", argument: "AUTH", help: "who asks\nand more"),
    ],
    summary: "Tries a file.", epilogue: "That is all.")

@Suite("the arguments of a sub-command")
struct CommandArgumentsTests {
    private func arguments(_ text: String) throws(CommandProblem) -> CommandArguments? {
        try CommandArguments(text.split(separator: " ").map(String.init), of: syntax)
    }

    @Test("are operands and options in any order")
    func order() throws {
        let arguments = try #require(try arguments("--as=ada file --json -"))
        #expect(arguments.operands == ["file", "-"])
        #expect(arguments["as"] == "ada" && arguments.isOn("json"))
        let others = try #require(try self.arguments("file --as x=y"))
        #expect(others["as"] == "x=y" && !others.isOn("json"))
    }

    @Test("after -- are operands, whatever they look like")
    func separator() throws {
        #expect(try arguments("-- --json --")?.operands == ["--json", "--"])
    }

    @Test("may be negative numbers, and the last of them many")
    func numbersAndLists() throws {
        #expect(try arguments("file -5")?.operands == ["file", "-5"])
        let syntax = CommandSyntax(name: "hearth try", operands: ["[FILE...]"], options: [], summary: "")
        #expect(try CommandArguments(["a", "b", "c"], of: syntax)?.operands == ["a", "b", "c"])
        #expect(try CommandArguments([], of: syntax)?.operands == [])
    }

    @Test("may ask for help, whatever else is wrong", arguments: ["--help", "file -h", "a b --help c d"])
    func help(text: String) throws { #expect(try arguments(text) == nil) }

    @Test(
        "that make no sense are refused with a sentence that says what to do",
        arguments: [
            ("", "FILE is missing; see hearth try --help"),
            ("a b c", "unexpected argument 'c'; see hearth try --help"),
            ("a --jsn", "unknown option '--jsn'; see hearth try --help"),
            ("a -j", "unknown option '-j'; see hearth try --help"),
            ("a --json=1", "--json takes no value; leave out what follows the '='"),
            ("a --as", "--as needs a value: --as AUTH"),
            ("a --as x --as y", "--as is given twice; give it once"),
        ])
    func refusals(text: String, problem: String) {
        #expect(throws: CommandProblem.usage(problem)) { try arguments(text) }
    }

    @Test("are explained in the help")
    func helpText() {
        #expect(
            syntax.help == """
                Usage: hearth try FILE [VALUE] [OPTION...]

                Tries a file.

                  --json            print JSON
                  --as AUTH         who asks
                                    and more

                That is all.

                """)
        for command in CommandTable.commands {
            for line in command.syntax.help.split(separator: "\n") { #expect(line.count <= 92, "\(line)") }
        }
        for line in Help.overview.split(separator: "\n") { #expect(line.count <= 88, "\(line)") }
    }
}
