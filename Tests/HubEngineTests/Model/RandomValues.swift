import DataTree
import TestSupport

/// Random paths, values and queries from a small world, so that they meet each other often.
struct RandomValues {
    var random: SeededRandom
    private static let branches = ["a", "b", "c"]
    private static let members = (0..<8).map { "k\($0)" } + ["2", "10"]

    init(seed: UInt64) { random = SeededRandom(seed) }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// A place to write or listen at: in `tree`, deep and narrow, or in `list`, whose children queries order.
    mutating func path() -> Path {
        switch number(0...19) {
        case 0: return .root
        case 1: return Path("tree")
        case 2: return Path("list")
        case 3...9: return Path("tree").appending(branch(number(1...4)))
        case 10...14: return Path("list/\(pick(Self.members))")
        default: return Path("list/\(pick(Self.members))/\(pick(["n", "s", "x"]))")
        }
    }

    mutating func branch(_ depth: Int) -> Path {
        var path = Path.root
        for _ in 0..<depth { path = path.appending(Key(pick(Self.branches))) }
        return path
    }

    // MARK: - Values, as JSON

    mutating func value(at path: Path) -> String {
        if chance(20) { return "null" }
        if path.isRoot { return #"{"tree":\#(tree(3)),"list":\#(list())}"# }
        if path.keys[0] == Key("list") {
            switch path.count {
            case 1: return list()
            case 2: return member()
            default: return leaf()
            }
        }
        return chance(50) ? leaf() : tree(max(1, 4 - path.count))
    }

    mutating func leaf() -> String {
        let scalar =
            switch number(0...9) {
            case 0: "true"
            case 1: "false"
            case 2: #""\#(pick(["x", "y", "é", ""]))""#
            case 3: "\(number(0...9)).5"
            default: "\(number(0...5))"
            }
        return chance(15) ? #"{".value":\#(scalar),".priority":\#(priority())}"# : scalar
    }

    mutating func priority() -> String { chance(50) ? "\(number(0...3))" : #""\#(pick(["p", "q"]))""# }

    mutating func tree(_ depth: Int) -> String {
        if depth == 0 || chance(30) { return leaf() }
        var fields: [String] = []
        if chance(20) { fields.append(#"".priority":\#(priority())"#) }
        for key in Self.branches where chance(55) { fields.append(#""\#(key)":\#(tree(depth - 1))"#) }
        return "{\(fields.joined(separator: ","))}"
    }

    mutating func member() -> String {
        if chance(20) { return leaf() }
        var fields: [String] = []
        if chance(30) { fields.append(#"".priority":\#(priority())"#) }
        if chance(80) { fields.append(#""n":\#(leaf())"#) }
        if chance(50) { fields.append(#""s":"\#(pick(["a", "b", "c"]))""#) }
        if chance(20) { fields.append(#""x":{"y":\#(leaf())}"#) }
        return "{\(fields.joined(separator: ","))}"
    }

    mutating func list() -> String {
        var fields: [String] = []
        if chance(20) { fields.append(#"".priority":\#(priority())"#) }
        for key in Self.members where chance(50) { fields.append(#""\#(key)":\#(member())"#) }
        return "{\(fields.joined(separator: ","))}"
    }

    /// The body's `p` and `d` of a multi-path update: distinct paths, none below another.
    mutating func update() -> (path: Path, changes: String) {
        let path = pick([Path.root, Path("tree"), Path("tree/a"), Path("list"), Path("list/k1")])
        var taken: [Path] = []
        var fields: [String] = []
        for _ in 0..<number(1...5) {
            let target = self.path()
            guard target.count > path.count, target.hasPrefix(path),
                !taken.contains(where: { $0.hasPrefix(target) || target.hasPrefix($0) })
            else { continue }
            let relative = target.dropFirst(path.count)
            if chance(15) {
                let place = target.appending(.priority)
                taken.append(place)
                fields.append(#""\#(relative)/.priority":\#(chance(30) ? "null" : priority())"#)
            } else {
                taken.append(target)
                fields.append(#""\#(relative)":\#(chance(25) ? "null" : value(at: target))"#)
            }
        }
        if chance(10) && !path.isRoot && fields.count > 0 { fields.append(#"".priority":\#(priority())"#) }
        return (path, "{\(fields.joined(separator: ","))}")
    }

    // MARK: - Queries

    mutating func query() -> Query {
        if chance(50) { return .default }
        let index = pick([".key", ".value", "n", "s", "x/y", ""])
        var fields: [String] = []
        if !index.isEmpty { fields.append(#""i":"\#(index)""#) }
        if chance(45) { fields.append(#""sp":\#(bound(index)),"sin":\#(chance(70))"#) }
        if chance(45) { fields.append(#""ep":\#(bound(index)),"ein":\#(chance(70))"#) }
        if chance(75) { fields.append(#""l":\#(number(1...4)),"vf":"\#(pick(["l", "r"]))""#) }
        guard let query = try? Query("{\(fields.joined(separator: ","))}"), query.filters else { return .default }
        return query
    }

    private mutating func bound(_ index: String) -> String {
        switch index {
        case ".key": return #""\#(pick(Self.members))""#
        case "": return priority()
        case "s": return #""\#(pick(["a", "b", "c"]))""#
        default: return pick(["null", "1", "3", "2.5", "true", #""x""#])
        }
    }
}
