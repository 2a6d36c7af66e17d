import DataTree

/// Operations whose type is Boolean: operators, and questions to snapshots and strings.
extension Evaluator {
    /// The value of an operation whose type is Boolean.
    mutating func boolean(_ index: Int32) throws(RuleFailure) -> Bool {
        try spend(1, index)
        let result: Bool
        switch operations[Int(index)] {
        case .bool(let value): result = value
        case .not(let operand): result = try !boolean(operand)
        case .and(let operands, let count): result = try !isAny(operands, count, false)
        case .or(let operands, let count): result = try isAny(operands, count, true)
        case .conditional(let condition, let then, let otherwise):
            result = try boolean(boolean(condition) ? then : otherwise)
        case .equal(let left, let right): result = try areEqual(left, right, index)
        case .notEqual(let left, let right): result = try !areEqual(left, right, index)
        case .less(let left, let right):
            result = try isOrdered(left, right, index) {
                $0 < $1
            } texts: {
                $0 < $1
            }
        case .lessOrEqual(let left, let right):
            result = try isOrdered(left, right, index) {
                $0 <= $1
            } texts: {
                !($1 < $0)
            }
        case .greater(let left, let right):
            result = try isOrdered(left, right, index) {
                $0 > $1
            } texts: {
                $1 < $0
            }
        case .greaterOrEqual(let left, let right):
            result = try isOrdered(left, right, index) {
                $0 >= $1
            } texts: {
                !($0 < $1)
            }
        case .query(let property, let receiver):
            try passQuery(receiver)
            if case .bool(let value) = query.value(property) { result = value } else { result = false }
        case .exists(let receiver): result = try !read(receiver).isEmpty
        case .isString(let receiver):
            if case .string? = try read(receiver).leaf { result = true } else { result = false }
        case .isNumber(let receiver): result = try read(receiver).leaf?.number != nil
        case .isBoolean(let receiver):
            if case .bool? = try read(receiver).leaf { result = true } else { result = false }
        case .hasChildren(let receiver): result = try read(receiver).childCount > 0
        case .hasChild(let receiver, let argument): result = try hasChild(receiver, argument, index)
        case .hasChildPath(let receiver, let path, let count): result = try hasChild(receiver, path, count, index)
        case .hasAllChildren(let receiver, let names, let count):
            result = try hasAllChildren(receiver, names, count, index)
        case .hasAllPaths(let receiver, let names, let count):
            result = try hasAllPaths(receiver, names, count, index)
        case .contains(let receiver, let argument): result = try compare(receiver, argument, index, TextSearch.contains)
        case .beginsWith(let receiver, let argument):
            result = try compare(receiver, argument, index, TextSearch.begins(_:with:))
        case .endsWith(let receiver, let argument):
            result = try compare(receiver, argument, index, TextSearch.ends(_:with:))
        case .matches(let receiver, let pattern):
            let text = try text(receiver, .notAString, index)
            let expression = rules.program.patterns[Int(pattern)]
            try spend(StepCosts.matching(text.utf8Count, instructions: expression.instructions), index)
            result = expression.matches(text)
        default:
            // No other operation has the type Boolean.
            result = false
        }
        if Observer.observesRules { observer.operationEnds(index, .bool(result)) }
        return result
    }

    /// Whether some operand of a list has a value; those behind it are not evaluated.
    private mutating func isAny(_ operands: Int32, _ count: Int32, _ wanted: Bool) throws(RuleFailure) -> Bool {
        var place = Int(operands)
        let end = place + Int(count)
        while place < end {
            if try boolean(rules.program.operands[place]) == wanted { return true }
            place += 1
        }
        return false
    }

    private mutating func areEqual(_ left: Int32, _ right: Int32, _ index: Int32) throws(RuleFailure) -> Bool {
        // `$uid == auth.uid` without making texts: two keys are equal exactly when their texts are.
        if let key = keyAtHand(left), let other = keyAtHand(right) {
            try use(key, of: left)
            try use(other, of: right)
            return key == other
        }
        let left = try value(left)
        let right = try value(right)
        switch (left, right) {
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.number(let left), .number(let right)): return left == right
        case (.text(let left), .text(let right)):
            if left.utf8Count != right.utf8Count { return false }
            try spend(StepCosts.text(left.utf8Count), index)
            return left == right
        case (.object(let left), .object(let right)): return try areEqual(left, right, index)
        default: return false
        }
    }

    /// Whether two trees hold the same leaves; priorities do not count (decision D1).
    private mutating func areEqual(_ left: Node, _ right: Node, _ index: Int32) throws(RuleFailure) -> Bool {
        if left.isIdentical(to: right) { return true }
        if left.isLeaf || right.isLeaf || left.isEmpty || right.isEmpty {
            if case .string(let text)? = left.leaf { try spend(StepCosts.text(text.utf8Count), index) }
            return left.leaf == right.leaf && left.isEmpty == right.isEmpty
        }
        guard left.childCount == right.childCount, left.leafCount == right.leafCount else { return false }
        for rank in 0..<left.childCount {
            try spend(1, index)
            guard let (key, child) = left.child(atRank: rank), try areEqual(child, right[key], index) else {
                return false
            }
        }
        return true
    }

    @inline(__always)
    private mutating func isOrdered(
        _ left: Int32, _ right: Int32, _ index: Int32, numbers: (Double, Double) -> Bool, texts: (Text, Text) -> Bool
    ) throws(RuleFailure) -> Bool {
        let left = try value(left)
        let right = try value(right)
        switch (left, right) {
        case (.number(let left), .number(let right)): return numbers(left, right)
        case (.text(let left), .text(let right)):
            try spend(StepCosts.text(min(left.utf8Count, right.utf8Count)), index)
            return texts(left, right)
        default: throw RuleFailure(operation: index, reason: .notOrdered)
        }
    }

    private mutating func compare(
        _ receiver: Int32, _ argument: Int32, _ index: Int32, _ comparison: (Text, Text) -> Bool
    ) throws(RuleFailure) -> Bool {
        let text = try text(receiver, .notAString, index)
        let argument = try self.text(argument, .argumentNotAString, index)
        try spend(StepCosts.text(text.utf8Count + argument.utf8Count), index)
        return comparison(text, argument)
    }
}
