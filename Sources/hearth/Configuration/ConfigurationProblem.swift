/// Why `hearth serve` does not start: what is wrong with the options, in a sentence that ends with the remedy.
enum ConfigurationProblem: Error, Equatable, CustomStringConvertible {
    /// No option has this name.
    case unknownOption(String, in: Origin)
    /// An argument that belongs to no option.
    case strayArgument(String)
    case missingValue(option: String, argument: String)
    case unexpectedValue(option: String)
    case givenTwice(option: String)
    /// The contract names it, this version does not have it.
    case notBuiltYet(option: String, in: Origin)
    /// A value that the option cannot take; `wanted` completes "give …".
    case badValue(option: String, value: String, wanted: String, in: Origin)
    /// A configuration file that is no JSON object, or holds a value of the wrong kind.
    case badFile(path: String, reason: String)
    case unreadableFile(path: String, reason: String)
    /// Two options that exclude each other, or one that needs another; a whole sentence.
    case contradiction(String)

    /// Where an option was given.
    enum Origin: Equatable {
        case commandLine
        case file(String)
    }

    var description: String {
        switch self {
        case .unknownOption(let name, in: .commandLine):
            "unknown option '\(name)'; see hearth serve --help"
        case .unknownOption(let name, in: .file(let path)):
            "\(path): unknown name \"\(name)\"; the names are those of hearth serve --help, without dashes"
        case .strayArgument(let argument):
            "unexpected argument '\(argument)'; see hearth serve --help"
        case .missingValue(let option, let argument):
            "--\(option) needs a value: --\(option) \(argument)"
        case .unexpectedValue(let option):
            "--\(option) takes no value; leave out what follows the '='"
        case .givenTwice(let option):
            "--\(option) is given twice; give it once"
        case .notBuiltYet(let option, let origin):
            "\(origin.naming(option)) is not built yet in this version; leave it out"
        case .badValue(let option, let value, let wanted, let origin):
            "\(origin.naming(option)) cannot be '\(value)'; give \(wanted)"
        case .badFile(let path, let reason):
            "\(path): \(reason)"
        case .unreadableFile(let path, let reason):
            "\(path) cannot be read: \(reason); check the path"
        case .contradiction(let sentence):
            sentence
        }
    }

    /// The exit code: a file that is not there is a failure, everything else bad usage.
    var exitCode: ExitCode {
        switch self {
        case .unreadableFile: .failure
        default: .usage
        }
    }
}

extension ConfigurationProblem.Origin {
    fileprivate func naming(_ option: String) -> String {
        switch self {
        case .commandLine: "--\(option)"
        case .file(let path): "\(path): \"\(option)\""
        }
    }
}
