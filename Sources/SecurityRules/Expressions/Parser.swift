import DataTree

/// Reads an expression by precedence climbing.
///
/// Nesting is bounded before it can grow: by a counter where the parser calls itself, and by the height of the tree where
/// operators in a row build on each other. Whoever walks a tree later may therefore recurse.
struct Parser {
    private var lexer: Lexer
    private var token: Token
    private var end = 0
    private var expression = Expression()
    /// The height of each node's tree.
    private var heights: [Int] = []
    private var nesting = 0
    private let greatestNesting: Int

    /// Reads a whole expression from valid UTF-8.
    static func parse(_ bytes: [UInt8], nesting: Int = RulesLimits().expressionNesting) throws(ExpressionError)
        -> Expression
    {
        var parser = try Parser(bytes, nesting: nesting)
        _ = try parser.conditional()
        guard parser.token.kind == .end else { throw parser.unexpectedOperator() }
        return parser.expression
    }

    private init(_ bytes: [UInt8], nesting: Int) throws(ExpressionError) {
        greatestNesting = nesting
        lexer = Lexer(bytes)
        token = try lexer.next(expectsOperand: true)
    }

    // MARK: - Levels of precedence

    private mutating func conditional() throws(ExpressionError) -> Int {
        try descend()
        defer { nesting -= 1 }
        let start = token.start
        let condition = try binary(above: 0)
        guard token.kind == .symbol(.question) else { return condition }
        try advance(expectsOperand: true)
        let then = try conditional()
        try expect(.colon, expectsOperand: true)
        let otherwise = try conditional()
        return try add(.conditional(condition: condition, then: then, otherwise: otherwise), from: start)
    }

    /// Reads operands and the operators between them that bind tighter than `precedence`.
    private mutating func binary(above precedence: Int) throws(ExpressionError) -> Int {
        let start = token.start
        var left = try unary()
        while case .symbol(let symbol) = token.kind {
            if let operation = LogicalOperator(rawValue: symbol.rawValue), operation.precedence > precedence {
                var operands = [left]
                while token.kind == .symbol(symbol) {
                    try advance(expectsOperand: true)
                    operands.append(try binary(above: operation.precedence))
                }
                left = try add(.logical(operation, operands), from: start)
            } else if let operation = BinaryOperator(symbol), operation.precedence > precedence {
                try advance(expectsOperand: true)
                let right = try binary(above: operation.precedence)
                left = try add(.binary(operation, left, right), from: start)
            } else {
                break
            }
        }
        return left
    }

    private mutating func unary() throws(ExpressionError) -> Int {
        guard case .symbol(let symbol) = token.kind, let operation = UnaryOperator(rawValue: symbol.rawValue) else {
            return try postfix()
        }
        try descend()
        defer { nesting -= 1 }
        let start = token.start
        try advance(expectsOperand: true)
        let operand = try unary()
        return try add(.unary(operation, operand), from: start)
    }

    private mutating func postfix() throws(ExpressionError) -> Int {
        let start = token.start
        var value = try primary()
        while case .symbol(let symbol) = token.kind {
            switch symbol {
            case .dot:
                try advance(expectsOperand: true)
                guard case .name(let name) = token.kind else { throw unexpectedOperand() }
                try advance(expectsOperand: false)
                value = try add(.member(value, name), from: start)
            case .openBracket:
                try advance(expectsOperand: true)
                let subscripted = try conditional()
                try expect(.closeBracket, expectsOperand: false)
                value = try add(.element(value, subscripted), from: start)
            case .openParenthesis:
                try advance(expectsOperand: true)
                let arguments = try list(closing: .closeParenthesis)
                value = try add(.call(value, arguments), from: start)
            default:
                return value
            }
        }
        return value
    }

