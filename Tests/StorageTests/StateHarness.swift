import DataTree
import Storage
import Synchronization
import TestSupport
import Testing

/// Random trees and logged mutations, as the engine would make them.
struct StateModel {
    var tree = Node.empty
    /// Mutations in order, as a log holds them: absolute, with the highest node that changed.
    var log: [NodeChange] = []
    var random: SeededRandom

    private static let keys: [Key] = ["a", "b", "c", "1", "2", "007", "-0", "ä", "🙂", "long key with spaces"]

    init(seed: Int) {
        random = SeededRandom(UInt64(seed))
    }

    mutating func path(_ depth: ClosedRange<Int>) -> Path {
        Path(
            keys: (0..<Int.random(in: depth, using: &random)).map { _ in
                StateModel.keys.randomElement(using: &random) ?? "a"
            })
    }

    private mutating func priority() -> Priority {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .number(Double(Int.random(in: -5...5, using: &random)) / 2)
        case 1: .string(Text("p\(Int.random(in: 0...3, using: &random))"))
        default: .none
        }
    }

    mutating func node(depth: Int) -> Node {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: return Node(leaf: .bool(Bool.random(using: &random)), priority: priority())
        case 1: return Node(leaf: .integer(.random(in: .min ... .max, using: &random)), priority: priority())
        case 2: return Node(leaf: .double(Double.random(in: -1e300...1e300, using: &random)), priority: priority())
        case 3: return Node(leaf: .string(Text("text \u{0}\"\\\n🙂 \(random.next())")), priority: priority())
        case 4: return .empty
        case 5: return Node(leaf: .integer(Int64.random(in: 0...3, using: &random)), priority: priority())
        default:
            let count = Int.random(in: 0...6, using: &random)
            let children = (0..<count).map { _ in (path(1...1).keys[0], node(depth: depth - 1)) }
            return Node(children: children, priority: priority())
        }
    }

    /// Changes something and logs it.
    mutating func mutate() {
        let path = path(0...4)
        let change: NodeChange
        switch Int.random(in: 0..<8, using: &random) {
        case 0: change = tree.setPriority(priority(), at: path)
        case 1: change = tree.set(.empty, at: path)
        default: change = tree.set(node(depth: 3), at: path.isRoot && Bool.random(using: &random) ? "a" : path)
        }
        if change.isEffective { log.append(change) }
    }

    /// What redoing the log after a number of entries makes of a loaded tree.
    func redone(_ loaded: Node, after count: Int) -> Node {
        var tree = loaded
        for change in log[count...] { tree.set(change.new, at: change.path) }
        return tree
    }
}

/// Ends passes of a state store after a number of transactions.
final class PassCutter: Sendable {
    private let left = Mutex(Int.max)

    static let cut = StorageError.diskFull(file: "the test's disk")

    func cut(after transactions: Int) {
        left.withLock { $0 = transactions }
    }

    func slices(rows: Int) -> StateSlices {
        var slices = StateSlices()
        slices.rows = rows
        slices.afterTransaction = { () throws(StorageError) in
            let isOver = self.left.withLock { left in
                left -= 1
                return left < 0
            }
            if isOver { throw PassCutter.cut }
        }
        return slices
    }
}
