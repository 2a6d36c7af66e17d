import DataTree

/// Evaluates rules along one way down the tree.
///
/// The way is a stack of levels, one for each place of the rules, from the root down; each has the tree before and after
/// the write at its place. A rule sees the level it stands at as `data` and `newData`. `scripts/bench rules` guards the
/// cost: a node of an expression takes some ten nanoseconds and allocates nothing but the strings it makes.
struct Evaluator<Observer: EvaluationObserver> {
    /// A place on the way: what is there before and after, and which rules stand for it.
    struct Level {
        var key: Key
        var node: RuleNode
        var old: Node
        var new: Node
        /// What `.write` said here, once it was asked.
        var grants: Bool?
        /// Whether `.validate` was true here, or there is none.
        var isValidated = false
    }

    /// A place of the tree before or after the write: a level, or a place reached from one by the trail's keys
    /// from `start` to its end.
    struct Snapshot {
        var isNew: Bool
        var level: Int
        var start: Int
    }

    let rules: CompiledRules
    let operations: [Operation]
    let identity: RuleIdentity
    let query: RuleQuery
    let now: RuleValue
    var levels: [Level] = []
    /// The level of the rule that is evaluated.
    var depth = 0
    /// What is at the places below the levels, of the snapshots in use: what is asked last is at the end.
    var trail: [Node] = []
    /// The keys of these places; kept only for those who watch.
    var trailKeys: [Key] = []
    var stepsLeft: Int
    var observer: Observer

    init(
        _ rules: CompiledRules, by identity: RuleIdentity, now: Int64, query: RuleQuery, old: Node, new: Node,
        observer: Observer
    ) {
        self.rules = rules
        operations = rules.program.operations
        self.identity = identity
        self.query = query
        self.now = .number(Double(now))
        stepsLeft = rules.limits.steps
        self.observer = observer
        levels.reserveCapacity(8)
        levels.append(Level(key: rootKey, node: rules.nodes[0], old: old, new: new))
    }

    /// Whether a rule is true at a level. What cannot be evaluated is not true.
    mutating func outcome(of index: Int32, at level: Int) -> RuleOutcome {
        let operation = rules.rules[Int(index)].operation
        if case .bool(let value) = operations[Int(operation)], !Observer.observesRules {
            return value ? .granted : .refused
        }
        depth = level
        if Observer.observesRules {
            let captures = levels[...level].filter(\.node.isWildcard).map(\.key)
            observer.ruleBegins(index, at: path(toLevel: level), captures: captures)
        }
        // What places add to the limit makes large writes possible, not a single rule costlier.
        let reserve = max(0, stepsLeft - rules.limits.steps)
        stepsLeft -= reserve
        defer { stepsLeft += reserve }
        let outcome: RuleOutcome
        do throws(RuleFailure) {
            outcome = try boolean(operation) ? .granted : .refused
        } catch {
            outcome = .failed(error)
            dropTrail(to: 0)
        }
        if Observer.observesRules { observer.ruleEnds(index, outcome) }
        return outcome
    }

    func path(toLevel level: Int) -> Path { Path(keys: levels[1..<(level + 1)].map(\.key)) }

    // MARK: - Steps

    @inline(__always)
    mutating func spend(_ steps: Int, _ index: Int32) throws(RuleFailure) {
        stepsLeft &-= steps
        if stepsLeft < 0 {
            stepsLeft = 0
            throw RuleFailure(operation: index, reason: .tooManySteps)
        }
    }
}

/// The root has no key.
private let rootKey: Key = ""
