/// The children of one node, in key order.
final class Page: @unchecked Sendable {
    // Unchecked: the stored properties change only while a single reference exists; the digest is atomic.
    private(set) var entries: [(key: Key, node: Node)]
    private(set) var totals = NodeTotals()
    private(set) var prioritizedChildren = 0
    let digest = CachedDigest()

    init(entries: [(key: Key, node: Node)]) {
        self.entries = entries
        for entry in entries { count(entry.node, 1) }
    }

    /// Makes a page of children in any order; nil if none is left once empty ones are dropped.
    static func make(_ children: [(Key, Node)]) -> Page? {
        var entries: [(key: Key, node: Node)] = []
        entries.reserveCapacity(children.count)
        var isSorted = true
        for (key, node) in children {
            if let last = entries.last, !(last.key < key) { isSorted = false }
            entries.append((key, node))
        }
        if !isSorted {
            var latest: [Key: Node] = [:]
            for entry in entries { latest[entry.key] = entry.node }
            entries = latest.map { ($0.key, $0.value) }.sorted { $0.key < $1.key }
        }
        entries.removeAll { $0.node.isEmpty }
        return entries.isEmpty ? nil : Page(entries: entries)
    }

    private func count(_ node: Node, _ sign: Int) {
        totals += sign > 0 ? node.totals : NodeTotals() - node.totals
        if node.priority != .none { prioritizedChildren += sign }
    }

    var count: Int { entries.count }

    /// The number of keys less than `key`.
    func rank(of key: Key) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func child(_ key: Key) -> Node {
        let index = rank(of: key)
        return index < entries.count && entries[index].key == key ? entries[index].node : .empty
    }

    func child(atRank rank: Int) -> (key: Key, node: Node) { entries[rank] }

    static func update<Result>(_ page: inout Page, _ key: Key, _ body: (inout Node) -> Result) -> Result {
        if !isKnownUniquelyReferenced(&page) { page = Page(entries: page.entries) }
        page.digest.reset()
        return page.update(key, body)
    }

    private func update<Result>(_ key: Key, _ body: (inout Node) -> Result) -> Result {
        let index = rank(of: key)
        var node = Node.empty
        if index < entries.count, entries[index].key == key {
            count(entries[index].node, -1)
            swap(&node, &entries[index].node)
        } else {
            entries.insert((key, .empty), at: index)
        }
        let result = body(&node)
        if node.isEmpty {
            entries.remove(at: index)
        } else {
            count(node, 1)
            swap(&node, &entries[index].node)
        }
        return result
    }

    func visitForward(from start: Key?, _ body: (Key, Node) -> Bool) -> Bool {
        for entry in entries[(start.map(rank) ?? 0)...] where !body(entry.key, entry.node) { return false }
        return true
    }

    func visitBackward(from start: Key?, _ body: (Key, Node) -> Bool) -> Bool {
        var end = entries.count
        if let start {
            end = rank(of: start)
            if end < entries.count, entries[end].key == start { end += 1 }
        }
        for entry in entries[..<end].reversed() where !body(entry.key, entry.node) { return false }
        return true
    }

    func takeEntries() -> [(key: Key, node: Node)] {
        let taken = entries
        entries = []
        return taken
    }

    static func equal(_ left: Page, _ right: Page) -> Bool {
        left === right
            || left.count == right.count
                && zip(left.entries, right.entries).allSatisfy { $0.key == $1.key && $0.node == $1.node }
    }
}
