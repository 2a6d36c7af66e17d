/// What a sub-command takes: its name, its operands and its options, for reading arguments and for the help.
struct CommandSyntax: Sendable {
    /// An option: `--name`, or `--name VALUE` when it has an argument.
    struct Option: Sendable {
        /// Without the dashes.
        let name: String
        /// How the help calls the value; nil for a flag.
        var argument: String?
        /// One or more lines for the help.
        let help: String
    }

    /// As it is called: `hearth rules test`.
    let name: String
    /// How the help calls what is given, in order; what stands in brackets may be left out, and what ends in `...` be
    /// given more than once.
    let operands: [String]
    let options: [Option]
    /// What the command does, for the help.
    let summary: String
    /// What stands behind the options in the help.
    var epilogue = ""
}

/// The arguments of a sub-command, in place of text: its operands, and the options that were given.
struct CommandArguments {
    let operands: [String]
    private let values: [String: String]

    /// Nil when `--help` is among them.
    init?(_ arguments: [String], of syntax: CommandSyntax) throws(CommandProblem) {
        var operands: [String] = []
        var values: [String: String] = [:]
        var rest = arguments[...]
        var takesOptions = true
        while let argument = rest.popFirst() {
            guard takesOptions, Self.isOption(argument) else {
                operands.append(argument)
                continue
            }
            if argument == "--" {
                takesOptions = false
                continue
            }
            if argument == "--help" || argument == "-h" { return nil }
            let equals = argument.firstIndex(of: "=")
            let name = argument[..<(equals ?? argument.endIndex)]
            guard let option = syntax.options.first(where: { "--\($0.name)" == name }) else {
                throw .usage("unknown option '\(name)'; see \(syntax.name) --help")
            }
            var value = equals.map { String(argument[argument.index(after: $0)...]) }
            if let placeholder = option.argument {
                value = value ?? rest.popFirst()
                if value == nil { throw .usage("\(name) needs a value: \(name) \(placeholder)") }
            } else if value != nil {
                throw .usage("\(name) takes no value; leave out what follows the '='")
            }
            guard values.updateValue(value ?? "", forKey: option.name) == nil else {
                throw .usage("\(name) is given twice; give it once")
            }
        }
        if operands.count < syntax.operands.count, !syntax.operands[operands.count].hasPrefix("[") {
            throw .usage("\(syntax.operands[operands.count]) is missing; see \(syntax.name) --help")
        }
        if operands.count > syntax.operands.count, syntax.operands.last?.contains("...") != true {
            throw .usage("unexpected argument '\(operands[syntax.operands.count])'; see \(syntax.name) --help")
        }
        self.operands = operands
        self.values = values
    }

    /// What begins with a dash, but for the dash alone and for negative numbers.
    private static func isOption(_ argument: String) -> Bool {
        guard argument.utf8.first == UInt8(ascii: "-"), let second = argument.utf8.dropFirst().first else {
            return false
        }
        return !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= second)
    }

    func isOn(_ flag: String) -> Bool { values[flag] != nil }

    subscript(option: String) -> String? { values[option] }
}

extension CommandSyntax {
    /// The text of `--help`.
    var help: String {
        var text =
            "Usage: \(name)" + operands.map { " \($0)" }.joined() + (options.isEmpty ? "" : " [OPTION...]") + "\n\n"
        text += summary + "\n\n"
        let heads = options.map { "  --" + $0.name + ($0.argument.map { " " + $0 } ?? "") }
        let column = max(20, (heads.map(\.utf8.count).max() ?? 0) + 2)
        let padding = "\n" + String(repeating: " ", count: column)
        for (head, option) in zip(heads, options) {
            text += head + String(repeating: " ", count: column - head.utf8.count)
            text += option.help.split(separator: "\n").joined(separator: padding) + "\n"
        }
        return text + (epilogue.isEmpty ? "" : "\n" + epilogue + "\n")
    }
}
