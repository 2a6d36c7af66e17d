import DataTree

/// A piece of an expression.
struct Token: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        case number(Double)
        case string(Text)
        /// The text between the slashes as it stands, and the letters behind them.
        case regularExpression(Text, flags: Text)
        case name(Text)
        case symbol(Symbol)
        case end
    }

    var kind: Kind
    /// Byte offsets into the expression.
    var start: Int
    var end: Int
}

/// Operators and punctuation: those of the language, and those of JavaScript that it leaves out, which are read so that
/// they can be refused by name.
enum Symbol: String, CaseIterable, Sendable {
    case question = "?"
    case colon = ":"
    case or = "||"
    case and = "&&"
    case equal = "=="
    case notEqual = "!="
    case identical = "==="
    case notIdentical = "!=="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divide = "/"
    case remainder = "%"
    case not = "!"
    case dot = "."
    case comma = ","
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBracket = "["
    case closeBracket = "]"

    // Not of the language.
    case assign = "="
    case plusAssign = "+="
    case minusAssign = "-="
    case timesAssign = "*="
    case divideAssign = "/="
    case remainderAssign = "%="
    case powerAssign = "**="
    case andAssign = "&="
    case orAssign = "|="
    case exclusiveOrAssign = "^="
    case shiftLeftAssign = "<<="
    case shiftRightAssign = ">>="
    case shiftRightZeroAssign = ">>>="
    case increment = "++"
    case decrement = "--"
    case power = "**"
    case bitAnd = "&"
    case bitOr = "|"
    case bitExclusiveOr = "^"
    case bitNot = "~"
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case shiftRightZero = ">>>"
    case arrow = "=>"
    case semicolon = ";"
    case openBrace = "{"
    case closeBrace = "}"
    case backtick = "`"

    /// All symbols, those that begin with another one before it.
    static let longestFirst: [(bytes: [UInt8], symbol: Symbol)] = allCases.map { (Array($0.rawValue.utf8), $0) }
        .sorted { $0.bytes.count > $1.bytes.count }

    var isAssignment: Bool { rawValue.utf8.last == UInt8(ascii: "=") && !isComparison }

    private var isComparison: Bool {
        switch self {
        case .equal, .notEqual, .identical, .notIdentical, .lessOrEqual, .greaterOrEqual: true
        default: false
        }
    }

    /// How a message names what the language leaves out; nil for what belongs to it.
    var refusal: String? {
        if isAssignment { return "Rule expressions may not contain assignments." }
        switch self {
        case .arrow: return "Rule expressions may not contain functions."
        case .semicolon: return "Rule expressions may not contain ';'."
        case .openBrace, .closeBrace: return "Rule expressions may not contain object literals."
        case .backtick: return "Rule expressions may not contain template literals."
        case .increment, .decrement, .power, .bitAnd, .bitOr, .bitExclusiveOr, .bitNot, .shiftLeft, .shiftRight,
            .shiftRightZero:
            return "Rule expressions may not contain the \(rawValue) operator."
        default: return nil
        }
    }
}
