extension Page {
    /// Calls `body` with each key whose nodes are not identical in memory, in key order, until it answers false.
    ///
    /// Pages that both trees share are skipped. O(changes · log n) for trees that came from one another.
    @discardableResult
    static func difference(from old: Page, to new: Page, _ body: (Key, _ old: Node, _ new: Node) -> Bool) -> Bool {
        if old === new { return true }
        var left = PageCursor(old)
        var right = PageCursor(new)
        while true {
            PageCursor.skipShared(&left, &right)
            switch (left.item, right.item) {
            case (.end, .end):
                return true
            case (.page, .page):
                // Into the one that begins earlier, so that pages shared further on are met at the same time.
                if left.key < right.key {
                    left.descend()
                } else if right.key < left.key {
                    right.descend()
                } else {
                    let leftLevel = left.level
                    if leftLevel >= right.level { left.descend() }
                    if right.level >= leftLevel { right.descend() }
                }
            case (.page, .entry(let node)) where right.key < left.key, (.end, .entry(let node)):
                guard body(right.key, .empty, node) else { return false }
                right.advance()
            case (.entry(let node), .page) where left.key < right.key, (.entry(let node), .end):
                guard body(left.key, node, .empty) else { return false }
                left.advance()
            case (.page, _):
                left.descend()
            case (_, .page):
                right.descend()
            case (.entry(let node), .entry(let other)):
                let key = left.key
                let otherKey = right.key
                if key == otherKey {
                    if !node.isIdentical(to: other), !body(key, node, other) { return false }
                    left.advance()
                    right.advance()
                } else if key < otherKey {
                    guard body(key, node, .empty) else { return false }
                    left.advance()
                } else {
                    guard body(otherKey, .empty, other) else { return false }
                    right.advance()
                }
            }
        }
    }

    static func equal(_ left: Page, _ right: Page) -> Bool {
        left.count == right.count && difference(from: left, to: right) { $1 == $2 }
    }
}

/// A place in a tree of pages: before an entry, or before a page that may still be skipped as a whole.
private struct PageCursor {
    enum Item {
        case entry(Node)
        case page(Page)
        case end
    }

    private var page: Page
    private var index = 0
    /// The pages above, each with the slot that comes after `page`.
    private var above: [(page: Page, index: Int)] = []

    init(_ root: Page) { page = root }

    var item: Item {
        if index >= page.body.slotCount { return .end }
        return page.body.isBranch ? .page(page.body.branches[index].page) : .entry(page.body.entries[index].node)
    }

    /// The entry's key, or one not greater than any in the page. Not at the end.
    var key: Key { page.body.key(index) }

    /// The level of the page that is the item; 0 for pages of entries.
    var level: Int { page.body.level - 1 }

    mutating func advance() {
        index += 1
        while index >= page.body.slotCount, let top = above.popLast() { (page, index) = top }
    }

    mutating func descend() {
        guard case .page(let below) = item else { return }
        above.append((page, index + 1))
        page = below
        index = 0
    }

    /// Advances both over what they share. Compares in place: taking each item out would touch its reference count.
    static func skipShared(_ left: inout PageCursor, _ right: inout PageCursor) {
        while left.level == right.level, left.index < left.page.body.slotCount,
            right.index < right.page.body.slotCount, left.isShared(right)
        {
            left.advance()
            right.advance()
        }
    }

    /// Whether the slots hold the same page, or the same node under the same key; false says nothing.
    private func isShared(_ other: PageCursor) -> Bool {
        if page.body.isBranch {
            return page.body.branches[index].page === other.page.body.branches[other.index].page
        }
        return page.body.entries[index].isShared(other.page.body.entries[other.index])
    }
}

extension PageBody.Entry {
    fileprivate func isShared(_ other: PageBody.Entry) -> Bool {
        guard key == other.key, !key.isLong else { return false }
        return switch (node.content, other.node.content) {
        case (.object(let page), .object(let otherPage)): page === otherPage
        case (.integer(let value), .integer(let otherValue)): value == otherValue
        case (.shortText(let text), .shortText(let otherText)): text == otherText
        case (.bool(let value), .bool(let otherValue)): value == otherValue
        case (.prioritized(let box), .prioritized(let otherBox)): box === otherBox
        default: false
        }
    }
}
