import DataTree

extension Expression {
    /// The expression as source text in one style, with parentheses only where they are needed: reading it gives the same
    /// expression.
    var printed: String { nodes.isEmpty ? "" : Printer(expression: self).text(root) }
}

private struct Printer {
    let expression: Expression

    /// How tightly a node holds together; operands of less are put in parentheses.
    private func precedence(_ index: Int) -> Int {
        switch expression.nodes[index].kind {
        case .conditional: 0
        case .logical(let operation, _): operation.precedence
        case .binary(let operation, _, _): operation.precedence
        case .unary: 7
        default: 8
        }
    }

    private func text(_ index: Int, atLeast needed: Int) -> String {
        precedence(index) >= needed ? text(index) : "(\(text(index)))"
    }

    func text(_ index: Int) -> String {
        switch expression.nodes[index].kind {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        // No other literal reads as infinity.
        case .number(let value): return value.isInfinite ? "1e999" : printedNumber(value)
        case .string(let text): return Self.quoted(text)
        case .regularExpression(let body, let ignoresCase): return "/\(body)/" + (ignoresCase ? "i" : "")
        case .name(let name): return name.string
        case .array(let elements): return "[\(list(elements))]"
        case .unary(let operation, let operand):
            // Two minus signs side by side would read as another operator.
            if case .unary(.minus, _) = expression.nodes[operand].kind, operation == .minus {
                return "-(\(text(operand)))"
            }
            return operation.rawValue + text(operand, atLeast: 7)
        case .logical(let operation, let operands):
            return operands.map { text($0, atLeast: operation.precedence + 1) }
                .joined(separator: " \(operation.rawValue) ")
        case .binary(let operation, let left, let right):
            return text(left, atLeast: operation.precedence) + " \(operation.rawValue) "
                + text(right, atLeast: operation.precedence + 1)
        case .conditional(let condition, let then, let otherwise):
            return "\(text(condition, atLeast: 1)) ? \(text(then)) : \(text(otherwise))"
        case .member(let receiver, let name): return "\(self.receiver(receiver)).\(name)"
        case .element(let receiver, let subscripted): return "\(self.receiver(receiver))[\(text(subscripted))]"
        case .call(let callee, let arguments): return "\(receiver(callee))(\(list(arguments)))"
        }
    }

    /// A point behind a number would belong to the number.
    private func receiver(_ index: Int) -> String {
        if case .number = expression.nodes[index].kind { return "(\(text(index)))" }
        return text(index, atLeast: 8)
    }

    private func list(_ indexes: [Int]) -> String { indexes.map(text).joined(separator: ", ") }

    private static func quoted(_ text: Text) -> String {
        var result = "'"
        for scalar in text.string.unicodeScalars {
            switch scalar {
            case "'": result += "\\'"
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\0"..."\u{1F}": result += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "'"
    }
}
