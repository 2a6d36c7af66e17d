import DataTree

/// A place of the rules, with the places below it.
struct RuleNode: Sendable {
    /// The key as the file spells it, with `$` for a wildcard; empty for the root.
    var name: Text
    var parent: Int32?
    /// Where in `CompiledRules.rules` its rules are.
    var read: Int32?
    var write: Int32?
    var validate: Int32?
    /// How many wildcards stand on the way to here, this place included.
    var captureCount = 0
    var isWildcard = false
    /// Children with a name of their own, in key order.
    var literals: [(key: Key, node: Int32)] = []
    /// The child that stands for all others.
    var wildcard: Int32?
    /// The literals that have a `.validate`, themselves or below.
    var validatedLiterals: [(key: Key, node: Int32)] = []
    /// The wildcard, if it has a `.validate`, itself or below.
    var validatedWildcard: Int32?
    var indexes: [RuleIndex] = []

    /// The place of the rules for a child: a literal hides the wildcard for good.
    @inline(__always)
    func child(_ key: Key) -> Int32? {
        literal(key) ?? wildcard
    }

    func literal(_ key: Key) -> Int32? {
        var low = 0
        var high = literals.count
        while low < high {
            let middle = (low + high) >> 1
            if literals[middle].key == key { return literals[middle].node }
            if literals[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
