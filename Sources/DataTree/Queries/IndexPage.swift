/// A page of the B-tree behind ``ChildIndex``: entries at the bottom, pages above.
///
/// `lows[i]` is a lower bound of everything in `children[i]` and above everything in `children[i - 1]`; `lows[0]` has
/// no meaning of its own. Pages are merged with a neighbour when both fit in one, so that any two neighbours hold more
/// than a page together.
final class IndexPage: @unchecked Sendable {
    // Unchecked: a page is written only by a caller that proved to hold the sole reference to it (or just made it).

    static let capacity = 64

    private var entries: ContiguousArray<IndexEntry>
    private var children: ContiguousArray<IndexPage>
    private var lows: ContiguousArray<IndexEntry>

    enum Insertion {
        case present
        case inserted
        /// The page was full: its upper half, and that half's lowest entry, go to the parent.
        case split(right: IndexPage, low: IndexEntry)
    }

    init(entries: ContiguousArray<IndexEntry>) {
        self.entries = entries
        children = []
        lows = []
    }

    init(children: ContiguousArray<IndexPage>, lows: ContiguousArray<IndexEntry>) {
        entries = []
        self.children = children
        self.lows = lows
    }

    func copy() -> IndexPage {
        children.isEmpty ? IndexPage(entries: entries) : IndexPage(children: children, lows: lows)
    }

    /// Builds a tree over ordered entries, leaving some room in each page.
    static func packed(_ entries: [IndexEntry]) -> IndexPage {
        let fill = capacity * 3 / 4
        var level = ContiguousArray<IndexPage>()
        var lows = ContiguousArray<IndexEntry>()
        for start in stride(from: 0, to: entries.count, by: fill) {
            lows.append(entries[start])
            level.append(IndexPage(entries: ContiguousArray(entries[start..<min(start + fill, entries.count)])))
        }
        while level.count > 1 {
            var above = ContiguousArray<IndexPage>()
            var lowsAbove = ContiguousArray<IndexEntry>()
            for start in stride(from: 0, to: level.count, by: fill) {
                let part = start..<min(start + fill, level.count)
                lowsAbove.append(lows[start])
                above.append(
                    IndexPage(children: ContiguousArray(level[part]), lows: ContiguousArray(lows[part])))
            }
            level = above
            lows = lowsAbove
        }
        return level.first ?? IndexPage(entries: [])
    }

    /// The lowest entry that a new parent may note for this page.
    var lowest: IndexEntry? { children.isEmpty ? entries.first : lows.first }

    /// The page itself, or its only child's … only child: a root that no longer branches.
    var collapsed: IndexPage {
        var page = self
        while page.children.count == 1 { page = page.children[0] }
        return page
    }

    private var width: Int { children.isEmpty ? entries.count : children.count }

    // MARK: - Changing

    /// Inserts below a page that the caller owns alone.
    func insert(_ entry: IndexEntry) -> Insertion {
        if children.isEmpty {
            let place = firstEntry { !($0 < entry) }
            if place < entries.count, entries[place] == entry { return .present }
            entries.insert(entry, at: place)
            return entries.count > Self.capacity ? splitEntries(insertedAt: place) : .inserted
        }
        let place = child(holding: entry)
        switch ownedChild(place).insert(entry) {
        case .present: return .present
        case .inserted: return .inserted
        case .split(let right, let low):
            children.insert(right, at: place + 1)
            lows.insert(low, at: place + 1)
            return children.count > Self.capacity ? splitChildren() : .inserted
        }
    }

    /// Ascending insertion (push ids, timestamps) leaves full pages behind instead of half-empty ones.
    private func splitEntries(insertedAt place: Int) -> Insertion {
        let middle = place == entries.count - 1 ? entries.count - 1 : entries.count / 2
        let right = IndexPage(entries: ContiguousArray(entries[middle...]))
        let low = entries[middle]
        entries.removeSubrange(middle...)
        return .split(right: right, low: low)
    }

