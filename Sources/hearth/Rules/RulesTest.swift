import SecurityRules

/// `hearth rules test`: asks rules about the operations of a file of cases, and compares with what the cases expect.
enum RulesTest {
    static let syntax = CommandSyntax(
        name: "hearth rules test", operands: ["FILE", "CASES"],
        options: [
            .init(name: "coverage", help: "say which rules, outcomes and wildcards no case tried"),
            .init(name: "json", help: "print the results as JSON"),
        ],
        summary: """
            Asks the security rules in FILE about every operation in CASES, without a hub, and
            tells where the answer is not the expected one, and why.
            """,
        epilogue: """
            CASES is a JSON object:

                {
                  "now": 1700000000000,
                  "identities": {"ada": {"uid": "ada", "token": {"admin": true}}},
                  "data": {"notes": {"ada": "tea"}},
                  "cases": [
                    {"name": "own notes", "read": "/notes/ada", "as": "ada", "expect": "allow"},
                    {"set": "/notes/ada", "value": "milk", "as": null, "expect": "deny"},
                    {"update": "/", "values": {"notes/bob": 1}, "as": {"uid": "bob"},
                     "expect": "deny"},
                    {"read": "/notes", "query": {"orderByKey": true, "limitToFirst": 9},
                     "expect": "deny"}
                  ]
                }

            Only "cases" is required. Nobody is signed in without "as". A case may have "now"
            and "data" of its own. Each case begins with the same data: none changes it.

            Exit codes: 0 every case came out as expected, 1 some did not, or the rules or the
            cases have a problem, 2 bad usage.
            """)

    static func run(
        _ arguments: CommandArguments, _ environment: CommandEnvironment
    ) throws(CommandProblem) -> CommandResult {
        let file = try RulesFile(arguments.operands[0], in: environment)
        let casesPath = arguments.operands[1]
        guard file.path != "standard input" || casesPath != "-" else {
            throw .usage("standard input cannot be both files; name one of them")
        }
        let text = try environment.read(casesPath)
        guard let rules = file.rules else {
            return file.refusal(asJSON: arguments.isOn("json"), environment)
        }
        let cases: [RuleCase]
        do throws(RuleCaseProblem) {
            cases = try RuleCase.all(in: text)
        } catch {
            return refusal(error, of: casesPath, text, environment.errorStyle)
        }
        var coverage = RuleCoverage(rules)
        let outcomes = cases.map { RuleCaseOutcome($0, rules, now: environment.now, coverage: &coverage) }
        let report = TestReport(
            file: file, rules: rules, casesPath: casesPath, outcomes: outcomes,
            coverage: arguments.isOn("coverage") ? coverage.report : nil)
        guard !arguments.isOn("json") else {
            return CommandResult(output: report.json + "\n", exit: report.failureCount == 0 ? .success : .failure)
        }
        var result = CommandResult(output: report.described(environment.style))
        if report.failureCount > 0 {
            result.exit = .failure
            result.error = "\(syntax.name): \(report.failureCount) of \(counted(outcomes.count, "case")) failed\n"
        }
        return result
    }

    private static func refusal(
        _ problem: RuleCaseProblem, of path: String, _ text: [UInt8], _ style: TextStyle
    ) -> CommandResult {
        let name = shown(path == "-" ? "standard input" : path)
        let excerpt = SourceExcerpt(SourceText(text), at: problem.position)?.lines(style, indent: "") ?? []
        let lines = [style.tinted("\(name):\(problem.position)", .strong) + ": \(shown(problem.message))"] + excerpt
        return CommandResult(error: lines.joined(separator: "\n") + "\n", exit: .failure)
    }
}

/// A case and what the rules said.
struct RuleCaseOutcome {
    enum Answer {
        case decided(Explanation)
        /// The operation cannot be carried out at all.
        case impossible(String)
    }

    let ruleCase: RuleCase
    let answer: Answer

    init(_ ruleCase: RuleCase, _ rules: CompiledRules, now: Int64, coverage: inout RuleCoverage) {
        self.ruleCase = ruleCase
        do {
            let operation = try RuleOperation(ruleCase, now: now)
            operation.count(in: &coverage)
            answer = .decided(operation.explain(rules, revealing: true))
        } catch {
            answer = .impossible(error.description)
        }
    }

    var isAsExpected: Bool {
        guard case .decided(let explanation) = answer else { return false }
        return explanation.decision.isAllowed == (ruleCase.expectation == .allow)
    }
}
