extension Page {
    /// Makes a tree of pages of children in any order; nil if none is left once empty ones are dropped.
    ///
    /// O(n) for children in key order.
    static func make(_ children: ArraySlice<(Key, Node)>) -> Page? {
        if children.count <= capacity { return makeSmall(children) }
        return isStrictlyAscending(children) ? make(ascending: children) : make(ascending: sorted(children)[...])
    }

    /// One page, sorted by insertion: most objects are small, and nothing but the page is allocated.
    private static func makeSmall(_ children: ArraySlice<(Key, Node)>) -> Page? {
        var body = PageBody()
        body.entries.reserveCapacity(children.count)
        for (key, node) in children {
            var index = body.entries.count
            if index > 0, !body.precedes(index - 1, key) {
                let place = body.entryIndex(of: key)
                // Of two children with one key the later wins, also when it is empty.
                if place.isFound { body.removeSlot(at: place.index) }
                index = place.index
            }
            body.insertSlot(PageBody.Entry(key: key.packed, node: node), key.long, at: index)
        }
        for index in body.entries.indices.reversed() where body.entries[index].node.isEmpty {
            body.removeSlot(at: index)
        }
        for entry in body.entries { body.add(PageBody.Counts(entry.node)) }
        return body.entries.isEmpty ? nil : Page(body)
    }

    private static func isStrictlyAscending(_ children: ArraySlice<(Key, Node)>) -> Bool {
        for index in children.indices.dropFirst() where !(children[index - 1].0 < children[index].0) { return false }
        return true
    }

    /// The children in key order; of several with one key, the last.
    private static func sorted(_ children: ArraySlice<(Key, Node)>) -> [(Key, Node)] {
        // The position makes the order of equal keys certain.
        let order = children.indices.sorted { left, right in
            if children[left].0 < children[right].0 { return true }
            return children[left].0 == children[right].0 && left < right
        }
        var sorted: [(Key, Node)] = []
        sorted.reserveCapacity(children.count)
        for (position, index) in order.enumerated() {
            let isLast = position + 1 == order.count || children[order[position + 1]].0 != children[index].0
            if isLast { sorted.append(children[index]) }
        }
        return sorted
    }

    private static func make(ascending children: ArraySlice<(Key, Node)>) -> Page? {
        let count = children.reduce(0) { $1.1.isEmpty ? $0 : $0 + 1 }
        var pages: [Page] = []
        pages.reserveCapacity(pageCount(slots: count))
        var body = PageBody()
        var slots = PageSizes(slots: count)
        for (key, node) in children where !node.isEmpty {
            if body.entries.isEmpty { body.entries.reserveCapacity(slots.next()) }
            body.entries.append(PageBody.Entry(key: key.packed, node: node))
            body.appendLongKey(key.long)
            body.add(PageBody.Counts(node))
            if body.entries.count == slots.current {
                pages.append(Page(body))
                body = PageBody()
            }
        }
        while pages.count > 1 { pages = level(above: pages) }
        return pages.first
    }

    private static func level(above pages: [Page]) -> [Page] {
        var parents: [Page] = []
        var slots = PageSizes(slots: pages.count)
        var index = 0
        while index < pages.count {
            var body = PageBody()
            body.level = pages[index].body.level + 1
            let end = index + slots.next()
            body.branches.reserveCapacity(end - index)
            for page in pages[index..<end] { body.append(branchTo: page) }
            parents.append(Page(body))
            index = end
        }
        return parents
    }

    fileprivate static func pageCount(slots: Int) -> Int { (slots + capacity - 1) / capacity }
}

/// Spreads slots evenly over as few pages as can hold them.
private struct PageSizes {
    private var slots: Int
    private var pages: Int
    private(set) var current = 0

    init(slots: Int) {
        self.slots = slots
        pages = Page.pageCount(slots: slots)
    }

    mutating func next() -> Int {
        current = pages == 0 ? 0 : (slots + pages - 1) / pages
        slots -= current
        pages -= 1
        return current
    }
}
