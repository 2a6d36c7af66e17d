import DataTree

/// Who watches rules being evaluated: an explanation, a count of coverage, a record of what was read.
///
/// The evaluator is generic over its observer, and what an observer wants is constant: evaluation that nobody watches
/// compiles to code without any of these calls.
protocol EvaluationObserver {
    /// Whether rules and their operations are told.
    static var observesRules: Bool { get }
    /// Whether reads of data are told.
    static var observesReads: Bool { get }
    /// Whether a decision goes on after the first reason to deny, to find the others.
    static var wantsEveryReason: Bool { get }

    mutating func ruleBegins(_ rule: Int32, at path: Path, captures: [Key])
    mutating func ruleEnds(_ rule: Int32, _ outcome: RuleOutcome)
    mutating func operationEnds(_ operation: Int32, _ value: RuleValue)
    /// An operation gave a snapshot of a place before or after the write.
    mutating func operationEnds(_ operation: Int32, snapshotOf path: Path, isNew: Bool)
    /// A reason to deny was found.
    mutating func denies(_ denial: Denial)
    /// A place of the rules stands for a key; told of wildcards only.
    mutating func wildcardMatches(_ node: Int32)
    /// A rule looked at a place. `isDeep` says that all below it may matter.
    mutating func reads(_ path: Path, isDeep: Bool)
}

/// What became of a rule.
enum RuleOutcome: Equatable, Sendable {
    case granted
    case refused
    case failed(RuleFailure)

    var isTrue: Bool { self == .granted }
}

extension EvaluationObserver {
    static var observesRules: Bool { false }
    static var observesReads: Bool { false }
    static var wantsEveryReason: Bool { false }

    mutating func ruleBegins(_ rule: Int32, at path: Path, captures: [Key]) {}
    mutating func ruleEnds(_ rule: Int32, _ outcome: RuleOutcome) {}
    mutating func operationEnds(_ operation: Int32, _ value: RuleValue) {}
    mutating func operationEnds(_ operation: Int32, snapshotOf path: Path, isNew: Bool) {}
    mutating func denies(_ denial: Denial) {}
    mutating func wildcardMatches(_ node: Int32) {}
    mutating func reads(_ path: Path, isDeep: Bool) {}
}

/// Nobody watches.
struct NoObserver: EvaluationObserver {}
