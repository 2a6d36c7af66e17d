import DataTree
import SecurityRules

/// Writes that are ready to be carried out: server values resolved against the tree as it is, nothing changed yet.
struct Draft: Sendable {
    private var prepared: [(place: WritePath, value: Node)] = []

    /// In the order in which they are to be carried out. A request names places in no order, so there is one for all:
    /// what goes, what comes, and priorities last, when the nodes that they belong to are there.
    var writes: [(place: WritePath, value: Node)] {
        guard prepared.count > 1 else { return prepared }
        return prepared.filter { !$0.place.isPriority && $0.value.isEmpty }
            + prepared.filter { !$0.place.isPriority && !$0.value.isEmpty } + prepared.filter(\.place.isPriority)
    }

    /// The value of the write that was added first.
    var first: Node? { prepared.first?.value }

    /// The names of an update with the values that its writes came to, in the order in which they were added.
    func resolved(_ changes: [(Path, Node)]) -> [(Path, Node)] {
        zip(changes, prepared).map { ($0.0, $1.value) }
    }

    /// Adds a write that needs nothing from the tree.
    mutating func add(_ place: WritePath, _ value: Node) { prepared.append((place, value)) }

    /// How many leaves the writes carry.
    var carriedLeaves: Int { prepared.reduce(0) { $0 + $1.value.leafCount } }

    /// Does the writes, in their order.
    func perform(on tree: inout Node) -> [PerformedWrite] {
        writes.map { ($0.place, $0.place.write($0.value, into: &tree)) }
    }

    /// The places that are written, for the rules.
    /// - Parameter base: where an update without any place was sent.
    func asRulesSeeIt(base: Path?) -> [RuleWrite] {
        if prepared.isEmpty, let base { return [RuleWrite(base, carried: .nothing)] }
        return prepared.map { RuleWrite($0.place.node, carried: $0.place.isPriority ? .priority : .value) }
    }

    /// Resolves a write and adds it.
    mutating func add(_ place: WritePath, _ value: Node, to engine: Engine) throws {
        var value = value
        if place.isPriority {
            value = try resolved(priority: value, at: place.node, engine)
        } else if value.containsDeferred {
            let existing = engine.tree.node(at: place.node)
            value = try value.resolved(ServerValueContext(timestamp: engine.now), existing: existing)
        }
        if let presence = engine.presence, presence.path.hasPrefix(place.node), !place.isPriority {
            // The presence node is an overlay: writes at its ancestors leave it out.
            value.set(.empty, at: presence.path.dropFirst(place.node.count))
        }
        prepared.append((place, value))
    }

    private func resolved(priority value: Node, at path: Path, _ engine: Engine) throws -> Node {
        guard let priority = WritePath.priority(from: value) else { throw PriorityError.notAPriority }
        guard case .deferred = priority else { return value }
        let existing: Node =
            switch engine.tree.node(at: path).priority {
            case .number(let number): Node(leaf: .double(number))
            default: .empty
            }
        return try value.resolved(ServerValueContext(timestamp: engine.now), existing: existing)
    }
}

/// A value was written to `.priority` that cannot be one.
enum PriorityError: Error, CustomStringConvertible {
    case notAPriority

    var description: String { "A priority is null, a number, a string or a server value. Send one of these." }
}

/// A write that was done in a tree, and what it changed there.
typealias PerformedWrite = (place: WritePath, change: NodeChange)

/// What one write of a commit changed at the place it named.
struct WriteEffect {
    let place: WritePath
    let change: NodeChange

    var path: Path { place.node }

    /// The content at `path` before; the recorded change may lie above it.
    var old: Node { change.old.node(at: path.dropFirst(change.path.count)) }
    var new: Node { change.new.node(at: path.dropFirst(change.path.count)) }
}
