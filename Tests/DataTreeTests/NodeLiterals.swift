import DataTree

// Nodes as the tests write them: literals for leaves and objects.
extension Node: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral
{
    package init(integerLiteral value: Int64) { self.init(leaf: .integer(value)) }
    package init(floatLiteral value: Double) { self.init(leaf: .double(value)) }
    package init(booleanLiteral value: Bool) { self.init(leaf: .bool(value)) }
    package init(stringLiteral value: String) { self.init(leaf: .string(Text(value))) }
    package init(dictionaryLiteral elements: (Key, Node)...) { self.init(children: elements) }

    init(_ node: Node, priority: Priority) { self = node.withPriority(priority) }
}
