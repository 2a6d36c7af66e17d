import Glibc

/// The meaning of expressions, rule by rule of the language's description and without a thought for speed. The evaluator is
/// tested against it.
struct ReferenceEvaluator {
    struct Failure: Error {}

    enum Value {
        case null
        case bool(Bool)
        case number(Double)
        case string(Units)
        case object(ReferenceTree)
        case snapshot(tree: ReferenceTree, path: [Units])
    }

    var old: ReferenceTree
    var new: ReferenceTree
    /// Where the rule stands in the data.
    var place: [Units]
    var captures: [String: Units]
    var auth: ReferenceTree?
    var now: Double

    /// Whether a rule is true; nil when it cannot be evaluated.
    func outcome(_ term: ReferenceTerm) -> Bool? {
        guard case .bool(let value)? = try? value(term) else { return nil }
        return value
    }

    func value(_ term: ReferenceTerm) throws -> Value {
        switch term {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .number(let value): return .number(value)
        case .string(let units): return .string(units)
        case .now: return .number(now)
        case .auth: return auth.map { .object($0) } ?? .null
        case .capture(let name): return .string(captures[name] ?? [])
        case .root: return .snapshot(tree: old, path: [])
        case .data: return .snapshot(tree: old, path: place)
        case .newData: return .snapshot(tree: new, path: place)
        case .child(let receiver, let argument):
            let (tree, path) = try snapshot(receiver)
            return .snapshot(tree: tree, path: path + Self.segments(try string(argument)))
        case .parent(let receiver):
            let (tree, path) = try snapshot(receiver)
            guard !path.isEmpty else { throw Failure() }
            return .snapshot(tree: tree, path: Array(path.dropLast()))
        case .question(let receiver, let name):
            let (tree, path) = try snapshot(receiver)
            return Self.answer(name, tree.at(path))
        case .hasChild(let receiver, let argument):
            let (tree, path) = try snapshot(receiver)
            return .bool(tree.at(path + Self.segments(try string(argument))).hasData)
        case .hasAllChildren(let receiver, let names):
            let (tree, path) = try snapshot(receiver)
            let paths = try names.map { path + Self.segments(try string($0)) }
            return .bool(paths.allSatisfy { tree.at($0).hasData })
        case .length(let receiver): return .number(Double(try string(receiver).count))
        case .claimLength(let receiver):
            let receiver = try value(receiver)
            if case .string(let units) = receiver { return .number(Double(units.count)) }
            return Self.claim(receiver, Units("length"))
        case .method(let receiver, let name, let arguments):
            let text = try string(receiver)
            return Self.method(name, text, try arguments.map(string))
        case .property(let receiver, let name): return Self.claim(try value(receiver), name)
        case .element(let receiver, let subscripted):
            let receiver = try value(receiver)
            switch try value(subscripted) {
            case .string(let name): return Self.claim(receiver, name)
            case .number(let number): return Self.claim(receiver, Self.printed(number))
            default: return .null
            }
        case .not(let operand): return .bool(try !bool(operand))
        case .negate(let operand): return .number(-(try number(operand)))
        case .and(let operands):
            for operand in operands where try !bool(operand) { return .bool(false) }
            return .bool(true)
        case .or(let operands):
            for operand in operands where try bool(operand) { return .bool(true) }
            return .bool(false)
        case .binary(let operation, let left, let right): return try binary(operation, value(left), value(right))
        case .conditional(let condition, let then, let otherwise):
            return try value(bool(condition) ? then : otherwise)
        }
    }

    // MARK: - Operands

    private func bool(_ term: ReferenceTerm) throws -> Bool {
        guard case .bool(let value) = try value(term) else { throw Failure() }
        return value
    }

    private func number(_ term: ReferenceTerm) throws -> Double {
        guard case .number(let value) = try value(term) else { throw Failure() }
        return value
    }

    private func string(_ term: ReferenceTerm) throws -> Units {
        guard case .string(let value) = try value(term) else { throw Failure() }
        return value
    }

    private func snapshot(_ term: ReferenceTerm) throws -> (ReferenceTree, [Units]) {
        guard case .snapshot(let tree, let path) = try value(term) else { throw Failure() }
        return (tree, path)
    }

    // MARK: - Operations

    private static func segments(_ path: Units) -> [Units] {
        path.split(separator: 0x2F, omittingEmptySubsequences: true).map(Array.init)
    }

