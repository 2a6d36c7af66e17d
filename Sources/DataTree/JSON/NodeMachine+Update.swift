// The body of an update: an object whose keys are paths and whose children stay apart (`UpdateDecoder`).

extension NodeMachine {
    /// The longest name: a path of as many keys of the greatest length as a write may have.
    var nameBytes: Int {
        let (bytes, isBeyondAll) = (limits.keyBytes &+ 1).multipliedReportingOverflow(by: 32)
        return isBeyondAll || bytes < limits.keyBytes ? .max : bytes
    }

    /// Takes the name of a change. Below it the levels count from its last key on.
    mutating func beginChange(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JSONError) {
        guard bytes.count <= nameBytes else { throw JSONError(offset: offset, reason: .keyTooLong(limit: nameBytes)) }
        let name = Key(utf8: bytes)
        names.append(name)
        top.target = .child
        let path = Path(utf8: bytes)
        let keys = path.last == .priority ? path.count - 1 : path.count
        top.level = Int32(truncatingIfNeeded: keys - 1)
        deepest = max(deepest, keys)
        // The child needs a place; its key is kept whole in `names`.
        _ = pending.append(name.packed, after: pending.count)
    }

    /// Takes the changes of an update that was just closed.
    mutating func finishUpdate(_ frame: Frame) {
        let nodes = pending.takeNodes(from: frame.start)
        changes = zip(names, nodes).map { ($0, $1) }
        names = []
        state = .done
    }
}
