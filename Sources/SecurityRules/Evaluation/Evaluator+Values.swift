import DataTree

/// Operations that give a value: data, claims, strings and numbers.
extension Evaluator {
    /// The value of an operation that is no snapshot.
    mutating func value(_ index: Int32) throws(RuleFailure) -> RuleValue {
        let result: RuleValue
        let operation = operations[Int(index)]
        switch operation {
        case .null: result = .null
        case .constant(let constant): result = rules.program.constants[Int(constant)]
        case .now: result = now
        case .auth: result = identity.value
        case .userID(let receiver):
            if Observer.observesRules { observer.operationEnds(receiver, identity.value) }
            result = identity.userID
        case .capture(let level): result = .text(Text(levels[Int(level)].key))
        case .query(let property, let receiver):
            try passQuery(receiver)
            result = query.value(property)
        case .val(let receiver, let isDeep): result = RuleValue(try read(receiver, isDeep: isDeep))
        case .priority(let receiver): result = RuleValue(try read(receiver).priority)
        case .length(let receiver):
            let text = try text(receiver, .notAString, index)
            try spend(StepCosts.text(text.utf8Count), index)
            result = .number(Double(text.utf16Count))
        case .property(let receiver, let key): result = Self.claim(try value(receiver), rules.program.keys[Int(key)])
        case .claimLength(let receiver, let key):
            let receiver = try value(receiver)
            if case .text(let text) = receiver {
                try spend(StepCosts.text(text.utf8Count), index)
                result = .number(Double(text.utf16Count))
            } else {
                // Of a map, the claim of that name; else null, so that a later comparison decides (decision D15).
                result = Self.claim(receiver, rules.program.keys[Int(key)])
            }
        case .element(let receiver, let subscripted):
            let receiver = try value(receiver)
            switch try value(subscripted) {
            case .text(let name): result = Self.claim(receiver, Key(utf8: name))
            // Arrays are maps with the keys 0, 1, … (decision D6).
            case .number(let place): result = Self.claim(receiver, Key(printedNumber(place)))
            default: result = .null
            }
        case .negate(let operand): result = .number(-(try number(operand, index)))
        case .add(let left, let right): result = try sum(value(left), value(right), index)
        case .subtract(let left, let right): result = .number(try number(left, index) - number(right, index))
        case .multiply(let left, let right): result = .number(try number(left, index) * number(right, index))
        case .divide(let left, let right):
            let (left, right) = (try number(left, index), try number(right, index))
            result = .number(right == 0 ? .nan : left / right)
        case .remainder(let left, let right):
            let (left, right) = (try number(left, index), try number(right, index))
            result = .number(right == 0 ? .nan : left.truncatingRemainder(dividingBy: right))
        case .replace(let receiver, let target, let replacement):
            result = .text(try replaced(receiver, target, replacement, index))
        case .lowercase(let receiver): result = .text(try mapped(receiver, index) { $0.lowercased() })
        case .uppercase(let receiver): result = .text(try mapped(receiver, index) { $0.uppercased() })
        case .conditional(let condition, let then, let otherwise):
            result = try value(boolean(condition) ? then : otherwise)
        case .root, .data, .newData, .child, .childPath, .parent:
            // A branch of a conditional: it fails as it would anywhere, but has no value.
            dropTrail(to: try snapshot(index).start)
            return .opaque
        case .nothing: result = .opaque
        default: return .bool(try boolean(index))
        }
        try spend(1, index)
        if Observer.observesRules { observer.operationEnds(index, result) }
        return result
    }

    /// The text of an operation as one key, if it is at hand as such: what a wildcard stands for, and the user's id. Whoever
    /// uses it says so by `use`; nil says that the operation is to be evaluated.
    @inline(__always)
    func keyAtHand(_ operand: Int32) -> Key? {
        switch operations[Int(operand)] {
        case .capture(let level): levels[Int(level)].key
        case .userID: identity.userKey
        default: nil
        }
    }

