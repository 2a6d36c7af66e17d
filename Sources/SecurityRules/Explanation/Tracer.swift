import DataTree

/// Keeps what every rule and its parts did.
struct Tracer: EvaluationObserver {
    static var observesRules: Bool { true }
    static var wantsEveryReason: Bool { true }

    /// How many values are kept: long expressions fill the room of several rules.
    private static let valuesPerEntry = 10

    private let rules: CompiledRules
    private let isRevealing: Bool
    private var valuesLeft: Int
    private(set) var entries: [RuleTrace] = []
    private(set) var denials: [Denial] = []
    private(set) var isTruncated = false

    init(_ rules: CompiledRules, isRevealing: Bool) {
        self.rules = rules
        self.isRevealing = isRevealing
        valuesLeft = rules.limits.traceEntries * Self.valuesPerEntry
    }

    mutating func ruleBegins(_ rule: Int32, at path: Path, captures: [Key]) {
        valuesLeft -= rules.rules[Int(rule)].operations.count
        guard entries.count < rules.limits.traceEntries, valuesLeft >= 0 else {
            isTruncated = true
            return
        }
        entries.append(RuleTrace(rules, rule: rule, path: path, captures: captures))
    }

    mutating func ruleEnds(_ rule: Int32, _ outcome: RuleOutcome) {
        guard !isTruncated else { return }
        switch outcome {
        case .granted: entries[entries.count - 1].outcome = .granted
        case .refused: entries[entries.count - 1].outcome = .refused
        case .failed(let failure):
            entries[entries.count - 1].outcome = .failed(failure.reason)
            set(failure.operation, .failed(failure.reason))
        }
    }

    mutating func operationEnds(_ operation: Int32, _ value: RuleValue) {
        guard !isTruncated else { return }
        let isHidden = rules.program.notes[Int(operation)].isSecret && !isRevealing
        set(operation, isHidden ? .hidden : TraceValue(value))
    }

    mutating func operationEnds(_ operation: Int32, snapshotOf path: Path, isNew: Bool) {
        guard !isTruncated else { return }
        let isHidden = rules.program.notes[Int(operation)].isSecret && !isRevealing
        set(operation, isHidden ? .hidden : .place(path, isNew: isNew))
    }

    mutating func denies(_ denial: Denial) {
        guard denials.count < rules.limits.traceEntries else { return }
        denials.append(denial)
    }

    private mutating func set(_ operation: Int32, _ value: TraceValue) {
        let entry = entries.count - 1
        let place = Int(operation - rules.rules[Int(entries[entry].ruleIndex)].operations.lowerBound)
        entries[entry].values[place] = value
    }
}
