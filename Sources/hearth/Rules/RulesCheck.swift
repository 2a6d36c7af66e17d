import SecurityRules

/// `hearth rules check`: whether a hub would take a rules file, and if not, why.
enum RulesCheck {
    static let syntax = CommandSyntax(
        name: "hearth rules check", operands: ["FILE"],
        options: [
            .init(name: "json", help: "print {\"rules\": N, \"problems\": [{\"line\", \"column\", \"message\"}]}")
        ],
        summary: """
            Checks a file of security rules as an upload to a hub would, and prints what is
            wrong with it and where. FILE may be - for standard input.
            """,
        epilogue: "Exit codes: 0 the rules are fine, 1 they are not, 2 bad usage.")

    static func run(
        _ arguments: CommandArguments, _ environment: CommandEnvironment
    ) throws(CommandProblem) -> CommandResult {
        let file = try RulesFile(arguments.operands[0], in: environment)
        guard let rules = file.rules else {
            return file.refusal(asJSON: arguments.isOn("json"), environment)
        }
        let count = RuleCoverage(rules).report.ruleCount
        var result = CommandResult()
        if arguments.isOn("json") {
            let report: ReportValue = ["rules": .count(count), "problems": .list([])]
            result.output = report.json + "\n"
        } else {
            let mark = environment.style.isRich ? environment.style.passMark + " " : ""
            result.output = "\(mark)\(shown(file.path)): \(counted(count, "rule")), no problems\n"
        }
        if let warning = file.warning { result.error = "\(syntax.name): \(shown(warning))\n" }
        return result
    }
}

/// `1 rule`, `2 rules`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
