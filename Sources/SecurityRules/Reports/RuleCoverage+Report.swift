extension RuleCoverage.Report {
    /// Whether there is nothing that was not tried.
    package var isComplete: Bool {
        neverEvaluated.isEmpty && oneSided.isEmpty && neverMatched.isEmpty && neverFailed.isEmpty
    }

    /// The report for programs.
    package var report: ReportValue {
        [
            "rules": .count(ruleCount),
            "evaluated": .count(evaluatedRuleCount),
            "outcomes": .count(branchCount),
            "seen": .count(seenBranchCount),
            "neverEvaluated": .list(neverEvaluated.map(\.report)),
            "neverBothWays": .list(
                oneSided.map { part in
                    guard case .object(let members) = part.location.report else { return .null }
                    return .object(
                        members + [
                            .init("true", .count(part.counts.wasTrue)), .init("false", .count(part.counts.wasFalse)),
                            .init("failed", .count(part.counts.failed)),
                        ])
                }),
            "neverBound": .list(neverMatched.map(ReportValue.text)),
            "neverFailed": .list(neverFailed.map(\.report)),
        ]
    }
}
