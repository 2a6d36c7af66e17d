import DataTree
import SecurityRules

/// `hearth import`: a file of data into a namespace, all of it or nothing.
enum Import {
    static let command = SubCommand(brief: "read a JSON file into a namespace", syntax: syntax, run: run)

    static let syntax = CommandSyntax(
        name: "hearth import", operands: ["FILE"],
        options: [
            .init(name: "path", argument: "PATH", help: "into this place; the root without"),
            .init(name: "replace", help: "overwrite what is there; asks in a terminal"),
            .init(
                name: "rules", argument: "FILE",
                help: "the security rules that go with the data, or none;\ndata.rules.json beside data.json without"),
            .init(name: "yes", help: "do not ask"),
            .init(name: "json", help: "print the summary as JSON"),
        ] + HubTarget.options,
        summary: """
            Reads FILE, JSON as Firebase or hearth export writes it, compressed or not, into a
            namespace: all of it in one step, or nothing. Refuses where data is already, unless
            --replace is given. Security rules that lie beside FILE are set too, unless only a
            part is imported. FILE may be - for standard input. Only the administrator may import.
            """,
        epilogue: """
            For example:

                hearth import shop.json --ns shop --auth @hearth-data/admin.secret
                hearth import users.json.gz --path /users --replace --auth owner

            Exit codes: 0 success, 1 refused or failed, 2 bad usage.
            """)

    static func run(
        _ arguments: CommandArguments, _ environment: CommandEnvironment
    ) throws(CommandProblem) -> CommandResult {
        let session = try HubSession(arguments, environment)
        let target = session.target
        let path = try arguments["path"].map { text throws(CommandProblem) in try DataPath(text) } ?? .root
        Interruption.expect()
        let file = try ImportFile(arguments.operands[0])
        let rules = try rules(arguments, path, environment)
        let place = "\(path.text) in \(target.namespaceName)"
        if arguments.isOn("replace"), !arguments.isOn("yes"),
            let answer = environment.ask("Replace everything at \(place)? [y/N] ")
        {
            guard ["y", "yes"].contains(answer.lowercased()) else { throw .failure("nothing was done, as you wish") }
        }
        let meter = TransferMeter(total: file.length, environment)
        let body = try body(file, rules, target, path, meter)
        var parameters = [(name: "mode", value: arguments.isOn("replace") ? "replace" : "empty")]
        if !path.path.isRoot { parameters.append(("path", path.text)) }
        let request = target.hub("POST", "/ns/\(target.namespaceName)/import", parameters, body: body)
        var bytes: [UInt8] = []
        let answer: HTTPAnswer
        do throws(CommandProblem) {
            answer = try session.send(request) { bytes.append(contentsOf: $0) }
        } catch {
            meter.clear()
            throw error
        }
        meter.clear()
        guard answer.isSuccess else {
            let refusal = Refusal(answer)
            if let rules, let result = rulesRefusal(refusal, rules, environment) { return result }
            throw problem(refusal, file, place, target)
        }
        return summary(bytes, file, rules, place, meter, asJSON: arguments.isOn("json"))
    }

    // MARK: The rules

    struct Rules {
        let path: String
        let text: [UInt8]
        /// Whether they were found, and not named.
        let wasFound: Bool
    }

    private static func rules(
        _ arguments: CommandArguments, _ path: DataPath, _ environment: CommandEnvironment
    ) throws(CommandProblem) -> Rules? {
        if let named = arguments["rules"] {
            guard named != "none" else { return nil }
            guard named != "-" || arguments.operands[0] != "-" else {
                throw .usage("standard input cannot be both files; name one of them")
            }
            return Rules(path: named, text: try environment.read(named), wasFound: false)
        }
        let companion = RulesCompanion.path(of: arguments.operands[0])
        guard path.path.isRoot, arguments.operands[0] != "-", RulesCompanion.exists(companion) else { return nil }
        return Rules(path: companion, text: try environment.read(companion), wasFound: true)
    }

    // MARK: The request

    private static func body(
        _ file: ImportFile, _ rules: Rules?, _ target: HubTarget, _ path: DataPath, _ meter: TransferMeter
    ) throws(CommandProblem) -> HTTPBody {
        let source = try file.source()
        var head: [UInt8] = []
        if let rules {
            let line: ReportValue = [
                "hearth": .count(1), "namespace": .text(target.namespaceName), "path": .text(path.text),
                "rules": .text(String(decoding: rules.text, as: UTF8.self)),
            ]
            head = Array((line.json + "\n").utf8)
        }
        let length = head.count + file.length
        let first = ByteSource(head)
        var isInHead = !head.isEmpty
        let whole = ByteSource(length: length) { buffer throws(CommandProblem) in
            if isInHead {
                let count = try first.read(buffer)
                if count > 0 { return count }
                isInHead = false
            }
            let count = try source.read(buffer)
            meter.add(count)
            return count
        }
        return HTTPBody(type: rules == nil ? "application/json" : "application/x-hearth-export", source: whole)
    }

    /// What is wrong with the rules, shown in their file as `hearth rules set` does; nil if that is not the trouble.
    private static func rulesRefusal(
        _ refusal: Refusal, _ rules: Rules, _ environment: CommandEnvironment
    ) -> CommandResult? {
        let problems = RulesProblemText.problems(in: refusal.text)
        guard refusal.code == "invalid_rules", !problems.isEmpty else { return nil }
        let text = RulesProblemText.described(
            problems, rules.path, SourceText(rules.text), environment.errorStyle)
        return CommandResult(error: text, exit: .failure)
    }

    private static func problem(
        _ refusal: Refusal, _ file: ImportFile, _ place: String, _ target: HubTarget
    ) -> CommandProblem {
        switch refusal.code {
        case "not_empty":
            .failure(
                "there is data at \(place) already; add --replace to overwrite it, or choose another --path or --ns")
        case "invalid_data": .failure("\(shown(file.name)):\(shown(refusal.text))")
        default: refusal.problem(target)
        }
    }

    private static func summary(
        _ answer: [UInt8], _ file: ImportFile, _ rules: Rules?, _ place: String, _ meter: TransferMeter, asJSON: Bool
    ) -> CommandResult {
        guard !asJSON else { return CommandResult(output: String(decoding: answer, as: UTF8.self) + "\n") }
        let value = ReportValue(answer: answer)
        let leaves = value?["leaves"]?.integer ?? 0
        var text =
            "\(place): \(leaves.grouped) \(leaves == 1 ? "leaf" : "leaves"), \(file.length.bytesText) "
            + "in \(meter.duration.secondsText)"
        if let rules {
            let version = value?["rules"]?.integer.map { " as version \($0)" } ?? ""
            text +=
                "; rules of \(shown(rules.path))\(version)\(rules.wasFound ? " (--rules none leaves them out)" : "")"
        }
        return CommandResult(output: text + "\n")
    }
}
