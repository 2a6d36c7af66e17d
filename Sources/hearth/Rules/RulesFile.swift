import SecurityRules

/// A rules file that a sub-command was given: compiled, or what is wrong with it.
struct RulesFile {
    /// As it is named in messages.
    let path: String
    let source: SourceText
    let rules: CompiledRules?
    /// From the first place in the file to the last.
    let problems: [RulesProblem]

    init(_ path: String, in environment: CommandEnvironment) throws(CommandProblem) {
        self.path = path == "-" ? "standard input" : path
        source = SourceText(try environment.read(path))
        // A file that is too long for a hub is worth checking all the same.
        var limits = RulesLimits()
        limits.textBytes = max(limits.textBytes, source.bytes.count)
        do throws(RulesRefusal) {
            rules = try CompiledRules(source.bytes, limits: limits)
            problems = []
        } catch {
            rules = nil
            problems = error.problems.reversed()
        }
    }

    /// What is worth knowing about rules that are fine; nil if there is nothing.
    var warning: String? {
        let limit = RulesLimits().textBytes
        guard source.bytes.count > limit else { return nil }
        return
            "\(path): the rules have \(source.bytes.count) bytes, and a hub takes \(limit); leave out or shorten some"
    }

    /// The problems for people: each with its place, and the line with a sign under it.
    func described(_ style: TextStyle) -> String { RulesProblemText.described(found, path, source, style) }

    /// The end of a sub-command that cannot go on without rules.
    func refusal(asJSON: Bool, _ environment: CommandEnvironment) -> CommandResult {
        guard asJSON else { return CommandResult(error: described(environment.errorStyle), exit: .failure) }
        return CommandResult(output: ReportValue.object([.init("problems", report)]).json + "\n", exit: .failure)
    }

    /// The problems for programs.
    var report: ReportValue { RulesProblemText.report(found) }

    private var found: [RulesProblemText.Problem] { problems.map { ($0.position, $0.text) } }
}
