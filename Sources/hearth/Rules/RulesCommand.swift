/// `hearth rules …`: security rules in files, checked, tested and asked without a hub.
enum RulesCommand {
    static func run(_ arguments: [String]) -> ExitCode {
        let result = result(of: arguments, in: .process)
        StandardStreams.output(result.output)
        StandardStreams.error(result.error)
        return result.exit
    }

    static func result(of arguments: [String], in environment: CommandEnvironment) -> CommandResult {
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        case "check": return run(RulesCheck.syntax, rest, in: environment, RulesCheck.run)
        case "test": return run(RulesTest.syntax, rest, in: environment, RulesTest.run)
        case "simulate": return run(RulesSimulate.syntax, rest, in: environment, RulesSimulate.run)
        case "help", "--help", "-h": return CommandResult(output: Help.rules)
        case nil: return CommandResult(error: Help.rules, exit: .usage)
        case "get", "set", "versions", "rollback":
            return CommandResult(
                error: "hearth rules \(arguments[0]): not built yet in this version; see hearth rules --help\n",
                exit: .usage)
        case let command?:
            return CommandResult(
                error: "hearth rules: unknown command '\(command)'; see hearth rules --help\n", exit: .usage)
        }
    }

    private static func run(
        _ syntax: CommandSyntax, _ arguments: [String], in environment: CommandEnvironment,
        _ body: (CommandArguments, CommandEnvironment) throws(CommandProblem) -> CommandResult
    ) -> CommandResult {
        do throws(CommandProblem) {
            guard let arguments = try CommandArguments(arguments, of: syntax) else {
                return CommandResult(output: syntax.help)
            }
            return try body(arguments, environment)
        } catch {
            return CommandResult(error: "\(syntax.name): \(error.text)\n", exit: error.exitCode)
        }
    }
}
