import DataTree

/// Where an expression stands: what it may name.
struct RuleScope: Sendable {
    var kind: RuleKind
    /// The wildcards from the root down to the rule's place, each with its `$`, and how deep they stand.
    var captures: [Text: Int32]
}

/// An expression whose types fit, with the type of each node.
struct CheckedExpression: Sendable {
    var expression: Expression
    var types: [RuleType]
    /// The compiled patterns, by the node that is their literal.
    var patterns: [Int: RegularExpression]
}

/// Finds the first thing in an expression whose type does not fit, with the words of the official service.
///
/// Neither stored data nor a claim is known to be a boolean, so either must be compared before a rule can be decided by it.
struct Checker {
    private let expression: Expression
    private let scope: RuleScope
    private var types: [RuleType]
    private var patterns: [Int: RegularExpression] = [:]

    static func check(_ expression: Expression, in scope: RuleScope) throws(ExpressionError) -> CheckedExpression {
        var checker = Checker(expression: expression, scope: scope)
        let type = try checker.type(expression.root)
        guard type == .boolean else {
            throw checker.error(expression.root, "Expression must evaluate to a boolean.")
        }
        return CheckedExpression(expression: expression, types: checker.types, patterns: checker.patterns)
    }

    private init(expression: Expression, scope: RuleScope) {
        self.expression = expression
        self.scope = scope
        // Nodes that are never asked for their type are names of members, which have no value.
        types = Array(repeating: .method, count: expression.nodes.count)
    }

    private func error(_ index: Int, _ text: String) -> ExpressionError {
        ExpressionError(offset: expression.nodes[index].start, text: text)
    }

    // MARK: - Nodes

    private mutating func type(_ index: Int) throws(ExpressionError) -> RuleType {
        let type = try computedType(index)
        types[index] = type
        return type
    }

    private mutating func computedType(_ index: Int) throws(ExpressionError) -> RuleType {
        switch expression.nodes[index].kind {
        case .null: return .null
        case .bool: return .boolean
        case .number: return .number
        case .string: return .string
        case .regularExpression(let body, let ignoresCase):
            do {
                patterns[index] = try RegularExpression(pattern: body.string, ignoresCase: ignoresCase)
            } catch {
                throw self.error(index, "\(error)")
            }
            return .regularExpression
        case .name(let name): return try variable(name, index)
        case .array: throw error(index, "Unexpected array literal.")
        case .unary(let operation, let operand): return try unary(operation, operand, index)
        case .logical(let operation, let operands):
            for (place, operand) in operands.enumerated() where try type(operand) != .boolean {
                let side = place == 0 ? "Left" : "Right"
                throw error(index, "\(side) operand of \(operation.rawValue) must be boolean.")
            }
            return .boolean
        case .binary(let operation, let left, let right): return try binary(operation, left, right, index)
        case .conditional(let condition, let then, let otherwise):
            guard try type(condition) == .boolean else { throw error(index, "condition of ? must be boolean.") }
            let thenType = try type(then)
            return RuleType.common(thenType, try type(otherwise))
        case .member(let receiver, let name): return try member(name, of: receiver, index)
        case .element(let receiver, let subscripted):
            if case .string(let name) = expression.nodes[subscripted].kind {
                types[subscripted] = .string
                return try member(name, of: receiver, index)
            }
            let receiverType = try type(receiver)
            _ = try type(subscripted)
            guard receiverType == .auth else { throw error(index, "Invalid property access.") }
            return .auth
        case .call(let callee, let arguments): return try call(callee, arguments, index)
        }
    }

    private func variable(_ name: Text, _ index: Int) throws(ExpressionError) -> RuleType {
        switch name {
        case "auth": return .auth
        case "now": return .number
        case "root", "data": return .snapshot
        case "newData":
            if scope.kind == .read { throw error(index, "newData is invalid in .read expressions.") }
            return .snapshot
        case "query": return .query
        default:
            guard scope.captures[name] != nil else { throw error(index, "Unknown variable '\(name)'.") }
            return .string
        }
    }

    // MARK: - Operators

    private mutating func unary(
        _ operation: UnaryOperator, _ operand: Int, _ index: Int
    ) throws(ExpressionError) -> RuleType {
        let type = try type(operand)
        switch operation {
        case .not:
            guard type == .boolean else { throw error(index, "! only operates on booleans.") }
            return .boolean
        case .minus:
            guard type.isNumeric else { throw error(index, "- only operates on numbers.") }
            return .number
        }
    }

