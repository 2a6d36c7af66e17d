/// Hashes of the ranges of a node's leaves, by which a client tells which parts of a large node it has already.
///
/// The leaves of a node in path order, with the priorities of objects as leaves `…/.priority` among them, are cut into
/// ranges. Range k reaches from the path before it (excluded) to `paths[k]` (included); the last reaches to the end.
/// Origin: `CompoundHash.java` in the Android SDK, `FCompoundHash.m` in the iOS SDK.
package struct CompoundHash: Equatable, Sendable {
    /// Base64 of the SHA-1 of each range's text; empty for a range without leaves. One more than `paths`.
    package var hashes: [String]
    /// The last leaf of each range but the last.
    package var paths: [Path]

    package init(hashes: [String], paths: [Path]) {
        self.hashes = hashes
        self.paths = paths
    }

    /// Hashes a node. A range ends with the first leaf by which its text is longer than `rangeBytes`; without it a size
    /// is chosen that gives about as many ranges as each has hundreds of bytes.
    package init(of node: Node, rangeBytes: Int? = nil) {
        let limit = rangeBytes ?? max(512, Int((100 * Double(node.estimatedJSONSize)).squareRoot()))
        var hashes: [String] = []
        var paths: [Path] = []
        var text = RangeText()
        node.forEachRangeLeaf { leaf in
            text.append(leaf)
            if text.count > limit, leaf.keys.last != .priority {
                hashes.append(text.finish())
                paths.append(Path(keys: leaf.keys))
            }
            return true
        }
        if !text.isEmpty {
            hashes.append(text.finish())
            paths.append(Path(keys: text.lastKeys))
        }
        self.init(hashes: hashes + [""], paths: paths)
    }

    /// Whether there is a hash for each range, and the ranges ascend.
    package var isWellFormed: Bool {
        hashes.count == paths.count + 1 && zip(paths, paths.dropFirst()).allSatisfy { $0 < $1 }
    }

    /// The ranges in which `node` differs from what was hashed, with what the node holds there; adjacent ones are
    /// joined.
    ///
    /// Applied one after another they turn the hashed node into this one. If the hash makes no sense the only range
    /// is the whole node. O(leaves): for large nodes not on the engine.
    package func differences(in node: Node) -> [RangeMerge] {
        guard isWellFormed else { return [RangeMerge(start: nil, end: nil, node: node)] }
        var differs = [Bool](repeating: false, count: hashes.count)
        var text = RangeText()
        var range = 0
        func finishRange() {
            if !hashes[range].isEmpty { differs[range] = text.isEmpty || text.finish() != hashes[range] }
            range += 1
        }
        node.forEachRangeLeaf { leaf in
            while range < paths.count, paths[range].keys.precedes(leaf.keys) { finishRange() }
            // Where the client has nothing the first leaf tells the difference; no text is needed.
            guard !hashes[range].isEmpty else {
                differs[range] = true
                return range < paths.count
            }
            text.append(leaf)
            return true
        }
        while range < hashes.count { finishRange() }
        return joined(differs, in: node)
    }

    private func joined(_ differs: [Bool], in node: Node) -> [RangeMerge] {
        guard differs.contains(true) else { return [] }
        var differs = differs
        while true {
            var merges: [RangeMerge] = []
            var isSound = true
            var index = 0
            while index < differs.count {
                let first = index
                while index < differs.count, differs[index] == differs[first] { index += 1 }
                // What is alike is only looked at for priorities.
                guard differs[first] || node.totals.priorities > 0 else { continue }
                let start = first == 0 ? nil : paths[first - 1]
                let end = index == differs.count ? nil : paths[index - 1]
                var slice = NodeSlice(start: start, end: end)
                let part = slice.cut(node)
                if differs[first] { merges.append(RangeMerge(start: start, end: end, node: part)) }
                // An object without children has no priority, neither in JSON nor on the client between two merges. So
                // a priority must come in one range with a child of its object.
                guard slice.hasLonePriority else { continue }
                if !differs[first] {
                    for range in first..<index { differs[range] = true }
                } else if first > 0 {
                    differs[first - 1] = true
                } else if index < differs.count {
                    differs[index] = true
                } else {
                    continue
                }
                isSound = false
                break
            }
            if isSound { return merges }
        }
    }
}
