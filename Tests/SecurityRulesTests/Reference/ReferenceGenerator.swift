import TestSupport

/// Random expressions whose types fit, random data and random rules, made so that they meet: few keys, few values.
struct ReferenceGenerator {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed) }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    // MARK: - Data

    private static let keys = ["a", "b", "c", "1", "é", "😀", "length", "uid"].map(Units.init)
    private static let texts = [
        "", "a", "b", "ab", "aab", "a/b", "/a//b/", "a.b", ".", "é", "😀", "｡", "1", "straße", "A",
    ]
    .map(Units.init)
    private static let numbers: [Double] = [0, 1, 2, -1, 5, 0.5, 100, 1e21, 1e-7, 1_700_000_000_000]

    mutating func key() -> Units { pick(Self.keys) }

    mutating func path(_ greatest: Int) -> [Units] { (0..<below(greatest + 1)).map { _ in key() } }

    mutating func tree(_ depth: Int) -> ReferenceTree {
        var tree = ReferenceTree()
        if depth == 0 || below(3) == 0 {
            tree.leaf = leaf()
        } else {
            for _ in 0..<below(4) { tree.children[key()] = self.tree(depth - 1) }
            tree.children = tree.children.filter(\.value.hasData)
        }
        guard tree.hasData else { return .empty }
        switch below(8) {
        case 0: tree.priority = .number(pick(Self.numbers))
        case 1: tree.priority = .string(pick(Self.texts))
        default: break
        }
        return tree
    }

    private mutating func leaf() -> ReferenceTree.Leaf {
        switch below(4) {
        case 0: .bool(below(2) == 0)
        case 1: .number(pick(Self.numbers))
        default: .string(pick(Self.texts))
        }
    }

    // MARK: - Rules

    mutating func rules(_ depth: Int, captures: [String] = [], name: Int = 0) -> ReferenceRules {
        let rules = ReferenceRules()
        if below(3) == 0 { rules.read = boolean(2, captures, isRead: true) }
        if below(2) == 0 { rules.write = below(3) == 0 ? .bool(true) : boolean(2, captures) }
        if below(3) == 0 { rules.validate = below(3) == 0 ? .bool(true) : boolean(2, captures) }
        guard depth > 0 else { return rules }
        for key in Set((0..<below(3)).map { _ in key() }).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            rules.literals.append((key, self.rules(depth - 1, captures: captures, name: name)))
        }
        if below(2) == 0 {
            let wildcard = "$w\(name)"
            rules.wildcard = (wildcard, self.rules(depth - 1, captures: captures + [wildcard], name: name + 1))
        }
        return rules
    }

    // MARK: - Expressions

    mutating func boolean(_ depth: Int, _ captures: [String], isRead: Bool = false) -> ReferenceTerm {
        if depth == 0 { return below(3) == 0 ? .bool(below(2) == 0) : question(0, captures, isRead) }
        func next() -> Int { depth - 1 }
        switch below(12) {
        case 0: return .not(boolean(next(), captures, isRead: isRead))
        case 1: return .and((0..<2 + below(2)).map { _ in boolean(next(), captures, isRead: isRead) })
        case 2: return .or((0..<2 + below(2)).map { _ in boolean(next(), captures, isRead: isRead) })
        case 3:
            return .conditional(
                boolean(next(), captures, isRead: isRead), boolean(next(), captures, isRead: isRead),
                boolean(next(), captures, isRead: isRead))
        case 4, 5, 6:
            let operation = pick(["==", "!=", "===", "!=="])
            return .binary(operation, comparable(next(), captures, isRead), comparable(next(), captures, isRead))
        case 7, 8:
            let operation = pick(["<", "<=", ">", ">="])
            return .binary(operation, orderable(next(), captures, isRead), orderable(next(), captures, isRead))
        case 9:
            let name = pick(["contains", "beginsWith", "endsWith"])
            return .method(receiver(next(), captures, isRead), name, [stringLike(next(), captures, isRead)])
        default: return question(next(), captures, isRead)
        }
    }

    private mutating func question(_ depth: Int, _ captures: [String], _ isRead: Bool) -> ReferenceTerm {
        let receiver = snapshot(depth, captures, isRead)
        switch below(7) {
        case 0: return .hasChild(receiver, stringLike(depth, captures, isRead))
        case 1:
            return .hasAllChildren(receiver, (0..<below(4)).map { _ in stringLike(depth, captures, isRead) })
        case 2: return .question(receiver, "hasChildren")
        default: return .question(receiver, pick(["exists", "isString", "isNumber", "isBoolean"]))
        }
    }

    private mutating func snapshot(_ depth: Int, _ captures: [String], _ isRead: Bool) -> ReferenceTerm {
        let bases: [ReferenceTerm] = isRead ? [.root, .data] : [.root, .data, .newData, .newData]
        if depth == 0 { return pick(bases) }
        switch below(6) {
        case 0: return .parent(snapshot(depth - 1, captures, isRead))
        case 1:
            return .conditional(
                boolean(depth - 1, captures, isRead: isRead), snapshot(depth - 1, captures, isRead),
                snapshot(depth - 1, captures, isRead))
        case 2, 3, 4: return .child(snapshot(depth - 1, captures, isRead), stringLike(depth - 1, captures, isRead))
        default: return pick(bases)
        }
    }

    /// A chain from `auth`.
    private mutating func claim(_ depth: Int, _ captures: [String], _ isRead: Bool) -> ReferenceTerm {
        if depth == 0 { return .property(.auth, Units("uid")) }
        switch below(4) {
        case 0: return .auth
        case 1:
            return .element(claim(depth - 1, captures, isRead), orderable(depth - 1, captures, isRead, isPlain: true))
        case 2: return .claimLength(claim(depth - 1, captures, isRead))
        default:
            let name = pick(Self.keys.filter { $0 != Units("length") })
            return .property(claim(depth - 1, captures, isRead), name)
        }
    }

    /// Of the types String, Value and Auth: what has string methods.
    private mutating func receiver(_ depth: Int, _ captures: [String], _ isRead: Bool) -> ReferenceTerm {
        switch below(4) {
        case 0: return string(depth, captures, isRead)
        case 1: return claim(depth, captures, isRead)
        default: return .question(snapshot(depth, captures, isRead), pick(["val", "val", "getPriority"]))
        }
    }

    private mutating func stringLike(_ depth: Int, _ captures: [String], _ isRead: Bool) -> ReferenceTerm {
        below(2) == 0 ? string(0, captures, isRead) : receiver(max(0, depth - 1), captures, isRead)
    }

    private mutating func string(_ depth: Int, _ captures: [String], _ isRead: Bool) -> ReferenceTerm {
        if depth == 0 {
            return captures.isEmpty || below(3) == 0 ? .string(pick(Self.texts + Self.keys)) : .capture(pick(captures))
        }
        let next = depth - 1
        switch below(5) {
        case 0: return .method(receiver(next, captures, isRead), pick(["toLowerCase", "toUpperCase"]), [])
        case 1:
            let arguments = [stringLike(next, captures, isRead), stringLike(next, captures, isRead)]
            return .method(receiver(next, captures, isRead), "replace", arguments)
        case 2, 3: return .binary("+", string(next, captures, isRead), orderable(next, captures, isRead))
        default: return string(0, captures, isRead)
        }
    }

    private mutating func number(_ depth: Int, _ captures: [String], _ isRead: Bool) -> ReferenceTerm {
        if depth == 0 { return below(4) == 0 ? .now : .number(pick(Self.numbers.filter { $0 >= 0 })) }
        let next = depth - 1
        switch below(5) {
        case 0: return .negate(numeric(next, captures, isRead))
        case 1:
            let receiver =
                below(2) == 0
                ? string(next, captures, isRead) : .question(snapshot(next, captures, isRead), "val")
            return .length(receiver)
        case 2, 3:
            let operation = pick(["-", "*", "/", "%"])
            return .binary(operation, numeric(next, captures, isRead), numeric(next, captures, isRead))
        default: return number(0, captures, isRead)
        }
    }

    /// What the arithmetic operators take.
    private mutating func numeric(_ depth: Int, _ captures: [String], _ isRead: Bool) -> ReferenceTerm {
        switch below(4) {
        case 0: claim(depth, captures, isRead)
        case 1: .question(snapshot(depth, captures, isRead), "val")
        default: number(depth, captures, isRead)
        }
    }

    /// What the ordering operators and `+` take. A plain one is no string literal, which as a subscript would be a name.
    private mutating func orderable(
        _ depth: Int, _ captures: [String], _ isRead: Bool, isPlain: Bool = false
    ) -> ReferenceTerm {
        switch below(5) {
        case 0: return .question(snapshot(depth, captures, isRead), "val")
        case 1: return claim(depth, captures, isRead)
        case 2 where !isPlain: return string(depth, captures, isRead)
        case 3 where depth > 0:
            return .binary("+", orderable(depth - 1, captures, isRead), orderable(depth - 1, captures, isRead))
        default: return number(depth, captures, isRead)
        }
    }

    /// What may be compared by `==`.
    private mutating func comparable(_ depth: Int, _ captures: [String], _ isRead: Bool) -> ReferenceTerm {
        switch below(6) {
        case 0: return .null
        case 1: return boolean(max(0, depth - 1), captures, isRead: isRead)
        case 2 where depth > 0:
            return .conditional(
                boolean(depth - 1, captures, isRead: isRead), comparable(depth - 1, captures, isRead),
                comparable(depth - 1, captures, isRead))
        case 3: return .question(snapshot(depth, captures, isRead), pick(["val", "getPriority"]))
        default: return orderable(depth, captures, isRead)
        }
    }
}
