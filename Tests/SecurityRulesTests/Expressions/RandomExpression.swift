import DataTree
import TestSupport

@testable import SecurityRules

/// Random expressions of any shape, whether or not their types fit.
struct RandomExpression {
    private var random: SeededRandom
    private var expression = Expression()

    static func make(seed: UInt64, depth: Int) -> Expression {
        var generator = RandomExpression(random: SeededRandom(seed))
        _ = generator.node(depth)
        return generator.expression
    }

    private init(random: SeededRandom) { self.random = random }

    private mutating func add(_ kind: ExpressionNode.Kind) -> Int {
        expression.nodes.append(ExpressionNode(kind: kind, start: 0, end: 0))
        return expression.nodes.count - 1
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    private mutating func node(_ depth: Int) -> Int {
        if depth == 0 { return leaf() }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return leaf()
        case 1: return add(.unary(pick([.not, .minus]), node(depth - 1)))
        case 2, 3:
            let operands = (0..<Int.random(in: 2...4, using: &random)).map { _ in node(depth - 1) }
            return add(.logical(pick([.and, .or]), operands))
        case 4, 5:
            let operation = pick([
                BinaryOperator.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .add, .subtract,
                .multiply, .divide, .remainder,
            ])
            return add(.binary(operation, node(depth - 1), node(depth - 1)))
        case 6:
            return add(.conditional(condition: node(depth - 1), then: node(depth - 1), otherwise: node(depth - 1)))
        case 7: return add(.member(node(depth - 1), pick(["val", "in", "this", "$x", "_é"])))
        case 8: return add(.element(node(depth - 1), node(depth - 1)))
        default:
            let arguments = (0..<Int.random(in: 0...2, using: &random)).map { _ in node(depth - 1) }
            return add(.call(node(depth - 1), arguments))
        }
    }

    private mutating func leaf() -> Int {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return add(.null)
        case 1: return add(.bool(pick([true, false])))
        case 2: return add(.number(Double(Int.random(in: 0...1000, using: &random))))
        case 3: return add(.number(Double(bitPattern: UInt64.random(in: 0..<0x7FF0 << 48, using: &random))))
        case 4: return add(.string(pick(["", "a'b\\", "\n\r\t\0\u{B}", "é😀", "/x/", "\u{2028}"])))
        case 5: return add(.regularExpression(pick(["a", "[/]", "\\/+", "^x$"]), ignoresCase: pick([true, false])))
        case 6:
            let elements = (0..<Int.random(in: 0...2, using: &random)).map { _ in leaf() }
            return add(.array(elements))
        default: return add(.name(pick(["data", "newData", "$key", "auth", "now", "_"])))
        }
    }
}

extension Expression {
    /// Whether two expressions are made of the same nodes in the same way, wherever they stand in their texts.
    func hasShape(of other: Expression) -> Bool { hasShape(root, other, other.root) }

    private func hasShape(_ index: Int, _ other: Expression, _ otherIndex: Int) -> Bool {
        let node = nodes[index]
        let otherNode = other.nodes[otherIndex]
        switch (node.kind, otherNode.kind) {
        case (.null, .null), (.array, .array), (.conditional, .conditional), (.element, .element), (.call, .call): break
        case (.bool(let value), .bool(let otherValue)): guard value == otherValue else { return false }
        case (.number(let value), .number(let otherValue)): guard value == otherValue else { return false }
        case (.string(let text), .string(let otherText)): guard text == otherText else { return false }
        case (.name(let text), .name(let otherText)): guard text == otherText else { return false }
        case (.regularExpression(let text, let ignores), .regularExpression(let otherText, let otherIgnores)):
            guard text == otherText, ignores == otherIgnores else { return false }
        case (.unary(let operation, _), .unary(let otherOperation, _)):
            guard operation == otherOperation else { return false }
        case (.logical(let operation, _), .logical(let otherOperation, _)):
            guard operation == otherOperation else { return false }
        case (.binary(let operation, _, _), .binary(let otherOperation, _, _)):
            guard operation == otherOperation else { return false }
        case (.member(_, let name), .member(_, let otherName)): guard name == otherName else { return false }
        default: return false
        }
        let operands = node.operands
        let otherOperands = otherNode.operands
        return operands.count == otherOperands.count
            && zip(operands, otherOperands).allSatisfy { hasShape($0, other, $1) }
    }
}
