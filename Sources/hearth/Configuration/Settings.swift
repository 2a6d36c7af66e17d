/// Options as given, before anybody has looked at their values: names are known, numbers of values are right.
struct Settings {
    /// What was given for one option.
    struct Entry: Equatable {
        /// At least one; `true` or `false` for a flag.
        var values: [String]
        var origin: ConfigurationProblem.Origin
    }

    private(set) var entries: [String: Entry] = [:]

    /// Whether `--help` was among the arguments.
    private(set) var asksForHelp = false

    init() {}

    /// Reads the arguments that follow `hearth serve`.
    init(arguments: [String]) throws(ConfigurationProblem) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--help" || argument == "-h" {
                asksForHelp = true
                continue
            }
            guard argument.utf8.starts(with: "--".utf8), argument.utf8.count > 2 else {
                guard argument.utf8.first == UInt8(ascii: "-"), argument.utf8.count > 1 else {
                    throw .strayArgument(argument)
                }
                throw .unknownOption(argument, in: .commandLine)
            }
            let body = argument.dropFirst(2)
            let equals = body.firstIndex(of: "=")
            let name = body[..<(equals ?? body.endIndex)]
            guard let option = ServeOption.named(name) else { throw .unknownOption("--\(name)", in: .commandLine) }
            if option.isPlanned { throw .notBuiltYet(option: option.name, in: .commandLine) }
            var value = equals.map { String(body[body.index(after: $0)...]) }
            if let placeholder = option.argument {
                value = value ?? rest.popFirst()
                if value == nil { throw .missingValue(option: option.name, argument: placeholder) }
            } else if value != nil {
                throw .unexpectedValue(option: option.name)
            }
            guard option.isRepeatable || entries[option.name] == nil else { throw .givenTwice(option: option.name) }
            entries[option.name, default: Entry(values: [], origin: .commandLine)].values.append(value ?? "true")
        }
    }

    /// Adds what a configuration file gives for an option.
    mutating func add(_ values: [String], for option: ServeOption, file: String) {
        entries[option.name] = Entry(values: values, origin: .file(file))
    }

    /// These settings, and for options that are not among them those of a configuration file.
    func over(_ file: Settings) -> Settings {
        var merged = self
        for (name, entry) in file.entries where merged.entries[name] == nil {
            // Where to keep data is one decision: the command line's replaces the file's whatever its form.
            if name == "data" && isOn("memory") || name == "memory" && entries["data"] != nil { continue }
            merged.entries[name] = entry
        }
        return merged
    }

    func isOn(_ flag: String) -> Bool { entries[flag]?.values.first == "true" }
}
