/// Everything that `hearth` can be asked to do, but for running the hub and telling its version.
enum CommandTable {
    enum Entry {
        case command(SubCommand)
        case group(CommandGroup)

        var name: String {
            switch self {
            case .command(let command): command.name
            case .group(let group): group.name.split(separator: " ").last.map(String.init) ?? group.name
            }
        }

        var brief: String {
            switch self {
            case .command(let command): command.brief
            case .group(let group): group.brief
            }
        }

        func result(of arguments: [String], in environment: CommandEnvironment) -> CommandResult {
            switch self {
            case .command(let command): command.result(of: arguments, in: environment)
            case .group(let group): group.result(of: arguments, in: environment)
            }
        }
    }

    /// In the order of the overview.
    static var sections: [(title: String, entries: [Entry])] {
        [
            (
                "Data in a running hub:",
                [
                    .command(DataGet.command), .command(DataWrite.set), .command(DataWrite.update),
                    .command(DataWrite.push), .command(DataWrite.remove), .command(Watch.command),
                ]
            ),
            (
                "Files:",
                [
                    .command(Export.command), .command(Import.command), .command(Backup.command),
                    .command(Restore.command),
                ]
            ),
            ("Security rules:", [.group(RulesCommand.group)]),
            ("Administration:", [.group(NamespaceCommand.group), .group(ConnectionsCommand.group)]),
            ("This command line:", [.command(Completions.command)]),
        ]
    }

    /// Every one of them, those of groups too.
    static var commands: [SubCommand] {
        sections.flatMap(\.entries).flatMap { entry in
            switch entry {
            case .command(let command): [command]
            case .group(let group): group.commands
            }
        }
    }

    static func entry(named name: String) -> Entry? {
        sections.lazy.flatMap(\.entries).first { $0.name == name }
    }
}
