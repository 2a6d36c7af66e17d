/// One thing that is wrong with a rules text, and where.
package struct RulesProblem: Equatable, Sendable, CustomStringConvertible {
    package var position: SourcePosition
    package var text: String

    package init(position: SourcePosition, text: String) {
        self.position = position
        self.text = text
    }

    /// `line:column: text`, as the official service answers an upload.
    package var description: String { "\(position): \(text)" }
}

/// Why a rules text was refused as a whole: at least one problem, those of different rules each.
///
/// Problems stand from the last place in the file to the first, as the official service lists them.
package struct RulesRefusal: Error, Equatable, CustomStringConvertible {
    package let problems: [RulesProblem]

    init(_ problems: [RulesProblem]) {
        // Of two problems at one place the one found later comes first: the order must not depend on the sort.
        let sorted = problems.enumerated().sorted { left, right in
            left.element.position != right.element.position
                ? left.element.position > right.element.position : left.offset > right.offset
        }
        self.problems = sorted.map(\.element)
    }

    /// One line for each problem, each ended by a line feed.
    package var description: String { problems.map { "\($0)\n" }.joined() }
}
