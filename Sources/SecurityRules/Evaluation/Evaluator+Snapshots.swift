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
        case .childPath(let receiver, let path, let count):
            result = try snapshot(receiver)
            try descend(result, path, count, index)
        case .child(let receiver, let argument):
            result = try snapshot(receiver)
            try descend(result, alongValueOf: argument, index)
        case .parent(let receiver):
            result = try snapshot(receiver)
            if trail.count > result.start {
                dropTrail(to: trail.count - 1)
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
        if trail.count > snapshot.start { return trail[trail.count - 1] }
        return snapshot.isNew ? levels[snapshot.level].new : levels[snapshot.level].old
    }

    /// Goes on from a snapshot to a child.
    @inline(__always)
    private mutating func follow(_ key: Key, from snapshot: Snapshot) {
        trail.append(node(snapshot)[key])
        if Observer.observesRules || Observer.observesReads { trailKeys.append(key) }
    }

    @inline(__always)
    mutating func dropTrail(to count: Int) {
        while trail.count > count { trail.removeLast() }
        if Observer.observesRules || Observer.observesReads { trailKeys.removeLast(trailKeys.count - count) }
    }

    private func path(of snapshot: Snapshot) -> Path {
        Path(keys: path(toLevel: snapshot.level).keys + trailKeys[snapshot.start...])
    }

    /// The node of a snapshot operation that is asked and then no longer needed.
    @inline(__always)
    mutating func read(_ receiver: Int32, isDeep: Bool = false) throws(RuleFailure) -> Node {
        let snapshot = try snapshot(receiver)
        let node = node(snapshot)
        if Observer.observesReads { observer.reads(path(of: snapshot), isDeep: isDeep && node.childCount > 0) }
        dropTrail(to: snapshot.start)
        return node
    }

    /// Goes down a literal path.
    private mutating func descend(
        _ snapshot: Snapshot, _ path: Int32, _ count: Int32, _ index: Int32
    ) throws(RuleFailure) {
        try spend(Int(count), index)
        for place in Int(path)..<Int(path + count) {
            follow(rules.program.keys[place], from: snapshot)
        }
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
                    follow(Key(utf8: UnsafeRawBufferPointer(rebasing: bytes[start..<end])), from: snapshot)
                }
                start = end + 1
            }
            return true
        }
        if !isAffordable { throw RuleFailure(operation: index, reason: .tooManySteps) }
    }

    /// Goes down a path that is the value of an operation.
    private mutating func descend(
        _ snapshot: Snapshot, alongValueOf argument: Int32, _ index: Int32
    ) throws(RuleFailure) {
        if let key = keyAtHand(argument) {
            try use(key, of: argument)
            return follow(key, from: snapshot)
        }
        let path = try text(argument, .argumentNotAString, index)
        try descend(snapshot, along: path, index)
    }

    // MARK: - Questions about children

    mutating func hasChild(
        _ receiver: Int32, _ argument: Int32, _ index: Int32
    ) throws(RuleFailure) -> Bool {
        let snapshot = try snapshot(receiver)
        let end = trail.count
        try descend(snapshot, alongValueOf: argument, index)
        let result = answerExists(snapshot, end: end)
        dropTrail(to: snapshot.start)
        return result
    }

    /// Whether a literal path has data.
    mutating func hasChild(
        _ receiver: Int32, _ path: Int32, _ count: Int32, _ index: Int32
    ) throws(RuleFailure) -> Bool {
        let snapshot = try snapshot(receiver)
        try descend(snapshot, path, count, index)
        return answerExists(snapshot, end: snapshot.start)
    }

    /// Whether the place that the trail has reached has data; the trail goes back to where it was.
    private mutating func answerExists(_ snapshot: Snapshot, end: Int) -> Bool {
        let result = !node(snapshot).isEmpty
        if Observer.observesReads { observer.reads(path(of: snapshot), isDeep: false) }
        dropTrail(to: end)
        return result
    }

    /// Whether all children of a list have data. Every name is evaluated, so a bad one fails wherever it stands.
    mutating func hasAllChildren(
        _ receiver: Int32, _ names: Int32, _ count: Int32, _ index: Int32
    ) throws(RuleFailure) -> Bool {
        let snapshot = try snapshot(receiver)
        let end = trail.count
        var result = true
        for place in Int(names)..<Int(names + count) {
            let path = try text(rules.program.operands[place], .argumentNotAString, index)
            guard result else { continue }
            try descend(snapshot, along: path, index)
            result = answerExists(snapshot, end: end)
        }
        dropTrail(to: snapshot.start)
        return result
    }

    /// Whether all children of a list of literal paths have data.
    mutating func hasAllPaths(
        _ receiver: Int32, _ names: Int32, _ count: Int32, _ index: Int32
    ) throws(RuleFailure) -> Bool {
        let snapshot = try snapshot(receiver)
        let end = trail.count
        var result = true
        var place = Int(names)
        let last = place + 2 * Int(count)
        while result, place < last {
            try descend(snapshot, rules.program.operands[place], rules.program.operands[place + 1], index)
            result = answerExists(snapshot, end: end)
            place += 2
        }
        dropTrail(to: snapshot.start)
        return result
    }
}