    private func splitChildren() -> Insertion {
        let middle = children.count / 2
        let right = IndexPage(children: ContiguousArray(children[middle...]), lows: ContiguousArray(lows[middle...]))
        let low = lows[middle]
        children.removeSubrange(middle...)
        lows.removeSubrange(middle...)
        return .split(right: right, low: low)
    }

    /// Removes below a page that the caller owns alone. Says whether the entry was there.
    func remove(_ entry: IndexEntry) -> Bool {
        if children.isEmpty {
            let place = firstEntry { !($0 < entry) }
            guard place < entries.count, entries[place] == entry else { return false }
            entries.remove(at: place)
            return true
        }
        let place = child(holding: entry)
        guard ownedChild(place).remove(entry) else { return false }
        let width = children[place].width
        if width == 0 {
            children.remove(at: place)
            lows.remove(at: place)
        } else if width <= Self.capacity / 2 {
            if place + 1 < children.count { mergeIfFitting(at: place) }
            if place > 0 { mergeIfFitting(at: place - 1) }
        }
        return true
    }

    /// Merges child `left` with the one after it when a page holds both.
    private func mergeIfFitting(at left: Int) {
        let right = left + 1
        guard right < children.count, children[left].width + children[right].width <= Self.capacity else { return }
        let into = ownedChild(left)
        let from = children[right]
        if from.children.isEmpty {
            into.entries.append(contentsOf: from.entries)
        } else {
            into.children.append(contentsOf: from.children)
            into.lows.append(lows[right])
            into.lows.append(contentsOf: from.lows.dropFirst())
        }
        children.remove(at: right)
        lows.remove(at: right)
    }

    private func ownedChild(_ place: Int) -> IndexPage {
        if !isKnownUniquelyReferenced(&children[place]) { children[place] = children[place].copy() }
        return children[place]
    }

    // MARK: - Searching

    private func firstEntry(where isPast: (IndexEntry) -> Bool) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if isPast(entries[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The last child, counted from 1, whose low is not past the place that is looked for; else child 0.
    private func lastChild(where isPast: (IndexEntry) -> Bool) -> Int {
        var low = 1
        var high = lows.count
        while low < high {
            let middle = (low + high) / 2
            if isPast(lows[middle]) { high = middle } else { low = middle + 1 }
        }
        return low - 1
    }

    private func child(holding entry: IndexEntry) -> Int { lastChild { entry < $0 } }

    func walk(after cut: IndexCut?, _ body: (IndexEntry) -> Bool) -> Bool {
        if children.isEmpty {
            let start = cut.map { cut in firstEntry { cut.precedes($0) } } ?? 0
            for place in start..<entries.count where !body(entries[place]) { return false }
            return true
        }
        let start = cut.map { cut in lastChild { cut.precedes($0) } } ?? 0
        for place in start..<children.count {
            if !children[place].walk(after: place == start ? cut : nil, body) { return false }
        }
        return true
    }

    func walk(before cut: IndexCut?, _ body: (IndexEntry) -> Bool) -> Bool {
        if children.isEmpty {
            let end = cut.map { cut in firstEntry { cut.precedes($0) } } ?? entries.count
            for place in (0..<end).reversed() where !body(entries[place]) { return false }
            return true
        }
        let end = cut.map { cut in lastChild { cut.precedes($0) } } ?? children.count - 1
        for place in (0...end).reversed() {
            if !children[place].walk(before: place == end ? cut : nil, body) { return false }
        }
        return true
    }

    // MARK: - Checking

    /// The height when all leaves below are equally deep, else nil.
    private var height: Int? {
        if children.isEmpty { return 0 }
        let heights = Set(children.map { $0.height ?? -1 })
        guard heights.count == 1, let only = heights.first, only >= 0 else { return nil }
        return only + 1
    }

    var pageCount: Int { children.reduce(1) { $0 + $1.pageCount } }

    var isBalanced: Bool { height != nil }
}
