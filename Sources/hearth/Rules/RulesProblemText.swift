import SecurityRules

/// What is wrong with rules, as lines with the places that are meant.
enum RulesProblemText {
    typealias Problem = (position: SourcePosition, text: String)

    /// The problems in a hub's answer, a line each: `LINE:COLUMN: MESSAGE`. None when it is made otherwise.
    static func problems(in text: String) -> [Problem] {
        var problems: [Problem] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 2)
            guard parts.count == 3, let row = Int(parts[0]), let column = Int(parts[1]), row > 0, column > 0 else {
                return []
            }
            let message = parts[2].drop { $0 == " " }
            problems.append((SourcePosition(line: row, column: column), String(message)))
        }
        return problems
    }

    /// For people: each with its place, and the line with a sign under it.
    static func described(
        _ problems: [Problem], _ name: String, _ source: SourceText, _ style: TextStyle
    ) -> String {
        problems.map { problem in
            let head = style.tinted("\(shown(name)):\(problem.position)", .strong)
            let excerpt = SourceExcerpt(source, at: problem.position)?.lines(style, indent: "")
            return (["\(head): \(shown(problem.text))"] + (excerpt ?? [])).joined(separator: "\n") + "\n"
        }.joined()
    }

    /// For programs.
    static func report(_ problems: [Problem]) -> ReportValue {
        .list(
            problems.map { problem in
                [
                    "line": .count(problem.position.line), "column": .count(problem.position.column),
                    "message": .text(problem.text),
                ]
            })
    }
}
