/// Why a sub-command does not do what was asked: a sentence that ends with the remedy.
enum CommandProblem: Error, Equatable {
    /// The command line makes no sense.
    case usage(String)
    /// The command line is fine, and yet it cannot be done.
    case failure(String)

    var exitCode: ExitCode {
        switch self {
        case .usage: .usage
        case .failure: .failure
        }
    }

    var text: String {
        switch self {
        case .usage(let text), .failure(let text): text
        }
    }
}

/// What a sub-command says and how it ends.
struct CommandResult: Equatable {
    /// For standard output.
    var output = ""
    /// For standard error.
    var error = ""
    var exit = ExitCode.success
}

/// What a sub-command has around it; tests give it another one.
struct CommandEnvironment {
    /// The bytes of a file, `-` for standard input.
    var read: (String) throws(CommandProblem) -> [UInt8]
    /// Milliseconds since 1970.
    var now: Int64
    /// How to write for whoever reads standard output.
    var style: TextStyle
    /// The same for standard error.
    var errorStyle: TextStyle

    /// That of the process.
    static var process: CommandEnvironment {
        CommandEnvironment(
            read: InputFile.read, now: InputFile.now, style: .of(descriptor: 1), errorStyle: .of(descriptor: 2))
    }
}
