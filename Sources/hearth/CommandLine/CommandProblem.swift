/// Why a sub-command does not do what was asked: a sentence that ends with the remedy.
enum CommandProblem: Error, Equatable {
    /// The command line makes no sense.
    case usage(String)
    /// The command line is fine, and yet it cannot be done.
    case failure(String)
    /// Who reads standard output has seen enough.
    case readerGone

    var exitCode: ExitCode {
        switch self {
        case .usage: .usage
        case .failure, .readerGone: .failure
        }
    }

    var text: String {
        switch self {
        case .usage(let text), .failure(let text): text
        case .readerGone: "nobody reads the output any more"
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