    private static func answer(_ name: String, _ tree: ReferenceTree) -> Value {
        switch (name, tree.leaf) {
        case ("val", .bool(let value)): return .bool(value)
        case ("val", .number(let value)): return .number(value)
        case ("val", .string(let value)): return .string(value)
        case ("val", nil): return tree.hasData ? .object(tree) : .null
        case ("exists", _): return .bool(tree.hasData)
        case ("isString", .string), ("isNumber", .number), ("isBoolean", .bool): return .bool(true)
        case ("hasChildren", _): return .bool(!tree.children.isEmpty)
        case ("getPriority", _):
            switch tree.priority {
            case .none: return .null
            case .number(let value): return .number(value)
            case .string(let value): return .string(value)
            }
        default: return .bool(false)
        }
    }

    private static func claim(_ value: Value, _ name: Units) -> Value {
        guard case .object(let tree) = value else { return .null }
        return answer("val", tree.children[name] ?? .empty)
    }

    private static func method(_ name: String, _ text: Units, _ arguments: [Units]) -> Value {
        switch name {
        case "contains":
            return .bool((0...text.count).contains { text[$0...].starts(with: arguments[0]) })
        case "beginsWith": return .bool(text.starts(with: arguments[0]))
        case "endsWith": return .bool(text.reversed().starts(with: arguments[0].reversed()))
        case "toLowerCase": return .string(Units(text.text.lowercased()))
        case "toUpperCase": return .string(Units(text.text.uppercased()))
        default:
            guard !arguments[0].isEmpty else { return .string(text) }
            var result: Units = []
            var rest = text[...]
            while !rest.isEmpty {
                if rest.starts(with: arguments[0]) {
                    result += arguments[1]
                    rest = rest.dropFirst(arguments[0].count)
                } else {
                    result.append(rest.removeFirst())
                }
            }
            return .string(result)
        }
    }

    private func binary(_ operation: String, _ left: Value, _ right: Value) throws -> Value {
        switch (operation, left, right) {
        case ("==", _, _), ("===", _, _): return .bool(Self.areEqual(left, right))
        case ("!=", _, _), ("!==", _, _): return .bool(!Self.areEqual(left, right))
        case ("<", .number(let left), .number(let right)): return .bool(left < right)
        case ("<=", .number(let left), .number(let right)): return .bool(left <= right)
        case (">", .number(let left), .number(let right)): return .bool(left > right)
        case (">=", .number(let left), .number(let right)): return .bool(left >= right)
        case ("<", .string(let left), .string(let right)): return .bool(left.lexicographicallyPrecedes(right))
        case ("<=", .string(let left), .string(let right)): return .bool(!right.lexicographicallyPrecedes(left))
        case (">", .string(let left), .string(let right)): return .bool(right.lexicographicallyPrecedes(left))
        case (">=", .string(let left), .string(let right)): return .bool(!left.lexicographicallyPrecedes(right))
        case ("+", .number(let left), .number(let right)): return .number(left + right)
        case ("+", .string(let left), .string(let right)): return .string(left + right)
        case ("+", .string(let left), .number(let right)): return .string(left + Self.printed(right))
        case ("+", .number(let left), .string(let right)): return .string(Self.printed(left) + right)
        case ("-", .number(let left), .number(let right)): return .number(left - right)
        case ("*", .number(let left), .number(let right)): return .number(left * right)
        case ("/", .number(let left), .number(let right)): return .number(right == 0 ? .nan : left / right)
        case ("%", .number(let left), .number(let right)): return .number(right == 0 ? .nan : fmod(left, right))
        default: throw Failure()
        }
    }

    private static func areEqual(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.object(let left), .object(let right)): left.hasValue(of: right)
        default: false
        }
    }

    /// JavaScript's `Number::toString`, by trying how many digits it takes.
    static func printed(_ value: Double) -> Units {
        if value.isNaN { return Units("NaN") }
        if value.isInfinite { return Units(value < 0 ? "-Infinity" : "Infinity") }
        if value == 0 { return Units("0") }
        if value < 0 { return Units("-") + printed(-value) }
        var text = ""
        for precision in 0...16 {
            var buffer = [CChar](repeating: 0, count: 64)
            _ = withVaList([value]) { vsnprintf(&buffer, buffer.count, "%.\(precision)e", $0) }
            text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if strtod(text, nil) == value { break }
        }
        let parts = text.split(separator: "e")
        let digits = parts[0].filter { $0 != "." }
        let point = (Int(parts[1]) ?? 0) + 1
        let count = digits.count
        if count <= point, point <= 21 { return Units(digits + String(repeating: "0", count: point - count)) }
        if 0 < point, point <= 21 { return Units("\(digits.prefix(point)).\(digits.dropFirst(point))") }
        if -6 < point, point <= 0 { return Units("0." + String(repeating: "0", count: -point) + digits) }
        let exponent = point - 1 < 0 ? "e-\(1 - point)" : "e+\(point - 1)"
        return Units(count == 1 ? digits + exponent : "\(digits.prefix(1)).\(digits.dropFirst())\(exponent)")
    }
}
