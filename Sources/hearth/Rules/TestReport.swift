import SecurityRules

/// The results of `hearth rules test`, for people and for programs.
struct TestReport {
    let file: RulesFile
    let rules: CompiledRules
    let casesPath: String
    let outcomes: [RuleCaseOutcome]
    /// Nil when nobody asked.
    let coverage: RuleCoverage.Report?

    var failureCount: Int { outcomes.reduce(0) { $0 + ($1.isAsExpected ? 0 : 1) } }

    // MARK: For people

    /// A line for each case, more for those that failed, then the coverage and a line that counts.
    func described(_ style: TextStyle) -> String {
        var lines: [String] = []
        for outcome in outcomes {
            let mark = outcome.isAsExpected ? style.passMark : style.failMark
            lines.append("\(mark) \(shown(outcome.ruleCase.name))")
            if !outcome.isAsExpected { lines += failure(outcome, style) + [""] }
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        if let coverage { lines += [""] + CoverageText.lines(coverage, style) }
        let passed = "\(counted(outcomes.count - failureCount, "case")) passed"
        let failed = failureCount > 0 ? ", " + style.tinted("\(failureCount) failed", .bad) : ""
        lines += ["", failureCount == 0 ? style.tinted(passed, .good) : passed + failed]
        return lines.joined(separator: "\n") + "\n"
    }

    private func failure(_ outcome: RuleCaseOutcome, _ style: TextStyle) -> [String] {
        let indent = "    "
        let ruleCase = outcome.ruleCase
        let place = shown("\(casesPath == "-" ? "standard input" : casesPath):\(ruleCase.line)")
        let caller = ruleCase.caller.map { " as \($0)" } ?? (ruleCase.identity == .signedOut ? ", signed out" : "")
        var lines = [indent + style.tinted("\(place): ", .faint) + shown("\(ruleCase.operation)\(caller)")]
        switch outcome.answer {
        case .impossible(let reason): lines.append(indent + shown(reason))
        case .decided(let explanation):
            if let grant = explanation.decision.grant, explanation.decision.isAllowed {
                let location = rules.location(of: grant)
                let rule = "\(location.kind?.key ?? "a rule") at \(shown(location.place))"
                lines.append("\(indent)expected \(style.tinted("deny", .strong)), but \(rule) allows it:")
                lines += excerpt(location, note: "true", tone: .good, style, indent)
            } else if explanation.decision.isAllowed {
                lines.append("\(indent)expected \(style.tinted("deny", .strong)), but it writes nothing")
            }
            for (index, denial) in explanation.denials.prefix(Self.longestList).enumerated() {
                let entries = explanation.entries(behind: denial).prefix(Self.longestList)
                let head = index == 0 ? "expected \(style.tinted("allow", .strong)), but" : "and"
                lines.append("\(indent)\(head) \(shown(explanation.reasons[index]))" + (entries.isEmpty ? "" : ":"))
                for entry in entries { lines += TraceText.decisiveLines(entry, file.source, style, indent: indent) }
            }
        }
        return lines
    }

    private static let longestList = 10

    private func excerpt(
        _ location: RuleLocation, note: String, tone: TextStyle.Tone, _ style: TextStyle, _ indent: String
    ) -> [String] {
        SourceExcerpt(file.source, at: location.position, length: location.text.utf16.count)?
            .lines(style, indent: indent, note: note, tone: tone) ?? []
    }

    // MARK: For programs

    var json: String {
        var members: [ReportValue.Member] = [
            .init("passed", .count(outcomes.count - failureCount)), .init("failed", .count(failureCount)),
            .init("cases", .list(outcomes.map(report))),
        ]
        if let coverage { members.append(.init("coverage", coverage.report)) }
        return ReportValue.object(members).json
    }

    private func report(_ outcome: RuleCaseOutcome) -> ReportValue {
        var members: [ReportValue.Member] = [
            .init("name", .text(outcome.ruleCase.name)), .init("line", .count(outcome.ruleCase.line)),
            .init("passed", .bool(outcome.isAsExpected)),
            .init("expected", .text(outcome.ruleCase.expectation.rawValue)),
        ]
        switch outcome.answer {
        case .impossible(let reason): members.append(.init("problem", .text(reason)))
        case .decided(let explanation):
            guard case .object(let decision) = explanation.report(in: rules) else { break }
            // The trace of what came out as expected is nobody's concern, and long.
            members += decision.filter { !outcome.isAsExpected || !["trace", "truncated"].contains($0.name) }
        }
        return .object(members)
    }
}