    private mutating func primary() throws(ExpressionError) -> Int {
        let start = token.start
        let kind: ExpressionNode.Kind
        switch token.kind {
        case .number(let value): kind = .number(value)
        case .string(let text): kind = .string(text)
        case .regularExpression(let body, let flags): kind = .regularExpression(body, ignoresCase: flags == "i")
        case .name("true"): kind = .bool(true)
        case .name("false"): kind = .bool(false)
        case .name("null"): kind = .null
        case .name(let name):
            if Self.reservedWords.contains(name) { throw refused(name) }
            kind = .name(name)
        case .symbol(.openParenthesis):
            try advance(expectsOperand: true)
            let value = try conditional()
            try expect(.closeParenthesis, expectsOperand: false)
            return value
        case .symbol(.openBracket):
            try advance(expectsOperand: true)
            let elements = try list(closing: .closeBracket)
            return try add(.array(elements), from: start)
        case .symbol, .end:
            throw unexpectedOperand()
        }
        try advance(expectsOperand: false)
        return try add(kind, from: start)
    }

    /// Reads values with commas between them, up to and with the closing bracket.
    private mutating func list(closing: Symbol) throws(ExpressionError) -> [Int] {
        var values: [Int] = []
        if token.kind == .symbol(closing) {
            try advance(expectsOperand: false)
            return values
        }
        while true {
            values.append(try conditional())
            guard token.kind == .symbol(.comma) else { break }
            try advance(expectsOperand: true)
        }
        try expect(closing, expectsOperand: false)
        return values
    }

    // MARK: - Tokens and nodes

    private mutating func advance(expectsOperand: Bool) throws(ExpressionError) {
        end = token.end
        token = try lexer.next(expectsOperand: expectsOperand)
    }

    private mutating func expect(_ symbol: Symbol, expectsOperand: Bool) throws(ExpressionError) {
        guard token.kind == .symbol(symbol) else {
            if token.kind == .end { throw unexpectedOperator() }
            if case .symbol(let other) = token.kind, other.refusal != nil { throw unexpectedOperator() }
            throw ExpressionError(offset: token.start, text: "Expected '\(symbol.rawValue)'.")
        }
        try advance(expectsOperand: expectsOperand)
    }

    private mutating func descend() throws(ExpressionError) {
        nesting += 1
        if nesting > greatestNesting { throw nestedTooDeep(at: token.start) }
    }

    private mutating func add(_ kind: ExpressionNode.Kind, from start: Int) throws(ExpressionError) -> Int {
        let node = ExpressionNode(kind: kind, start: start, end: end)
        let height = 1 + (node.operands.map { heights[$0] }.max() ?? 0)
        guard height <= greatestNesting else { throw nestedTooDeep(at: start) }
        expression.nodes.append(node)
        heights.append(height)
        return expression.nodes.count - 1
    }

    // MARK: - Refusals

    private func nestedTooDeep(at offset: Int) -> ExpressionError {
        ExpressionError(
            offset: offset, text: "Nested deeper than \(greatestNesting) levels; split it over several rules.")
    }

    /// Words of JavaScript that begin something which the language leaves out.
    private static let reservedWords: Set<Text> = [
        "await", "class", "delete", "function", "import", "in", "instanceof", "new", "super", "this", "throw", "typeof",
        "void", "yield",
    ]

    private func refused(_ word: Text) -> ExpressionError {
        ExpressionError(offset: token.start, text: "Rule expressions may not contain '\(word)'.")
    }

    /// For what stands where an operand should.
    private func unexpectedOperand() -> ExpressionError {
        switch token.kind {
        case .end: return ExpressionError(offset: token.start, text: "Unexpected end of expression")
        case .symbol(.plus):
            return ExpressionError(offset: token.start, text: "Rule expressions may not contain the unary + operator.")
        case .symbol(.bitNot), .symbol(.increment), .symbol(.decrement), .symbol(.openBrace), .symbol(.backtick):
            return unexpectedOperator()
        default: return ExpressionError(offset: token.start, text: "syntax error")
        }
    }

    /// For what stands where an operator or the end should.
    private func unexpectedOperator() -> ExpressionError {
        let text: String
        switch token.kind {
        case .end: text = "Unexpected end of expression"
        case .name(let word) where word == "in" || word == "instanceof": return refused(word)
        case .name, .number, .string, .regularExpression, .symbol(.not): text = "missing ; before statement"
        case .symbol(let symbol): text = symbol.refusal ?? "syntax error"
        }
        return ExpressionError(offset: token.start, text: text)
    }
}
