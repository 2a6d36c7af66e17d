import DataTree

/// How often each part of some rules was evaluated, and what it came to, over any number of operations.
///
/// ```swift
/// var coverage = RuleCoverage(rules)
/// for operation in operations { coverage.read(…) }
/// let report = coverage.report
/// ```
package struct RuleCoverage: Sendable {
    /// What a part of a rule came to.
    package struct Counts: Equatable, Sendable {
        package var evaluated = 0
        package var wasTrue = 0
        package var wasFalse = 0
        package var failed = 0
        package var wasNull = 0
        package var other = 0
    }

    private let rules: CompiledRules
    private var counter: Counter

    package init(_ rules: CompiledRules) {
        self.rules = rules
        counter = Counter(rules)
    }

    /// Decides a read, and counts.
    @discardableResult
    package mutating func read(
        _ path: Path, query: RuleQuery = .none, by identity: RuleIdentity, now: Int64, in root: Node
    ) -> Decision {
        count(Evaluator(rules, by: identity, now: now, query: query, old: root, new: .empty, observer: counter)) {
            $0.read(path)
        }
    }

    /// Decides a write, and counts.
    @discardableResult
    package mutating func write(
        _ writes: [RuleWrite], by identity: RuleIdentity, now: Int64, from old: Node, to new: Node
    ) -> Decision {
        count(Evaluator(rules, by: identity, now: now, query: .none, old: old, new: new, observer: counter)) {
            $0.write(writes)
        }
    }

    private mutating func count(
        _ evaluator: consuming Evaluator<Counter>, _ decide: (inout Evaluator<Counter>) -> Decision
    ) -> Decision {
        var evaluator = evaluator
        let decision = decide(&evaluator)
        counter = evaluator.observer
        return decision
    }

    // MARK: - Results

    /// A part of a rule and what it came to.
    package struct Part: Equatable, Sendable {
        package var location: RuleLocation
        package var counts: Counts
    }

    /// Every rule as a whole.
    package var wholes: [Part] {
        rules.rules.indices.map { index in
            Part(
                location: rules.location(ofRule: Int32(index)),
                counts: counter.counts[Int(rules.rules[index].operation)])
        }
    }

    /// The parts of all rules that are no literals, rule by rule, inner ones before what they are part of.
    package var parts: [Part] {
        rules.rules.indices.flatMap { index in
            rules.rules[index].operations.compactMap { operation in
                let note = rules.program.notes[Int(operation)]
                if note.isPlain || note.type == .method { return nil }
                return Part(
                    location: rules.location(ofOperation: operation, in: Int32(index)),
                    counts: counter.counts[Int(operation)])
            }
        }
    }

    /// What the operations so far have not tried.
    package var report: Report {
        var report = Report()
        for (index, rule) in rules.rules.enumerated() {
            let location = rules.location(ofRule: Int32(index))
            let whole = counter.counts[Int(rule.operation)]
            report.ruleCount += 1
            guard whole.evaluated > 0 else {
                report.neverEvaluated.append(location)
                continue
            }
            report.evaluatedRuleCount += 1
            if rule.kind == .validate, whole.wasFalse + whole.failed == 0 { report.neverFailed.append(location) }
            for operation in rule.operations where rules.program.isBranch(operation) {
                let counts = counter.counts[Int(operation)]
                report.branchCount += 2
                report.seenBranchCount += (counts.wasTrue > 0 ? 1 : 0) + (counts.wasFalse > 0 ? 1 : 0)
                if counts.wasTrue == 0 || counts.wasFalse == 0 {
                    report.oneSided.append(
                        Part(location: rules.location(ofOperation: operation, in: Int32(index)), counts: counts))
                }
            }
        }
        for (index, node) in rules.nodes.enumerated() where node.isWildcard && !counter.matched[index] {
            report.neverMatched.append(rules.place(of: Int32(index)))
        }
        return report
    }

    /// What was tried and what was not.
    package struct Report: Equatable, Sendable {
        package var ruleCount = 0
        package var evaluatedRuleCount = 0
        /// Both values of each part that is a boolean, of rules that were evaluated.
        package var branchCount = 0
        package var seenBranchCount = 0
        package var neverEvaluated: [RuleLocation] = []
        /// Parts that are booleans and were never true, or never false.
        package var oneSided: [Part] = []
        /// Wildcards that stood for no key.
        package var neverMatched: [String] = []
        /// `.validate` rules that were always true.
        package var neverFailed: [RuleLocation] = []
    }
}

/// Counts as rules are evaluated.
private struct Counter: EvaluationObserver {
    static var observesRules: Bool { true }

    /// By operation.
    var counts: [RuleCoverage.Counts]
    /// By place of the rules: whether a wildcard has stood for a key.
    var matched: [Bool]
    /// The operation of each rule.
    private let wholes: [Int32]

    init(_ rules: CompiledRules) {
        counts = Array(repeating: RuleCoverage.Counts(), count: rules.program.operations.count)
        matched = Array(repeating: false, count: rules.nodes.count)
        wholes = rules.rules.map(\.operation)
    }

    mutating func ruleEnds(_ rule: Int32, _ outcome: RuleOutcome) {
        guard case .failed(let failure) = outcome else { return }
        fail(failure.operation)
        // What the failing part belongs to came to nothing else; the rule as a whole is counted too.
        if failure.operation != wholes[Int(rule)] { fail(wholes[Int(rule)]) }
    }

    private mutating func fail(_ operation: Int32) {
        counts[Int(operation)].evaluated += 1
        counts[Int(operation)].failed += 1
    }

    mutating func operationEnds(_ operation: Int32, _ value: RuleValue) {
        counts[Int(operation)].evaluated += 1
        switch value {
        case .bool(true): counts[Int(operation)].wasTrue += 1
        case .bool(false): counts[Int(operation)].wasFalse += 1
        case .null: counts[Int(operation)].wasNull += 1
        default: counts[Int(operation)].other += 1
        }
    }

    mutating func operationEnds(_ operation: Int32, snapshotOf path: Path, isNew: Bool) {
        counts[Int(operation)].evaluated += 1
        counts[Int(operation)].other += 1
    }

    mutating func wildcardMatches(_ node: Int32) { matched[Int(node)] = true }
}

extension Program {
    /// Whether an operation is a boolean that may be either.
    fileprivate func isBranch(_ operation: Int32) -> Bool {
        let note = notes[Int(operation)]
        return note.type == .boolean && !note.isPlain
    }
}
