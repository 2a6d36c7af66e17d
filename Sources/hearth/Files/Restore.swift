import HubEngine
import SecurityRules

/// `hearth restore`: from a backup to a data directory.
enum Restore {
    static let command = SubCommand(brief: "put a backup into an empty data directory", syntax: syntax, run: run)

    static let syntax = CommandSyntax(
        name: "hearth restore", operands: ["FILE"],
        options: [
            .init(name: "data", argument: "DIR", help: "the directory to restore into (./hearth-data)"),
            .init(name: "json", help: "print the summary as JSON"),
        ],
        summary: """
            Puts everything that a backup holds into a data directory, which must be empty or not
            there yet, reads it back and compares it. No hub may run on the directory meanwhile; when
            the command has ended with success, start one with hearth serve --data DIR.
            """,
        epilogue: """
            For example:

                hearth restore hub-2026-11-30.gz --data /var/lib/hearth

            Exit codes: 0 success, 1 refused or failed, 2 bad usage.
            """)

    static func run(
        _ arguments: CommandArguments, _ environment: CommandEnvironment
    ) throws(CommandProblem) -> CommandResult {
        let directory = arguments["data"] ?? "./hearth-data"
        guard !directory.isEmpty else { throw .usage("--data wants the path of a folder") }
        Interruption.expect()
        let report = try BackupFile(path: arguments.operands[0]).restore(into: directory, environment)
        if arguments.isOn("json") { return CommandResult(output: RestoreReport.json(report) + "\n") }
        return CommandResult(output: "\(shown(directory)): restored and compared\n" + RestoreReport.text(report))
    }
}

/// `hearth backup --verify`: whether a backup could be restored, by restoring it.
enum VerifyBackup {
    static func run(
        _ arguments: CommandArguments, _ environment: CommandEnvironment
    ) throws(CommandProblem) -> CommandResult {
        let name = arguments.operands[0]
        Interruption.expect()
        let scratch = try ScratchFolder()
        let report = try withExtendedLifetime(scratch) { () throws(CommandProblem) in
            try BackupFile(path: name).restore(into: scratch.path + "/data", environment)
        }
        if arguments.isOn("json") { return CommandResult(output: RestoreReport.json(report) + "\n") }
        return CommandResult(output: "\(shown(name)): can be restored\n" + RestoreReport.text(report))
    }
}

/// What was restored, for people and for programs.
private enum RestoreReport {
    static func text(_ report: BackupFile.Report) -> String {
        report.namespaces.map { namespace in
            let rules =
                namespace.rulesVersions == 0 ? "" : ", \(counted(namespace.rulesVersions, "version")) of its rules"
            return "  \(namespace.name): \(namespace.leaves.grouped) leaves\(rules)\n"
        }.joined()
    }

    static func json(_ report: BackupFile.Report) -> String {
        let namespaces = report.namespaces.map { namespace -> ReportValue in
            [
                "name": .text(namespace.name), "leaves": .count(namespace.leaves),
                "rulesVersions": .count(namespace.rulesVersions), "hash": .text(namespace.hash),
            ]
        }
        let value: ReportValue = ["namespaces": .list(namespaces), "bytes": .count(report.bytes)]
        return value.json
    }
}
