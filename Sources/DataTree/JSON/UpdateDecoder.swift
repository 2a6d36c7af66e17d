/// What the body of an update says.
package enum UpdateBody: Sendable {
    /// The whole body is `null`: delete.
    case null
    /// The named nodes, as sent; of two with one name the later stays. A null child is the empty node, and is kept.
    case changes([(name: Key, node: Node)])
}

/// Turns the body of an update, JSON text that arrives in slices cut anywhere, into its changes.
///
/// Names are relative paths with slashes in them and may end in `.priority`; they are not checked, since only who knows
/// the place of the update can tell what is wrong with them (`PathCheck`). Everything below them is checked as in a
/// write. Beyond the nodes it keeps what `NodeDecoder` keeps, and the names. After an error it is of no more use.
package struct UpdateDecoder: ~Copyable {
    private var machine: NodeMachine
    /// How many bytes the earlier slices had.
    private var consumed = 0
    private var hasBegun = false

    package init(limits: JSONLimits = JSONLimits()) {
        machine = NodeMachine(limits: limits)
        machine.isUpdate = true
    }

    package mutating func feed(_ slice: UnsafeRawBufferPointer) throws(JSONError) {
        guard let base = slice.baseAddress, !slice.isEmpty else { return }
        let bytes = base.assumingMemoryBound(to: UInt8.self)
        var index = 0
        if !hasBegun {
            while index < slice.count, JSONText.isWhitespace(bytes[index]) { index += 1 }
            if index < slice.count {
                hasBegun = true
                switch JSONText.kind(of: bytes[index]) {
                // The machine knows how to refuse what is no JSON.
                case .object, .null, .invalid: break
                default: throw JSONError(offset: consumed + index, reason: .unexpectedKind(expected: .object))
                }
            }
        }
        if machine.state != .done {
            index = try machine.consume(bytes, from: index, to: slice.count, offset: consumed, isFinal: false)
        }
        while index < slice.count {
            guard JSONText.isWhitespace(bytes[index]) else {
                throw JSONError(offset: consumed + index, reason: .trailingBytes)
            }
            index += 1
        }
        consumed += slice.count
    }

    /// The changes, once all text was fed.
    package consuming func finish() throws(JSONError) -> UpdateBody {
        if machine.state != .done {
            // No byte is read: the slice is empty.
            var nothing: UInt8 = 0
            _ = try machine.consume(&nothing, from: 0, to: 0, offset: consumed, isFinal: true)
        }
        guard let changes = machine.changes else { return .null }
        return .changes(Self.lastOfEach(changes))
    }

    /// How many nodes the text has told of so far, without the outermost: what bounds the memory that it takes.
    package var nodeCount: Int { machine.pending.added }

    /// How many keys stand on the longest way down so far, those of the names included but for a `.priority`.
    package var depth: Int { machine.deepest }

    private static func lastOfEach(_ changes: [(name: Key, node: Node)]) -> [(name: Key, node: Node)] {
        var names = Set<Key>(minimumCapacity: changes.count)
        var isDistinct = true
        for (name, _) in changes where !names.insert(name).inserted { isDistinct = false }
        if isDistinct { return changes }
        names.removeAll(keepingCapacity: true)
        return changes.reversed().filter { names.insert($0.name).inserted }.reversed()
    }
}