    /// Counts an operation whose key was used in place of its value.
    @inline(__always)
    mutating func use(_ key: Key, of operand: Int32) throws(RuleFailure) {
        try spend(1, operand)
        guard Observer.observesRules else { return }
        if case .userID(let receiver) = operations[Int(operand)] {
            observer.operationEnds(receiver, identity.value)
        }
        observer.operationEnds(operand, .text(Text(key)))
    }

    /// A member of `auth` or of what was reached from it; null where there is none, and on everything that is no map.
    private static func claim(_ value: RuleValue, _ key: Key) -> RuleValue {
        guard case .object(let node) = value else { return .null }
        return RuleValue(node[key])
    }

    /// `query` may be chosen by a conditional, which may fail.
    mutating func passQuery(_ receiver: Int32) throws(RuleFailure) {
        if operations[Int(receiver)] != .nothing { _ = try value(receiver) }
    }

    private mutating func number(_ operand: Int32, _ index: Int32) throws(RuleFailure) -> Double {
        guard case .number(let number) = try value(operand) else {
            throw RuleFailure(operation: index, reason: .notNumbers)
        }
        return number
    }

    mutating func text(
        _ operand: Int32, _ reason: RuleFailure.Reason, _ index: Int32
    ) throws(RuleFailure) -> Text {
        guard case .text(let text) = try value(operand) else { throw RuleFailure(operation: index, reason: reason) }
        return text
    }

    /// Two numbers add; texts join, and take numbers in as JavaScript prints them.
    private mutating func sum(
        _ left: RuleValue, _ right: RuleValue, _ index: Int32
    ) throws(RuleFailure) -> RuleValue {
        switch (left, right) {
        case (.number(let left), .number(let right)): return .number(left + right)
        case (.text(let left), .text(let right)): return .text(try joined(left, right, index))
        case (.text(let left), .number(let right)): return .text(try joined(left, Text(printedNumber(right)), index))
        case (.number(let left), .text(let right)): return .text(try joined(Text(printedNumber(left)), right, index))
        default: throw RuleFailure(operation: index, reason: .notAddable)
        }
    }

    private mutating func joined(_ left: Text, _ right: Text, _ index: Int32) throws(RuleFailure) -> Text {
        let count = left.utf8Count + right.utf8Count
        guard count <= rules.limits.stringBytes else { throw RuleFailure(operation: index, reason: .stringTooLong) }
        try spend(StepCosts.text(count), index)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        left.append(to: &bytes)
        right.append(to: &bytes)
        return Text(utf8: bytes)
    }

    private mutating func replaced(
        _ receiver: Int32, _ target: Int32, _ replacement: Int32, _ index: Int32
    ) throws(RuleFailure) -> Text {
        let text = try text(receiver, .notAString, index)
        let target = try self.text(target, .argumentNotAString, index)
        let replacement = try self.text(replacement, .argumentNotAString, index)
        try spend(StepCosts.text(text.utf8Count + target.utf8Count), index)
        let limit = rules.limits.stringBytes
        guard let result = TextSearch.replace(text, target, with: replacement, limit: limit) else {
            throw RuleFailure(operation: index, reason: .stringTooLong)
        }
        try spend(StepCosts.text(result.utf8Count), index)
        return result
    }

    /// The full Unicode case mappings, without a language (decision D8).
    private mutating func mapped(
        _ receiver: Int32, _ index: Int32, _ mapping: (String) -> String
    ) throws(RuleFailure) -> Text {
        let text = try text(receiver, .notAString, index)
        try spend(StepCosts.mapping(text.utf8Count), index)
        let result = Text(mapping(text.string))
        guard result.utf8Count <= rules.limits.stringBytes else {
            throw RuleFailure(operation: index, reason: .stringTooLong)
        }
        return result
    }
}

extension Text {
    /// The length of the text in UTF-16 code units.
    fileprivate var utf16Count: Int { withUTF8 { $0.utf16Count } }
}
