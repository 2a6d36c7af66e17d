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
            switch (left.item, right.item) {
            case (.end, .end):
                return true
            case (.page(let page), .page(let other)) where page === other:
                left.advance()
                right.advance()
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

    private var stack: [(page: Page, index: Int)]
    private(set) var item: Item = .end

    init(_ root: Page) {
        stack = [(root, 0)]
        load()
    }

    /// The entry's key, or one not greater than any in the page.
    var key: Key {
        guard let top = stack.last else { return Key("") }
        return top.page.body.key(top.index)
    }

    /// The level of the page that is the item; 0 for pages of entries.
    var level: Int { (stack.last?.page.body.level ?? 0) - 1 }

    mutating func advance() {
        if !stack.isEmpty { stack[stack.count - 1].index += 1 }
        load()
    }

    mutating func descend() {
        guard case .page(let page) = item else { return }
        stack[stack.count - 1].index += 1
        stack.append((page, 0))
        load()
    }

    private mutating func load() {
        while let top = stack.last {
            let body = top.page.body
            guard top.index < body.slotCount else {
                stack.removeLast()
                continue
            }
            item = body.isBranch ? .page(body.branches[top.index].page) : .entry(body.entries[top.index].node)
            return
        }
        item = .end
    }
}
