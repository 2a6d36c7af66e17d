import DataTree

/// Making operations of a checked expression: literals become constants, literal paths become keys.
extension Program {
    mutating func append(_ operation: Operation, _ note: OperationNote) {
        operations.append(operation)
        notes.append(note)
    }

    /// Appends one operation for each node of an expression, in the same order. `captures` are the wildcards on the way to the
    /// rule, and how deep they stand.
    mutating func append(_ checked: CheckedExpression, captures: [Text: Int32]) {
        let base = operations.count
        let nodes = checked.expression.nodes
        for index in nodes.indices {
            let operation = operation(index, checked, captures, base: Int32(base))
            let isSecret = isSecret(index, checked, base: base)
            let note = OperationNote(
                start: Int32(nodes[index].start), end: Int32(nodes[index].end), type: checked.types[index],
                isSecret: isSecret, isPlain: operation.isPlain)
            append(operation, note)
            deepenOperands(of: operation, checked, base: base)
        }
    }

    /// Marks the values of data that an operation may compare as whole objects: those on both sides of an equality, where
    /// neither is known to be something else, and those that a conditional may hand to one. Everywhere else an object is
    /// told apart by its kind alone.
    private mutating func deepenOperands(of operation: Operation, _ checked: CheckedExpression, base: Int) {
        let candidates: [Int32]
        switch operation {
        case .equal(let left, let right), .notEqual(let left, let right):
            candidates = [left, right]
            guard candidates.allSatisfy({ checked.types[Int($0) - base].mayBeObject }) else { return }
        case .conditional(_, let then, let otherwise): candidates = [then, otherwise]
        default: return
        }
        for candidate in candidates {
            if case .val(let receiver, _) = operations[Int(candidate)] {
                operations[Int(candidate)] = .val(receiver, isDeep: true)
            }
        }
    }

    /// Whether a node shows what only the caller should see: claims, and texts and numbers made of them. Verdicts over
    /// claims are what an explanation is about, so booleans that operators yield are shown.
    private func isSecret(_ index: Int, _ checked: CheckedExpression, base: Int) -> Bool {
        let node = checked.expression.nodes[index]
        if case .name(let name) = node.kind { return name == "auth" }
        if checked.types[index] == .auth, let (receiver, name) = checked.expression.member(index) {
            if case .name = checked.expression.nodes[receiver].kind { return name != "uid" && name != "provider" }
            return notes[base + receiver].isSecret
        }
        if checked.types[index] == .boolean, !isConditional(node) { return false }
        return node.operands.contains { notes[base + $0].isSecret }
    }

    private func isConditional(_ node: ExpressionNode) -> Bool {
        if case .conditional = node.kind { true } else { false }
    }

    private mutating func operation(
        _ index: Int, _ checked: CheckedExpression, _ captures: [Text: Int32], base: Int32
    ) -> Operation {
        func id(_ node: Int) -> Int32 { base + Int32(node) }
        switch checked.expression.nodes[index].kind {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .number(let value): return .constant(constant(.number(value)))
        case .string(let text): return .constant(constant(.text(text)))
        case .regularExpression, .array: return .nothing
        case .name(let name): return Self.variable(name, captures)
        case .unary(.not, let operand): return .not(id(operand))
        case .unary(.minus, let operand): return .negate(id(operand))
        case .logical(let operation, let operands):
            let (start, count) = list(operands.map(id))
            return operation == .and ? .and(operands: start, count: count) : .or(operands: start, count: count)
        case .binary(let operation, let left, let right): return Self.binary(operation, id(left), id(right))
        case .conditional(let condition, let then, let otherwise):
            return .conditional(id(condition), id(then), id(otherwise))
        case .member, .element: return member(index, checked, base)
        case .call(let callee, let arguments): return call(callee, arguments, checked, base)
        }
    }

    private static func variable(_ name: Text, _ captures: [Text: Int32]) -> Operation {
        switch name {
        case "auth": return .auth
        case "now": return .now
        case "root": return .root
        case "data": return .data
        case "newData": return .newData
        default: return captures[name].map { .capture(level: $0) } ?? .nothing
        }
    }

    private static func binary(_ operation: BinaryOperator, _ left: Int32, _ right: Int32) -> Operation {
        switch operation {
        case .equal: .equal(left, right)
        case .notEqual: .notEqual(left, right)
        case .less: .less(left, right)
        case .lessOrEqual: .lessOrEqual(left, right)
        case .greater: .greater(left, right)
        case .greaterOrEqual: .greaterOrEqual(left, right)
        case .add: .add(left, right)
        case .subtract: .subtract(left, right)
        case .multiply: .multiply(left, right)
        case .divide: .divide(left, right)
        case .remainder: .remainder(left, right)
        }
    }

