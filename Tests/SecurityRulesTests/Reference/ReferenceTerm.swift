/// An expression of the reference: what it means is written in `ReferenceEvaluator`, how it is spelled here, with every
/// operand in parentheses.
indirect enum ReferenceTerm {
    case null
    case bool(Bool)
    case number(Double)
    case string(Units)
    case now
    case auth
    case capture(String)

    case root
    case data
    case newData
    case child(ReferenceTerm, ReferenceTerm)
    case parent(ReferenceTerm)

    /// `val`, `getPriority`, `exists`, `isString`, `isNumber`, `isBoolean`, `hasChildren`
    case question(ReferenceTerm, String)
    case hasChild(ReferenceTerm, ReferenceTerm)
    case hasAllChildren(ReferenceTerm, [ReferenceTerm])

    case length(ReferenceTerm)
    /// `length` in an `auth` chain.
    case claimLength(ReferenceTerm)
    /// The string methods but `matches`.
    case method(ReferenceTerm, String, [ReferenceTerm])
    case property(ReferenceTerm, Units)
    case element(ReferenceTerm, ReferenceTerm)

    case not(ReferenceTerm)
    case negate(ReferenceTerm)
    case and([ReferenceTerm])
    case or([ReferenceTerm])
    case binary(String, ReferenceTerm, ReferenceTerm)
    case conditional(ReferenceTerm, ReferenceTerm, ReferenceTerm)

    var text: String {
        func list(_ terms: [ReferenceTerm]) -> String { terms.map(\.text).joined(separator: ", ") }
        switch self {
        case .null: return "null"
        case .bool(let value): return "\(value)"
        case .number(let value): return "\(value)"
        case .string(let units): return Self.quoted(units)
        case .now: return "now"
        case .auth: return "auth"
        case .capture(let name): return name
        case .root: return "root"
        case .data: return "data"
        case .newData: return "newData"
        case .child(let receiver, let argument): return "\(receiver.text).child(\(argument.text))"
        case .parent(let receiver): return "(\(receiver.text)).parent()"
        case .question(let receiver, let name): return "(\(receiver.text)).\(name)()"
        case .hasChild(let receiver, let argument): return "(\(receiver.text))['hasChild'](\(argument.text))"
        case .hasAllChildren(let receiver, let names): return "(\(receiver.text)).hasChildren([\(list(names))])"
        case .length(let receiver), .claimLength(let receiver): return "(\(receiver.text)).length"
        case .method(let receiver, let name, let arguments): return "(\(receiver.text)).\(name)(\(list(arguments)))"
        case .property(let receiver, let name): return "(\(receiver.text))[\(Self.quoted(name))]"
        case .element(let receiver, let subscripted): return "(\(receiver.text))[(\(subscripted.text)) ]"
        case .not(let operand): return "!(\(operand.text))"
        case .negate(let operand): return "-(\(operand.text))"
        case .and(let operands): return operands.map { "(\($0.text))" }.joined(separator: " && ")
        case .or(let operands): return operands.map { "(\($0.text))" }.joined(separator: " || ")
        case .binary(let operation, let left, let right): return "(\(left.text)) \(operation) (\(right.text))"
        case .conditional(let condition, let then, let otherwise):
            return "((\(condition.text)) ? (\(then.text)) : (\(otherwise.text)))"
        }
    }

    private static func quoted(_ units: Units) -> String {
        let escaped = units.map { unit -> String in
            if (0x30...0x39).contains(unit) || (0x61...0x7A).contains(unit) {
                return String(decoding: [unit], as: UTF16.self)
            }
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "'\(escaped.joined())'"
    }
}
