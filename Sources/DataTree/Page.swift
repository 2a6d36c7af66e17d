/// A page of the B-tree that holds the children of one node in key order: the children themselves, or pages of them.
///
/// Pages are shared between snapshots. Whoever changes one must hold the only reference to it, and copies it otherwise;
/// so a write copies the pages on its way at most once for each snapshot. The root page stands for the whole node: its
/// counts are the node's, and it caches the node's hash.
///
/// `scripts/bench tree` guards the cost of what is here.
final class Page: @unchecked Sendable {
    // Unchecked: `body` changes only while a single reference to the page exists; the digest is atomic.
    var body: PageBody
    let digest = CachedDigest()

    init(_ body: PageBody) { self.body = body }

    /// The most slots a page may have.
    static let capacity = 16

    var count: Int { body.count }
    var totals: NodeTotals { body.totals }
    var prioritizedChildren: Int { body.prioritizedChildren }
}

/// What a page holds: entries, or branches to further pages, never both.
///
/// A struct of its own, so that a whole operation on a page is one access to a class property.
struct PageBody {
    /// A child and its key, 32 bytes.
    struct Entry {
        var key: PackedKey
        var node: Node
    }

    /// A page below. No key in it is less than `bound`; all keys of earlier branches are.
    struct Branch {
        var bound: PackedKey
        var count: Int
        var page: Page
    }

    var entries: [Entry] = []
    var branches: [Branch] = []
    /// The whole text of each slot's key where the key is long; empty while no key in this page is long.
    var longKeys: [[UInt8]?] = []
    /// Pages below on the longest way down; 0 for a page of entries.
    var level = 0
    /// Children of the node at or below this page.
    var count = 0
    /// Of these, how many have a priority of their own.
    var prioritizedChildren = 0
    /// Sums over the children and all below them.
    var totals = NodeTotals()

    var isBranch: Bool { level > 0 }
    var slotCount: Int { isBranch ? branches.count : entries.count }

    /// The counts of a page, as they change together.
    struct Counts: Equatable {
        var count = 0
        var prioritizedChildren = 0
        var totals = NodeTotals()

        init() {}

        /// What one child adds to its page.
        init(_ node: Node) {
            guard !node.isEmpty else { return }
            count = 1
            prioritizedChildren = node.isPrioritized ? 1 : 0
            totals = node.totals
        }

        static func - (left: Counts, right: Counts) -> Counts {
            var difference = left
            difference.count -= right.count
            difference.prioritizedChildren -= right.prioritizedChildren
            difference.totals = left.totals - right.totals
            return difference
        }
    }

    var counts: Counts {
        var counts = Counts()
        counts.count = count
        counts.prioritizedChildren = prioritizedChildren
        counts.totals = totals
        return counts
    }

    mutating func add(_ counts: Counts) {
        count += counts.count
        prioritizedChildren += counts.prioritizedChildren
        totals += counts.totals
    }
}

// MARK: - Finding

extension PageBody {
    @inline(__always)
    func longKey(_ index: Int) -> [UInt8]? { longKeys.isEmpty ? nil : longKeys[index] }

    func packedKey(_ index: Int) -> PackedKey { isBranch ? branches[index].bound : entries[index].key }

    func key(_ index: Int) -> Key { Key(packed: packedKey(index), long: longKey(index)) }

    /// Whether the key of the entry at `index` is less than `key`.
    @inline(__always)
    func precedes(_ index: Int, _ key: Key) -> Bool {
        let packed = entries[index].key
        return packed.precedes(key.packed) ?? packed.precedesSlowly(longKey(index), key.packed, key.long)
    }

    /// Where `key` is among the entries, or would be inserted.
    @inline(__always)
    func entryIndex(of key: Key) -> (index: Int, isFound: Bool) { Self.index(of: key, among: entries, longKeys) }

    /// The same for the two arrays alone: lending them costs a page's reader less than lending all of its content.
    @inline(__always)
    static func index(
        of key: Key, among entries: [Entry], _ longKeys: [[UInt8]?]
    ) -> (index: Int, isFound: Bool) {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) >> 1
            let packed = entries[middle].key
            let long = longKeys.isEmpty ? nil : longKeys[middle]
            if packed.precedes(key.packed) ?? packed.precedesSlowly(long, key.packed, key.long) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < entries.count, entries[low].key == key.packed else { return (low, false) }
        return (low, !key.packed.isLong || longKeys[low] == key.long)
    }

    /// The branch whose page holds `key` if any does: the last whose bound is not greater, else the first.
    @inline(__always)
    func branchIndex(for key: Key) -> Int {
        var low = 1
        var high = branches.count
        while low < high {
            let middle = (low + high) >> 1
            let bound = branches[middle].bound
            if key.packed.precedes(bound) ?? key.packed.precedesSlowly(key.long, bound, longKey(middle)) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low - 1
    }
}

extension Page {
    /// The child under `key`, empty if there is none.
    func child(_ key: Key) -> Node {
        var page = self
        while page.body.isBranch { page = page.body.branches[page.body.branchIndex(for: key)].page }
        let entries = page.body.entries
        let (index, isFound) = PageBody.index(of: key, among: entries, page.body.longKeys)
        return isFound ? entries[index].node : .empty
    }

    /// The number of keys less than `key`.
    func rank(of key: Key) -> Int {
        var page = self
        var rank = 0
        while page.body.isBranch {
            let index = page.body.branchIndex(for: key)
            for branch in page.body.branches[..<index] { rank += branch.count }
            page = page.body.branches[index].page
        }
        return rank + page.body.entryIndex(of: key).index
    }

    /// The child with `rank` children before it; `rank` is not negative and less than `count`.
    func child(atRank rank: Int) -> (key: Key, node: Node) {
        var page = self
        var rank = rank
        while page.body.isBranch {
            var index = 0
            while rank >= page.body.branches[index].count {
                rank -= page.body.branches[index].count
                index += 1
            }
            page = page.body.branches[index].page
        }
        return (page.body.key(rank), page.body.entries[rank].node)
    }
}

// MARK: - Visiting

extension Page {
    /// Visits the children in key order from the first not less than `start`, until `visit` answers false.
    func visitForward(from start: Key?, _ visit: (Key, Node) -> Bool) -> Bool {
        if body.isBranch {
            var start = start
            for index in (start.map { body.branchIndex(for: $0) } ?? 0)..<body.branches.count {
                if !body.branches[index].page.visitForward(from: start, visit) { return false }
                start = nil
            }
        } else {
            for index in (start.map { body.entryIndex(of: $0).index } ?? 0)..<body.entries.count
            where !visit(body.key(index), body.entries[index].node) {
                return false
            }
        }
        return true
    }

    /// Visits the children in reverse key order from the last not greater than `start`, until `visit` answers false.
    func visitBackward(from start: Key?, _ visit: (Key, Node) -> Bool) -> Bool {
        if body.isBranch {
            var start = start
            for index in (0...(start.map { body.branchIndex(for: $0) } ?? body.branches.count - 1)).reversed() {
                if !body.branches[index].page.visitBackward(from: start, visit) { return false }
                start = nil
            }
        } else {
            var end = body.entries.count
            if let start {
                let (index, isFound) = body.entryIndex(of: start)
                end = isFound ? index + 1 : index
            }
            for index in (0..<end).reversed() where !visit(body.key(index), body.entries[index].node) {
                return false
            }
        }
        return true
    }
}
