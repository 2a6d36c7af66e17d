import DataTree

/// The operations of all rules, and what they refer to. An operation's index is its id: coverage counts by it, and
/// explanations name it.
struct Program: Sendable {
    var operations: [Operation] = []
    var constants: [RuleValue] = []
    /// Claims that are asked for by a literal name, and the keys of literal paths of `child` and `hasChild`, those of one
    /// path in a row.
    var keys: [Key] = []
    /// The operands of `&&`, `||` and the names of `hasChildren([…])`, those of one operation in a row.
    var operands: [Int32] = []
    var patterns: [RegularExpression] = []
    /// What is known of each operation apart from what it does, for explanations and coverage.
    var notes: [OperationNote] = []
}

/// Where an operation comes from and how it may be shown.
struct OperationNote: Sendable {
    /// Byte offsets into the text of the rule.
    var start: Int32
    var end: Int32
    var type: RuleType
    /// Whether the value comes from `auth` otherwise than by `uid` and `provider`, so that explanations leave it out.
    var isSecret: Bool
    /// Whether it is a literal or has no value, so that showing it says nothing.
    var isPlain: Bool
}
