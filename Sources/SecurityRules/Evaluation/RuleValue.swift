import DataTree

/// A value that an expression has when a rule runs. Snapshots, lists and patterns are no values: they are only ever asked
/// or passed, and types say so beforehand.
enum RuleValue: Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(Text)
    /// `val()` of a node with children (decision D1), and a map or array of claims: not null, and without order,
    /// arithmetic or string methods.
    case object(Node)
    /// A branch of a conditional that is no value (`now > 5 ? data : 1`): equal to nothing.
    case opaque

    /// A node's value as `val()` gives it; priorities do not show.
    init(_ node: Node) {
        guard let leaf = node.leaf else {
            self = node.isEmpty ? .null : .object(node)
            return
        }
        switch leaf {
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .number(Double(value))
        case .double(let value): self = .number(value)
        case .string(let text): self = .text(text)
        // Rules see trees whose server values are filled in.
        case .deferred: self = .null
        }
    }

    init(_ priority: Priority) {
        switch priority {
        case .number(let value): self = .number(value)
        case .string(let text): self = .text(text)
        case .none, .deferred: self = .null
        }
    }

    init(_ value: ValueOrder) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let value): self = .number(value)
        case .string(let text): self = .text(text)
        case .object: self = .opaque
        }
    }
}
