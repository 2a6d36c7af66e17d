/// A sub-command: what it takes, and what it does.
struct SubCommand: Sendable {
    /// What it is for, in a few words.
    let brief: String
    let syntax: CommandSyntax
    let run: @Sendable (CommandArguments, CommandEnvironment) throws(CommandProblem) -> CommandResult

    /// The last word of how it is called.
    var name: String { syntax.name.split(separator: " ").last.map(String.init) ?? syntax.name }

    /// Reads the arguments and does what they say; `--help` among them explains it instead.
    func result(of arguments: [String], in environment: CommandEnvironment) -> CommandResult {
        do throws(CommandProblem) {
            guard let arguments = try CommandArguments(arguments, of: syntax) else {
                return CommandResult(output: syntax.help)
            }
            return try run(arguments, environment)
        } catch {
            // Whoever closed the output knows.
            if error == .readerGone { return CommandResult(exit: .failure) }
            return CommandResult(error: "\(syntax.name): \(error.text)\n", exit: error.exitCode)
        }
    }
}

/// Sub-commands that stand behind one word, such as those of `hearth rules`.
struct CommandGroup: Sendable {
    /// As it is called: `hearth rules`.
    let name: String
    /// What it is for, in a few words.
    let brief: String
    /// What its help says before the list of sub-commands.
    let summary: String
    let commands: [SubCommand]

    func result(of arguments: [String], in environment: CommandEnvironment) -> CommandResult {
        guard let word = arguments.first else { return CommandResult(error: help, exit: .usage) }
        if ["help", "--help", "-h"].contains(word) { return CommandResult(output: help) }
        guard let command = commands.first(where: { $0.name == word }) else {
            return CommandResult(error: "\(name): unknown command '\(shown(word))'; see \(name) --help\n", exit: .usage)
        }
        return command.result(of: Array(arguments.dropFirst()), in: environment)
    }

    /// The text of `--help`.
    var help: String {
        var text = "Usage: \(name) COMMAND [ARGUMENT...]\n\n\(summary)\n\n"
        for command in commands { text += Help.entry(command.name, command.brief) }
        return text
            + "\nEach has its own help: \(name) COMMAND --help.\nExit codes: 0 success, 1 refused or failed, 2 bad usage.\n"
    }
}