    private mutating func binary(
        _ operation: BinaryOperator, _ left: Int, _ right: Int, _ index: Int
    ) throws(ExpressionError) -> RuleType {
        func refuse(_ side: String, _ problem: String) -> ExpressionError {
            error(index, "Invalid \(operation.rawValue) expression: \(side) operand \(problem)")
        }
        let leftType = try type(left)
        switch operation {
        case .equal, .notEqual:
            // The missing "or" is the official service's.
            let problem = operation == .equal ? "is not a number, boolean, string, null." : Self.notComparable
            guard leftType.isComparable else { throw refuse("left", problem) }
            guard try type(right).isComparable else { throw refuse("right", Self.notComparable) }
            return .boolean
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            let problem = "must be a number or string."
            guard leftType.isOrderable else { throw refuse("left", problem) }
            guard try type(right).isOrderable else { throw refuse("right", problem) }
            return .boolean
        case .add:
            let problem = "is not a number or string."
            guard leftType.isOrderable else { throw refuse("left", problem) }
            let rightType = try type(right)
            guard rightType.isOrderable else { throw refuse("right", problem) }
            if leftType == .string || rightType == .string { return .string }
            return leftType == .number && rightType == .number ? .number : .value
        case .subtract, .multiply, .divide, .remainder:
            let problem = "is not a number."
            guard leftType.isNumeric else { throw refuse("left", problem) }
            guard try type(right).isNumeric else { throw refuse("right", problem) }
            return .number
        }
    }

    private static let notComparable = "is not a number, boolean, string, or null."

    // MARK: - Members and calls

    private mutating func member(
        _ name: Text, of receiver: Int, _ index: Int
    ) throws(ExpressionError) -> RuleType {
        let unknown = error(index, "No such method/property '\(name)'.")
        switch try type(receiver) {
        case .snapshot:
            guard SnapshotMethod(name) != nil else { throw unknown }
            return .method
        case .string, .value:
            if name == "length" { return .number }
            guard StringMethod(name) != nil else { throw unknown }
            return .method
        case .auth: return StringMethod(name) != nil ? .method : .auth
        case .query:
            guard let property = QueryProperty(name) else { throw unknown }
            return property.type
        case .boolean, .number, .null, .regularExpression, .method, .queryValue, .mixed:
            throw error(index, "Invalid property access: target is not an object.")
        }
    }

    private mutating func call(
        _ callee: Int, _ arguments: [Int], _ index: Int
    ) throws(ExpressionError) -> RuleType {
        guard try type(callee) == .method, let (receiver, name) = expression.member(callee) else {
            throw error(index, "Type error: Function call on target that is not a function.")
        }
        if types[receiver] == .snapshot, let method = SnapshotMethod(name) {
            return try call(method, arguments, index)
        }
        guard let method = StringMethod(name) else {
            throw error(index, "Type error: Function call on target that is not a function.")
        }
        return try call(method, arguments, index)
    }

    private mutating func call(
        _ method: SnapshotMethod, _ arguments: [Int], _ index: Int
    ) throws(ExpressionError) -> RuleType {
        switch method {
        case .val, .exists, .isString, .isNumber, .isBoolean, .parent, .getPriority:
            try expectNone(method.rawValue, arguments, index)
        case .child, .hasChild: try expectString(method.rawValue, arguments, index)
        case .hasChildren: try expectNames(arguments, index)
        }
        return method.type
    }

    private mutating func call(
        _ method: StringMethod, _ arguments: [Int], _ index: Int
    ) throws(ExpressionError) -> RuleType {
        switch method {
        case .toLowerCase, .toUpperCase: try expectNone(method.rawValue, arguments, index)
        case .contains, .beginsWith, .endsWith: try expectString(method.rawValue, arguments, index)
        case .replace:
            guard arguments.count == 2 else { throw error(index, "replace() expects two arguments.") }
            for (place, argument) in arguments.enumerated() where try !type(argument).isStringLike {
                throw error(index, "Argument \(place + 1) of replace() must be a string.")
            }
        case .matches:
            guard arguments.count == 1 else {
                throw error(index, "matches() expects 1 regular expression literal argument.")
            }
            guard case .regularExpression = expression.nodes[arguments[0]].kind else {
                throw error(index, "matches() expects a regular expression literal argument.")
            }
            _ = try type(arguments[0])
        }
        return method.type
    }

    private func expectNone(_ name: String, _ arguments: [Int], _ index: Int) throws(ExpressionError) {
        guard arguments.isEmpty else { throw error(index, "\(name)() expects no arguments.") }
    }

    private mutating func expectString(_ name: String, _ arguments: [Int], _ index: Int) throws(ExpressionError) {
        guard arguments.count == 1 else { throw error(index, "\(name)() expects 1 argument.") }
        guard try type(arguments[0]).isStringLike else { throw error(index, "\(name)() expects a string argument.") }
    }

    private mutating func expectNames(_ arguments: [Int], _ index: Int) throws(ExpressionError) {
        guard arguments.count <= 1 else {
            throw error(
                index, "hasChildren() expects only a single argument (containing an array of child names).")
        }
        guard let argument = arguments.first else { return }
        guard case .array(let elements) = expression.nodes[argument].kind else {
            _ = try type(argument)
            throw error(index, "hasChildren() expects an array of child names.")
        }
        for element in elements where try !type(element).isStringLike {
            throw error(index, "hasChildren() expects an array of strings.")
        }
    }
}

extension Expression {
    /// The receiver and the name of a member: `a.name` and `a['name']` are the same.
    func member(_ index: Int) -> (receiver: Int, name: Text)? {
        switch nodes[index].kind {
        case .member(let receiver, let name): return (receiver, name)
        case .element(let receiver, let subscripted):
            guard case .string(let name) = nodes[subscripted].kind else { return nil }
            return (receiver, name)
        default: return nil
        }
    }
}
