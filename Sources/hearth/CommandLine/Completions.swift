/// `hearth completions`: what a shell needs to complete commands and options.
enum Completions {
    static let command = SubCommand(
        brief: "print completions for bash",
        syntax: CommandSyntax(
            name: "hearth completions", operands: ["SHELL"], options: [],
            summary: """
                Prints what makes a shell complete the commands and options of hearth. SHELL is bash.
                """,
            epilogue: """
                For example, in ~/.bashrc:

                    source <(hearth completions bash)
                """)
    ) { arguments, _ throws(CommandProblem) in
        guard arguments.operands[0] == "bash" else {
            throw .usage("there are no completions for '\(shown(arguments.operands[0]))'; give bash")
        }
        return CommandResult(output: bash)
    }

    /// A case for each command with the words that may follow; files where a word is no option.
    static var bash: String {
        var words = CommandTable.sections.flatMap(\.entries).map(\.name)
        words += ["serve", "version", "help"]
        var cases = [line("serve/*", ServeOption.all.map { "--\($0.name)" })]
        for entry in CommandTable.sections.flatMap(\.entries) {
            switch entry {
            case .command(let command) where command.name == Completions.command.name:
                cases.append(line("\(command.name)/*", ["bash"]))
            case .command(let command): cases.append(line("\(command.name)/*", options(command)))
            case .group(let group):
                for command in group.commands {
                    cases.append(line("\(entry.name)/\(command.name)", options(command)))
                }
                cases.append(line("\(entry.name)/*", group.commands.map(\.name)))
            }
        }
        return """
            # Completions of hearth for bash.
            _hearth() {
                local current=${COMP_WORDS[COMP_CWORD]} words=
                COMPREPLY=()
                if ((COMP_CWORD == 1)); then
                    words="\(words.joined(separator: " "))"
                else
                    case ${COMP_WORDS[1]}/${COMP_WORDS[2]-} in
            \(cases.joined(separator: "\n"))
                    esac
                    # A word that is no option is a file, but for the second one of a group.
                    [[ $current == -* || $words != *--* ]] || return 0
                fi
                mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
            }
            complete -o default -F _hearth hearth

            """
    }

    private static func options(_ command: SubCommand) -> [String] {
        command.syntax.options.map { "--\($0.name)" } + ["--help"]
    }

    private static func line(_ pattern: String, _ words: [String]) -> String {
        "        \(pattern)) words=\"\(words.joined(separator: " "))\" ;;"
    }
}
