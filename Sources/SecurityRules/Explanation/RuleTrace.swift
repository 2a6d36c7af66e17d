import DataTree

/// One rule as it was evaluated for a decision.
package struct RuleTrace: Sendable {
    package enum Outcome: Equatable, Sendable {
        case granted
        case refused
        case failed(RuleFailure.Reason)
    }

    /// A part of the rule and the value that it had.
    package struct Part: Sendable {
        package var location: RuleLocation
        package var value: TraceValue
    }

    private let rules: CompiledRules
    let ruleIndex: Int32
    /// Where in the data the rule was asked.
    package let path: Path
    /// The keys that the wildcards stood for, by their names with the `$`.
    package let captures: [(name: String, key: String)]
    package internal(set) var outcome = Outcome.refused
    /// By operation of the rule.
    var values: [TraceValue]

    init(_ rules: CompiledRules, rule: Int32, path: Path, captures: [Key]) {
        self.rules = rules
        ruleIndex = rule
        self.path = path
        self.captures = zip(rules.captureNames(of: rules.rules[Int(rule)].node), captures)
            .map { ($0, $1.description) }
        values = Array(repeating: .skipped, count: rules.rules[Int(rule)].operations.count)
    }

    package var location: RuleLocation { rules.location(ofRule: ruleIndex) }

    /// The parts that have values, inner ones before what they are part of; literals are left out.
    package var parts: [Part] {
        operations.filter { !rules.program.notes[Int($0)].isPlain }.map(part)
    }

    /// The part that made the rule fail or be false: the innermost of which one can say so.
    package var decisive: Part? {
        switch outcome {
        case .granted: return nil
        case .refused: return part(falseOperation(rules.rules[Int(ruleIndex)].operation))
        case .failed:
            let failed = operations.first {
                if case .failed = value($0) { true } else { false }
            }
            return failed.map(part)
        }
    }

    private var operations: Range<Int32> { rules.rules[Int(ruleIndex)].operations }

    private func value(_ operation: Int32) -> TraceValue { values[Int(operation - operations.lowerBound)] }

    private func part(_ operation: Int32) -> Part {
        Part(location: rules.location(ofOperation: operation, in: ruleIndex), value: value(operation))
    }

    /// Where a false came from: the condition of several that was false, the branch that was taken.
    private func falseOperation(_ operation: Int32) -> Int32 {
        switch rules.program.operations[Int(operation)] {
        case .and(let operands, let count):
            let refused = rules.program.operands[Int(operands)..<Int(operands + count)]
                .first { value($0) == .bool(false) }
            return refused.map(falseOperation) ?? operation
        case .conditional(let condition, let then, let otherwise):
            let branch = value(condition) == .bool(true) ? then : otherwise
            return value(branch) == .bool(false) ? falseOperation(branch) : operation
        default: return operation
        }
    }
}

extension CompiledRules {
    /// The names of the wildcards on the way to a place, from the root down.
    fileprivate func captureNames(of node: Int32) -> [String] {
        var names: [String] = []
        var index: Int32? = node
        while let place = index {
            if nodes[Int(place)].isWildcard { names.append(nodes[Int(place)].name.string) }
            index = nodes[Int(place)].parent
        }
        return names.reversed()
    }
}
