/// Where a rule, or a part of one, stands.
package struct RuleLocation: Equatable, Sendable {
    /// The place in the rules, such as `/rooms/$room`.
    package var place: String
    /// Nil for a place without a rule of its own, such as a wildcard.
    package var kind: RuleKind?
    package var position: SourcePosition
    /// The text of the rule or of the part.
    package var text: String
}

extension RuleLocation: CustomStringConvertible {
    package var description: String { (kind.map { "\($0.key) at " } ?? "") + "\(place) (\(position))" }
}

extension CompiledRules {
    package func location(of rule: RuleReference) -> RuleLocation { location(ofRule: rule.index) }

    /// Every rule, in the order in which they were compiled.
    package var ruleLocations: [RuleLocation] { rules.indices.map { location(ofRule: Int32($0)) } }

    /// An expression in one style, with parentheses only where they are needed; nil for what is no expression.
    package static func printedExpression(_ text: String) -> String? {
        (try? Parser.parse(Array(text.utf8)))?.printed
    }

    func location(ofRule index: Int32) -> RuleLocation {
        let rule = rules[Int(index)]
        return RuleLocation(
            place: place(of: rule.node), kind: rule.kind, position: position(in: rule, at: 0), text: rule.text.string)
    }

    /// The place of an operation and its text.
    func location(ofOperation operation: Int32, in index: Int32) -> RuleLocation {
        let rule = rules[Int(index)]
        let note = program.notes[Int(operation)]
        return RuleLocation(
            place: place(of: rule.node), kind: rule.kind, position: position(in: rule, at: Int(note.start)),
            text: text(ofOperation: operation, in: rule))
    }

    func text(ofOperation operation: Int32, in rule: Rule) -> String {
        let note = program.notes[Int(operation)]
        return String(decoding: rule.text.bytes[Int(note.start)..<Int(note.end)], as: UTF8.self)
    }

    private func position(in rule: Rule, at offset: Int) -> SourcePosition {
        source.position(of: rule.text.fileOffset(of: offset))
    }

    /// The path of a place of the rules, wildcards by their names.
    func place(of node: Int32) -> String {
        var names: [String] = []
        var index = node
        while let parent = nodes[Int(index)].parent {
            names.append(nodes[Int(index)].name.string)
            index = parent
        }
        return "/" + names.reversed().joined(separator: "/")
    }
}
