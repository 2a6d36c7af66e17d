import SecurityRules

/// `hearth backup`: all namespaces of a hub in one file.
enum Backup {
    static let command = SubCommand(brief: "write all namespaces of a hub into a file", syntax: syntax, run: run)

    static let syntax = CommandSyntax(
        name: "hearth backup", operands: ["FILE"],
        options: [
            .init(
                name: "verify",
                help: "restore FILE, which is there already, into a scratch\n"
                    + "folder, and compare"),
            .init(name: "gzip", help: "compress it, as for a FILE that ends in .gz"),
            .init(name: "json", help: "print the summary as JSON"),
        ] + HubTarget.options.filter { $0.name != "ns" },
        summary: """
            Writes everything that a running hub keeps into FILE: each namespace as of one moment,
            with its priorities and security rules. FILE is replaced when all is there. Only the
            administrator may do that.
            """,
        epilogue: """
            For example:

                hearth backup "hub-$(date +%F).gz" --auth @hearth-data/admin.secret
                hearth backup --verify hub-2026-11-30.gz

            Exit codes: 0 success, 1 refused or failed, 2 bad usage.
            """)

    static func run(
        _ arguments: CommandArguments, _ environment: CommandEnvironment
    ) throws(CommandProblem) -> CommandResult {
        if arguments.isOn("verify") { return try VerifyBackup.run(arguments, environment) }
        let session = try HubSession(arguments, environment)
        let name = arguments.operands[0]
        Interruption.expect()
        let isCompressed = arguments.isOn("gzip") || name.hasSuffix(".gz")
        let file = try FileOrOutput(name, isCompressed: isCompressed, environment)
        let meter = TransferMeter(environment)
        var check = BackupStream()
        do throws(CommandProblem) {
            try session.receive(session.target.hub("GET", "/backup")) { bytes throws(CommandProblem) in
                check.feed(bytes)
                try file.write(bytes)
                meter.add(bytes.count)
            }
        } catch {
            meter.clear()
            throw error
        }
        meter.clear()
        let namespaces = try check.finish()
        try file.finish()
        var result = CommandResult()
        let summary: String
        if arguments.isOn("json") {
            let report: ReportValue = [
                "namespaces": .list(namespaces.map(ReportValue.text)), "bytes": .count(meter.bytes),
                "seconds": .number(meter.seconds),
            ]
            summary = report.json + "\n"
        } else {
            let size = file.fileBytes == meter.bytes ? "" : " (\(file.fileBytes.bytesText) compressed)"
            summary =
                "\(name == "-" ? "saved" : shown(name)): \(counted(namespaces.count, "namespace")), "
                + "\(meter.bytes.bytesText)\(size) in \(meter.duration.secondsText)\n"
        }
        if name == "-" { result.error = summary } else { result.output = summary }
        return result
    }
}

/// Looks at a backup as it passes: whether it begins and ends as one.
struct BackupStream {
    private var first: [UInt8] = []
    private var hasFirst = false
    private var last: [UInt8] = []

    private static let end = Array("{\"end\":true}\n".utf8)
    private static let longestLine = 4 << 20

    mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        if !hasFirst, first.count < Self.longestLine {
            let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
            first.append(contentsOf: line)
            hasFirst = line.count < bytes.count
        }
        last.append(contentsOf: bytes.suffix(Self.end.count + 1))
        last.removeFirst(max(0, last.count - Self.end.count - 1))
    }

    /// The namespaces in it.
    func finish() throws(CommandProblem) -> [String] {
        guard let head = ReportValue(answer: first), head["hearth-backup"]?.integer == 1 else {
            throw .failure("what came is no backup of a hub; check --url")
        }
        guard last.first == UInt8(ascii: "\n"), last.dropFirst().elementsEqual(Self.end) else {
            throw .failure("the backup is not complete; see the hub's log, and try again")
        }
        return head["namespaces"]?.list.compactMap(\.text) ?? []
    }
}
