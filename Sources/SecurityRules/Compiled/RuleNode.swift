import DataTree

/// A place of the rules, with the places below it. A class, so that a decision on its way down copies references only.
final class RuleNode: Sendable {
    /// The place's number, in `CompiledRules.nodes`.
    let index: Int32
    /// The key as the file spells it, with `$` for a wildcard; empty for the root.
    let name: Text
    let parent: Int32?
    let isWildcard: Bool

    /// Where in `CompiledRules.rules` its rules are.
    let read: Int32?
    let write: Int32?
    let validate: Int32?
    let indexes: [RuleIndex]
    /// The keys of the children that have a name of their own, in key order, and the children.
    private let literalKeys: [Key]
    private let literals: [RuleNode]
    /// The child that stands for all others.
    let wildcard: RuleNode?
    /// Whether it has a `.validate`, itself or below.
    let isValidated: Bool
    /// The literals that have a `.validate`, themselves or below.
    let validatedLiterals: [(key: Key, node: RuleNode)]

    init(
        index: Int32, name: Text, parent: Int32?, rules: [RuleKind: Int32], indexes: [RuleIndex],
        children: [RuleNode]
    ) {
        self.index = index
        self.name = name
        self.parent = parent
        isWildcard = name.isWildcardName

        read = rules[.read]
        write = rules[.write]
        validate = rules[.validate]
        self.indexes = indexes
        let literals = children.filter { !$0.isWildcard }.map { (key: Key(utf8: $0.name), node: $0) }
            .sorted { $0.key < $1.key }
        literalKeys = literals.map(\.key)
        self.literals = literals.map(\.node)
        wildcard = children.first(where: \.isWildcard)
        validatedLiterals = literals.filter(\.node.isValidated)
        isValidated = validate != nil || children.contains(where: \.isValidated)
    }

    /// The place of the rules for a child: a literal hides the wildcard for good.
    func child(_ key: Key) -> RuleNode? { literal(key) ?? wildcard }

    func literal(_ key: Key) -> RuleNode? {
        // Two keys compare as quickly as the loop takes to halve a few.
        if literalKeys.count <= 8 {
            for place in literalKeys.indices where literalKeys[place] == key { return literals[place] }
            return nil
        }
        var low = 0
        var high = literalKeys.count
        while low < high {
            let middle = (low + high) >> 1
            if literalKeys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < literalKeys.count && literalKeys[low] == key ? literals[low] : nil
    }
}

extension Text {
    /// Whether a key of a rules file stands for all keys.
    fileprivate var isWildcardName: Bool { withUTF8 { $0.first == UInt8(ascii: "$") } }
}