    private mutating func member(_ index: Int, _ checked: CheckedExpression, _ base: Int32) -> Operation {
        guard let (receiver, name) = checked.expression.member(index) else {
            guard case .element(let receiver, let subscripted) = checked.expression.nodes[index].kind else {
                return .nothing
            }
            return .element(base + Int32(receiver), base + Int32(subscripted))
        }
        let operand = base + Int32(receiver)
        switch checked.types[receiver] {
        case .auth where checked.types[index] == .auth:
            if name == "uid", operations[Int(operand)] == .auth { return .userID(operand) }
            keys.append(Key(utf8: name))
            let key = Int32(keys.count - 1)
            return name == "length" ? .claimLength(operand, key: key) : .property(operand, key: key)
        case .string, .value: return name == "length" ? .length(operand) : .nothing
        case .query: return QueryProperty(name).map { .query($0, operand) } ?? .nothing
        default: return .nothing
        }
    }

    private mutating func call(
        _ callee: Int, _ arguments: [Int], _ checked: CheckedExpression, _ base: Int32
    ) -> Operation {
        guard let (receiver, name) = checked.expression.member(callee) else { return .nothing }
        let operand = base + Int32(receiver)
        let values = arguments.map { base + Int32($0) }
        if checked.types[receiver] == .snapshot, let method = SnapshotMethod(name) {
            return call(method, operand, arguments, checked, base)
        }
        switch StringMethod(name) {
        case .contains: return .contains(operand, values[0])
        case .beginsWith: return .beginsWith(operand, values[0])
        case .endsWith: return .endsWith(operand, values[0])
        case .replace: return .replace(operand, values[0], values[1])
        case .toLowerCase: return .lowercase(operand)
        case .toUpperCase: return .uppercase(operand)
        case .matches:
            guard let pattern = checked.patterns[arguments[0]] else { return .nothing }
            patterns.append(pattern)
            return .matches(operand, pattern: Int32(patterns.count - 1))
        case nil: return .nothing
        }
    }

    private mutating func call(
        _ method: SnapshotMethod, _ operand: Int32, _ arguments: [Int], _ checked: CheckedExpression, _ base: Int32
    ) -> Operation {
        switch method {
        case .val: return .val(operand, isDeep: false)
        case .parent: return .parent(operand)
        case .exists: return .exists(operand)
        case .isString: return .isString(operand)
        case .isNumber: return .isNumber(operand)
        case .isBoolean: return .isBoolean(operand)
        case .getPriority: return .priority(operand)
        case .child:
            if let (path, count) = path(arguments[0], checked) {
                return .childPath(operand, path: path, count: count)
            }
            return .child(operand, base + Int32(arguments[0]))
        case .hasChild:
            if let (path, count) = path(arguments[0], checked) {
                return .hasChildPath(operand, path: path, count: count)
            }
            return .hasChild(operand, base + Int32(arguments[0]))
        case .hasChildren:
            guard let argument = arguments.first, case .array(let names) = checked.expression.nodes[argument].kind
            else { return .hasChildren(operand) }
            let literals = names.compactMap { path($0, checked) }
            if literals.count == names.count {
                let (start, _) = list(literals.flatMap { [$0.start, $0.count] })
                return .hasAllPaths(operand, names: start, count: Int32(names.count))
            }
            let (start, count) = list(names.map { base + Int32($0) })
            return .hasAllChildren(operand, names: start, count: count)
        }
    }

    private mutating func constant(_ value: RuleValue) -> Int32 {
        constants.append(value)
        return Int32(constants.count - 1)
    }

    private mutating func list(_ list: [Int32]) -> (start: Int32, count: Int32) {
        operands += list
        return (Int32(operands.count - list.count), Int32(list.count))
    }

    /// The keys of a literal path; nil for any other node.
    private mutating func path(_ index: Int, _ checked: CheckedExpression) -> (start: Int32, count: Int32)? {
        guard case .string(let text) = checked.expression.nodes[index].kind else { return nil }
        let path = text.withUTF8 { Path(utf8: $0) }.keys
        keys += path
        return (Int32(keys.count - path.count), Int32(path.count))
    }
}

extension Key {
    init(utf8 text: Text) { self = text.withUTF8 { Key(utf8: $0) } }
}

extension Operation {
    /// Whether showing the value would say nothing: literals, and what has no value.
    var isPlain: Bool {
        switch self {
        case .nothing, .null, .bool, .constant: true
        default: false
        }
    }
}
