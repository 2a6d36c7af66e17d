import DataTree

/// A parsed expression: a flat list of nodes that refer to each other by index. Operands stand before what uses them, so
/// the last node is the whole expression.
struct Expression: Sendable {
    var nodes: [ExpressionNode] = []

    var root: Int { nodes.count - 1 }
}

/// A node of an expression and where its text is.
struct ExpressionNode: Sendable {
    enum Kind: Sendable {
        case null
        case bool(Bool)
        case number(Double)
        case string(Text)
        case regularExpression(Text, ignoresCase: Bool)
        case name(Text)
        case array([Int])
        case unary(UnaryOperator, Int)
        /// `a && b && c` is one node, so that long lists of conditions do not nest.
        case logical(LogicalOperator, [Int])
        case binary(BinaryOperator, Int, Int)
        case conditional(condition: Int, then: Int, otherwise: Int)
        /// `a.name`
        case member(Int, Text)
        /// `a[b]`
        case element(Int, Int)
        case call(Int, [Int])
    }

    var kind: Kind
    /// Byte offsets into the expression's text.
    var start: Int
    var end: Int

    /// The nodes that this one is made of, in the order in which they stand in the text.
    var operands: [Int] {
        switch kind {
        case .null, .bool, .number, .string, .regularExpression, .name: []
        case .array(let elements): elements
        case .unary(_, let operand): [operand]
        case .logical(_, let operands): operands
        case .binary(_, let left, let right): [left, right]
        case .conditional(let condition, let then, let otherwise): [condition, then, otherwise]
        case .member(let receiver, _): [receiver]
        case .element(let receiver, let subscripted): [receiver, subscripted]
        case .call(let callee, let arguments): [callee] + arguments
        }
    }
}

enum UnaryOperator: String, Sendable {
    case not = "!"
    case minus = "-"
}

enum LogicalOperator: String, Sendable {
    case and = "&&"
    case or = "||"
}

/// Operators between two operands. `===` and `!==` are spellings of `==` and `!=` and keep no place of their own.
enum BinaryOperator: String, Sendable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"

    /// Higher binds tighter. `&&` is 2, `||` is 1.
    var precedence: Int {
        switch self {
        case .equal, .notEqual: 3
        case .less, .lessOrEqual, .greater, .greaterOrEqual: 4
        case .add, .subtract: 5
        case .multiply, .divide, .remainder: 6
        }
    }

    init?(_ symbol: Symbol) {
        switch symbol {
        case .equal, .identical: self = .equal
        case .notEqual, .notIdentical: self = .notEqual
        default: self.init(rawValue: symbol.rawValue)
        }
    }
}

extension LogicalOperator {
    var precedence: Int { self == .and ? 2 : 1 }
}
