import SecurityRules

/// `hearth rules get`, `set`, `versions` and `rollback`: the rules of a namespace of a hub.
enum RulesDeploy {
    static let get = SubCommand(
        brief: "print the rules of a namespace",
        syntax: CommandSyntax(
            name: "hearth rules get", operands: [],
            options: [
                .init(name: "version", argument: "N", help: "an earlier version, as hearth rules versions counts")
            ]
                + HubTarget.options,
            summary: """
                Prints the security rules of a namespace as they were set, comments included.
                """,
            epilogue: """
                For example:

                    hearth rules get --ns shop --auth @hearth-data/admin.secret > rules.json
                """)
    ) { arguments, environment throws(CommandProblem) in
        let session = try HubSession(arguments, environment)
        guard let version = arguments["version"] else {
            return CommandResult(answer: try session.answer(session.target.settings("GET", "rules")))
        }
        let number = try versionNumber(version, of: "--version")
        let request = session.target.hub("GET", "/ns/\(session.target.namespaceName)/rules/versions/\(number)")
        guard let text = ReportValue(answer: try session.answer(request))?["text"]?.text else {
            throw .failure("the hub did not send the rules; check --url")
        }
        return CommandResult(answer: Array(text.utf8))
    }

    static let set = SubCommand(
        brief: "set the rules of a namespace",
        syntax: CommandSyntax(
            name: "hearth rules set", operands: ["FILE"],
            options: [
                .init(name: "dry-run", help: "only ask whether the hub would take them"),
                .init(name: "json", help: "print the answer, or {\"problems\": [...]}, as JSON"),
            ] + HubTarget.options,
            summary: """
                Sets the security rules of a namespace, in force for everybody at once. What is wrong
                with them is shown with its place, and nothing changes then. FILE may be - for
                standard input.
                """,
            epilogue: """
                For example:

                    hearth rules set rules.json --ns shop --auth @hearth-data/admin.secret
                    hearth rules set rules.json --dry-run --auth owner
                """)
    ) { arguments, environment throws(CommandProblem) in
        let session = try HubSession(arguments, environment)
        let path = arguments.operands[0]
        let source = SourceText(try environment.read(path))
        let isTrial = arguments.isOn("dry-run")
        let request = session.target.settings(
            "PUT", "rules", isTrial ? [("dryRun", "true")] : [], body: HTTPBody(source: ByteSource(source.bytes)))
        var bytes: [UInt8] = []
        let answer = try session.send(request) { bytes.append(contentsOf: $0) }
        let name = shown(path == "-" ? "standard input" : path)
        guard answer.isSuccess else {
            let refusal = Refusal(answer)
            let problems = RulesProblemText.problems(in: refusal.text)
            guard refusal.status == 400, !problems.isEmpty else { throw refusal.problem(session.target) }
            guard !arguments.isOn("json") else {
                let report = ReportValue.object([.init("problems", RulesProblemText.report(problems))])
                return CommandResult(output: report.json + "\n", exit: .failure)
            }
            return CommandResult(
                error: RulesProblemText.described(problems, name, source, environment.errorStyle), exit: .failure)
        }
        guard !arguments.isOn("json") else { return CommandResult(answer: bytes) }
        let namespace = session.target.namespaceName
        let mark = environment.style.isRich ? environment.style.passMark + " " : ""
        return CommandResult(
            output: isTrial
                ? "\(mark)\(name): \(namespace) would take it\n" : "\(mark)\(name): in force in \(namespace)\n")
    }

    static let versions = SubCommand(
        brief: "list the versions that a namespace had",
        syntax: CommandSyntax(
            name: "hearth rules versions", operands: [],
            options: [.init(name: "json", help: "print the hub's answer as it is")] + HubTarget.options,
            summary: """
                Lists the versions of the security rules that a namespace had, the newest last.
                """,
            epilogue: """
                For example:

                    hearth rules versions --ns shop --auth @hearth-data/admin.secret
                    hearth rules get --version 2 --ns shop --auth owner
                """)
    ) { arguments, environment throws(CommandProblem) in
        let session = try HubSession(arguments, environment)
        let path = "/ns/\(session.target.namespaceName)/rules/versions"
        let answer = try session.answer(session.target.hub("GET", path))
        guard !arguments.isOn("json"), let value = ReportValue(answer: answer) else {
            return CommandResult(answer: answer)
        }
        let versions = value["versions"]?.list ?? []
        guard !versions.isEmpty else {
            return CommandResult(output: "\(session.target.namespaceName) never had rules of its own\n")
        }
        var table = TextTable([
            .init(title: "VERSION", isNumber: true), .init(title: "SET"), .init(title: "AGO", isNumber: true),
            .init(title: "BYTES", isNumber: true), .init(title: "AUTHOR"),
        ])
        for version in versions {
            let time = version["time"]?.integer
            let mark = version["current"]?.flag == true ? "  in force" : ""
            table.rows.append([
                version["number"]?.integer.map(String.init) ?? "-", time.map(TimeText.date) ?? "-",
                time.map { (Int(environment.now) - $0).spanText } ?? "-", version["bytes"]?.integer?.grouped ?? "-",
                (version["author"]?.text ?? "-") + mark,
            ])
        }
        return CommandResult(output: table.text(environment.style))
    }

    static let rollback = SubCommand(
        brief: "take an earlier version again",
        syntax: CommandSyntax(
            name: "hearth rules rollback", operands: ["VERSION"],
            options: [.init(name: "json", help: "print the hub's answer as it is")] + HubTarget.options,
            summary: """
                Sets the rules of an earlier version again, as a new version.
                """,
            epilogue: """
                For example:

                    hearth rules rollback 2 --ns shop --auth @hearth-data/admin.secret
                """)
    ) { arguments, environment throws(CommandProblem) in
        let session = try HubSession(arguments, environment)
        let version = try versionNumber(arguments.operands[0], of: "VERSION")
        let body = HTTPBody(source: ByteSource(#"{"version":\#(version)}"#))
        let path = "/ns/\(session.target.namespaceName)/rules/rollback"
        let answer = try session.answer(session.target.hub("POST", path, body: body))
        guard !arguments.isOn("json"), let number = ReportValue(answer: answer)?["number"]?.integer else {
            return CommandResult(answer: answer)
        }
        return CommandResult(
            output:
                "version \(number) with the rules of version \(version): in force in \(session.target.namespaceName)\n")
    }

    private static func versionNumber(_ text: String, of name: String) throws(CommandProblem) -> Int {
        guard let number = Int(text), number > 0 else {
            throw .usage("\(name) cannot be '\(shown(text))'; give a number as hearth rules versions lists them")
        }
        return number
    }
}
