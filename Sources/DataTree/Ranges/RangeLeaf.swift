/// A leaf as the hashes of ranges see it: with its path, the priorities of objects included.
struct RangeLeaf {
    /// Ends with `.priority` for the priority of an object.
    let keys: [Key]
    let value: Leaf
    /// The priority of the leaf itself.
    let priority: Priority
}

extension Node {
    /// Calls `body` with the leaves in path order until it answers false; returns whether it never did.
    ///
    /// The priority of an object comes where the key `.priority` sorts among its children. The SDKs leave out a
    /// priority behind all children; here it comes last, so that a range in which only it differs is sent.
    @discardableResult
    func forEachRangeLeaf(_ body: (RangeLeaf) -> Bool) -> Bool {
        var keys: [Key] = []
        return visitRangeLeaves(&keys, body)
    }

    private func visitRangeLeaves(_ keys: inout [Key], _ body: (RangeLeaf) -> Bool) -> Bool {
        if let leaf { return body(RangeLeaf(keys: keys, value: leaf, priority: priority)) }
        var pending: RangeLeaf? = nil
        switch priority {
        case .none, .deferred: break
        case .number(let value): pending = RangeLeaf(keys: keys + [.priority], value: .double(value), priority: .none)
        case .string(let text): pending = RangeLeaf(keys: keys + [.priority], value: .string(text), priority: .none)
        }
        var goesOn = true
        forEachChild { key, child in
            if let leaf = pending, .priority < key {
                pending = nil
                goesOn = body(leaf)
                guard goesOn else { return false }
            }
            keys.append(key)
            goesOn = child.visitRangeLeaves(&keys, body)
            keys.removeLast()
            return goesOn
        }
        if goesOn, let pending { goesOn = body(pending) }
        return goesOn
    }

    /// About how long the node is in JSON, as the SDKs estimate it to choose the size of ranges
    /// (`NodeSizeEstimator.java` in the Android SDK).
    var estimatedJSONSize: Int {
        if isEmpty { return 4 }
        if let leaf {
            guard priority != .none else { return leaf.estimatedJSONSize }
            return 24 + leaf.estimatedJSONSize + priority.estimatedJSONSize
        }
        var size = 1
        forEachChild { key, child in
            size += key.utf8Count + 4 + child.estimatedJSONSize
            return true
        }
        if priority != .none { size += 12 + priority.estimatedJSONSize }
        return size
    }
}

extension Leaf {
    fileprivate var estimatedJSONSize: Int {
        switch self {
        case .bool: 4
        case .integer, .double, .deferred: 8
        case .string(let text): 2 + text.utf8Count
        }
    }
}

extension Priority {
    fileprivate var estimatedJSONSize: Int {
        if case .string(let text) = self { 2 + text.utf8Count } else { 8 }
    }
}

extension [Key] {
    /// Whether this path comes before another: piece by piece in key order, a prefix before what is longer.
    func precedes(_ other: [Key]) -> Bool {
        for (left, right) in zip(self, other) where left != right { return left < right }
        return count < other.count
    }
}
