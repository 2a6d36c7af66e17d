/// What a rule decides.
package enum RuleKind: UInt8, CaseIterable, Sendable {
    case read
    case write
    case validate

    /// The key under which such a rule stands.
    package var key: String {
        switch self {
        case .read: ".read"
        case .write: ".write"
        case .validate: ".validate"
        }
    }
}

/// A place of a rules file: its rules, indexes and children, not yet checked beyond their shape.
struct RuleTree: Sendable {
    struct Rule: Sendable {
        enum Value: Sendable {
            case literal(Bool)
            case expression(DecodedString)
        }

        var kind: RuleKind
        var value: Value
        /// Where the value starts in the file: its opening quote, if it has one.
        var offset: Int
    }

    struct Child: Sendable {
        var name: String
        var offset: Int
        var tree: RuleTree

        /// Whether the child stands for all that have no rules of their own.
        var isWildcard: Bool { name.utf8.first == UInt8(ascii: "$") }
    }

    var rules: [Rule] = []
    /// What the children of this place may be ordered by.
    var indexes: [String] = []
    var children: [Child] = []
}
