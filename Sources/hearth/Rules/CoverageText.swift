import SecurityRules

/// What no case tried, in lines for people.
enum CoverageText {
    static func lines(_ report: RuleCoverage.Report, _ style: TextStyle) -> [String] {
        let rules = "\(report.evaluatedRuleCount) of \(counted(report.ruleCount, "rule")) evaluated"
        let outcomes = "\(report.seenBranchCount) of \(counted(report.branchCount, "outcome")) seen"
        var lines = [style.tinted("Coverage: ", .strong) + "\(rules), \(outcomes)"]
        lines += section("Rules never evaluated", report.neverEvaluated.map(place), style)
        lines += section("Booleans never seen both ways", oneSided(report.oneSided, style), style)
        lines += section("Wildcards never bound", report.neverMatched.map { shown($0) }, style)
        lines += section(".validate rules that never failed", report.neverFailed.map(place), style)
        return lines
    }

    private static func section(_ title: String, _ entries: [String], _ style: TextStyle) -> [String] {
        guard !entries.isEmpty else { return [] }
        return ["", "  " + style.tinted(title, .warning)] + entries.map { "    \($0)" }
    }

    private static func place(_ location: RuleLocation) -> String {
        "\(padded("\(location.position)")) \(location.kind?.key ?? "") at \(shown(location.place))"
    }

    private static func oneSided(_ parts: [RuleCoverage.Part], _ style: TextStyle) -> [String] {
        let sorted = parts.sorted { left, right in
            let (before, after) = (left.location, right.location)
            // Of parts that begin at one place the larger comes first.
            return before.position != after.position
                ? before.position < after.position : before.text.utf8.count > after.text.utf8.count
        }
        return sorted.map { part in
            let missing =
                switch (part.counts.wasTrue, part.counts.wasFalse) {
                case (0, 0): "never true, never false"
                case (0, _): "never true"
                default: "never false"
                }
            let head = "\(padded("\(part.location.position)")) \(missing): "
            let text = shown(part.location.text)
            let room = max(20, style.width - head.count - 4)
            return head + (text.count > room ? text.prefix(room - style.ellipsis.count) + style.ellipsis : text)
        }
    }

    private static func padded(_ text: String) -> String {
        String(repeating: " ", count: max(0, 7 - text.count)) + text
    }
}
