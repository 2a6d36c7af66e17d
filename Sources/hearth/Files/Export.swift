import SecurityRules

/// `hearth export`: the data of a namespace in a file, as of one moment.
enum Export {
    static let command = SubCommand(brief: "write a namespace into a JSON file", syntax: syntax, run: run)

    static let syntax = CommandSyntax(
        name: "hearth export", operands: ["FILE"],
        options: [
            .init(name: "path", argument: "PATH", help: "only what is there"),
            .init(name: "gzip", help: "compress it, as for a FILE that ends in .gz"),
            .init(name: "json", help: "print the summary as JSON"),
        ] + HubTarget.options,
        summary: """
            Writes all data of a namespace into FILE, as of one moment, whatever is written
            meanwhile: JSON as Firebase exports and imports it, priorities included. The security
            rules go beside it, into data.rules.json for data.json. FILE is replaced when all is
            there, and - is standard output. Only the administrator may export.
            """,
        epilogue: """
            For example:

                hearth export shop.json --ns shop --auth @hearth-data/admin.secret
                hearth export users.json.gz --path /users --auth owner

            Exit codes: 0 success, 1 refused or failed, 2 bad usage.
            """)

    static func run(
        _ arguments: CommandArguments, _ environment: CommandEnvironment
    ) throws(CommandProblem) -> CommandResult {
        let session = try HubSession(arguments, environment)
        let path = try arguments["path"].map { text throws(CommandProblem) in try DataPath(text) } ?? .root
        let name = arguments.operands[0]
        let isOutput = name == "-"
        let isCompressed = arguments.isOn("gzip") || name.hasSuffix(".gz")
        Interruption.expect()
        let file = try FileOrOutput(name, isCompressed: isCompressed, environment)
        let meter = TransferMeter(environment)
        var stream = ExportStream()
        let request = session.target.hub(
            "GET", "/ns/\(session.target.namespaceName)/export", path.path.isRoot ? [] : [("path", path.text)])
        do throws(CommandProblem) {
            try session.receive(request) { bytes throws(CommandProblem) in
                guard let data = try stream.feed(bytes), !data.isEmpty else { return }
                try file.write(data)
                meter.add(data.count)
            }
        } catch {
            meter.clear()
            throw error
        }
        meter.clear()
        guard let head = stream.head, meter.bytes > 0 else { throw ExportStream.unknown }
        let companion = RulesCompanion.path(of: name)
        var rulesFile: String?
        var result = CommandResult()
        if let rules = head.rules, file.isOrdinary {
            let output = try OutputFile(companion)
            try output.write(Array(rules.utf8))
            try output.finish()
            rulesFile = companion
        } else if file.isOrdinary, path.path.isRoot, RulesCompanion.exists(companion) {
            result.error =
                "\(syntax.name): the namespace has no rules of its own, and \(companion) is from another time; "
                + "an import takes it unless you remove it\n"
        }
        try file.finish()
        let summary: String
        if arguments.isOn("json") {
            let report: ReportValue = [
                "leaves": .count(head.leaves), "bytes": .count(meter.bytes), "seconds": .number(meter.seconds),
                "time": head.time.map(ReportValue.count) ?? .null, "rules": rulesFile.map(ReportValue.text) ?? .null,
            ]
            summary = report.json + "\n"
        } else {
            let size = file.fileBytes == meter.bytes ? "" : " (\(file.fileBytes.bytesText) compressed)"
            let rules = rulesFile.map { "; rules in \(shown($0))" } ?? ""
            summary =
                "\(isOutput ? "exported" : shown(name)): \(head.leaves.grouped) \(head.leaves == 1 ? "leaf" : "leaves"), "
                + "\(meter.bytes.bytesText)\(size) in \(meter.duration.secondsText)\(rules)\n"
        }
        if isOutput { result.error += summary } else { result.output = summary }
        return result
    }
}
