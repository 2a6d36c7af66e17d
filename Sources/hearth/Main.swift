import Glibc

/// `hearth COMMAND …`: finds the command and ends the process with its exit code.
@main
enum Main {
    static func main() {
        // A client that went away, or the reader of standard output, is no reason to die.
        signal(SIGPIPE, SIG_IGN)
        exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    private static func run(_ arguments: [String]) -> ExitCode {
        switch arguments.first {
        case "serve":
            return Serve.run(arguments: Array(arguments.dropFirst()))
        case "version", "--version":
            StandardStreams.output("hearth \(Version.current)\n")
            return .success
        case "help", "--help", "-h":
            StandardStreams.output(Help.overview)
            return .success
        case nil:
            StandardStreams.error(Help.overview)
            return .usage
        case let name?:
            guard let entry = CommandTable.entry(named: name) else {
                StandardStreams.error("hearth: unknown command '\(name)'; see hearth --help\n")
                return .usage
            }
            let result = entry.result(of: Array(arguments.dropFirst()), in: .process)
            StandardStreams.output(result.output)
            StandardStreams.error(result.error)
            return result.exit
        }
    }
}
