import DataTree

/// Operations that name a place of the tree, before or after the write, and questions to places.
///
/// A snapshot is the last part of the trail while it is in use: arguments are evaluated, and leave the trail as it was,
/// before the snapshot goes on from its end.
extension Evaluator {
    /// The place that an operation names. It is the last on the trail until it is dropped.
    mutating func snapshot(_ index: Int32) throws(RuleFailure) -> Snapshot {
        try spend(1, index)
        var result: Snapshot
        switch operations[Int(index)] {
        case .root: result = Snapshot(isNew: false, level: 0, start: trail.count)
        case .newData: result = Snapshot(isNew: true, level: depth, start: trail.count)
        case .childPath(let receiver, let path):
            result = try snapshot(receiver)
            for key in rules.program.paths[Int(path)] { try descend(result, key, index) }
        case .child(let receiver, let argument):
            result = try snapshot(receiver)
            let path = try text(argument, .argumentNotAString, index)
            try descend(result, along: path, index)
        case .parent(let receiver):
            result = try snapshot(receiver)
            if trail.count > result.start {
                trail.removeLast()
            } else if result.level > 0 {
                result.level -= 1
            } else {
                throw RuleFailure(operation: index, reason: .parentOfRoot)
            }
        case .conditional(let condition, let then, let otherwise):
            result = try snapshot(boolean(condition) ? then : otherwise)
        default: result = Snapshot(isNew: false, level: depth, start: trail.count)
        }
        if Observer.observesRules {
            observer.operationEnds(index, snapshotOf: path(of: result), isNew: result.isNew)
        }
        return result
    }

    @inline(__always)
    private func node(_ snapshot: Snapshot) -> Node {
        if trail.count > snapshot.start { return trail[trail.count - 1].node }
        return snapshot.isNew ? levels[snapshot.level].new : levels[snapshot.level].old
    }

    private func path(of snapshot: Snapshot) -> Path {
        Path(keys: path(toLevel: snapshot.level).keys + trail[snapshot.start...].map(\.key))
    }

    @inline(__always)
    mutating func drop(_ snapshot: Snapshot) { trail.removeLast(trail.count - snapshot.start) }

    /// The node of a snapshot operation that is asked and then no longer needed.
    @inline(__always)
    mutating func read(_ receiver: Int32, isDeep: Bool = false) throws(RuleFailure) -> Node {
        let snapshot = try snapshot(receiver)
        let node = node(snapshot)
        if Observer.observesReads { observer.reads(path(of: snapshot), isDeep: isDeep && node.childCount > 0) }
        drop(snapshot)
        return node
    }

    @inline(__always)
    private mutating func descend(_ snapshot: Snapshot, _ key: Key, _ index: Int32) throws(RuleFailure) {
        try spend(1, index)
        trail.append((key, node(snapshot)[key]))
    }

    /// Goes down a path that a rule made. Slashes in a row or at an end mean nothing (decision D7); what no key can contain
    /// finds nothing.
    private mutating func descend(
        _ snapshot: Snapshot, along path: Text, _ index: Int32
    ) throws(RuleFailure) {
        try spend(StepCosts.text(path.utf8Count), index)
        let isAffordable = path.withUTF8 { bytes in
            var start = 0
            for end in 0...bytes.count where end == bytes.count || bytes[end] == UInt8(ascii: "/") {
                if end > start {
                    guard stepsLeft > 0 else { return false }
                    stepsLeft -= 1
                    let key = Key(utf8: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                    trail.append((key, node(snapshot)[key]))
                }
                start = end + 1
            }
            return true
        }
        if !isAffordable { throw RuleFailure(operation: index, reason: .tooManySteps) }
    }

    mutating func hasChild(
        _ receiver: Int32, _ argument: Int32, _ index: Int32
    ) throws(RuleFailure) -> Bool {
        let snapshot = try snapshot(receiver)
        let path = try text(argument, .argumentNotAString, index)
        let result = try hasChild(of: snapshot, along: path, index)
        drop(snapshot)
        return result
    }

    /// Whether a place below the last snapshot has data; the trail is as before afterwards.
    mutating func hasChild(
        of snapshot: Snapshot, along path: Text, _ index: Int32
    ) throws(RuleFailure) -> Bool {
        let end = trail.count
        try descend(snapshot, along: path, index)
        return answerExists(snapshot, end: end)
    }

    mutating func hasChild(
        of snapshot: Snapshot, _ keys: [Key], _ index: Int32
    ) throws(RuleFailure) -> Bool {
        let end = trail.count
        for key in keys { try descend(snapshot, key, index) }
        return answerExists(snapshot, end: end)
    }

    private mutating func answerExists(_ snapshot: Snapshot, end: Int) -> Bool {
        let result = !node(snapshot).isEmpty
        if Observer.observesReads { observer.reads(path(of: snapshot), isDeep: false) }
        trail.removeLast(trail.count - end)
        return result
    }

    /// Whether all children of a list have data. Every name is evaluated, so a bad one fails wherever it stands.
    mutating func hasAllChildren(
        _ receiver: Int32, _ names: Int32, _ index: Int32
    ) throws(RuleFailure) -> Bool {
        let snapshot = try snapshot(receiver)
        var result = true
        for name in rules.program.lists[Int(names)] {
            let path = try text(name, .argumentNotAString, index)
            if result { result = try hasChild(of: snapshot, along: path, index) }
        }
        drop(snapshot)
        return result
    }
}
