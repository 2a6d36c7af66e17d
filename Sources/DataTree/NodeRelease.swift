extension Node {
    /// Empties this node and frees, without recursion, all below it that nobody else holds.
    ///
    /// Call it on a thread that may take the time: a million leaves need some tens of milliseconds. Just dropping a node
    /// works too, but then freeing recurses once a level, too deep for trees of many thousand levels.
    package mutating func removeDeeply() {
        var garbage = Garbage()
        garbage.take(content)
        self = .empty
        garbage.free()
    }
}

/// References taken out of what is being freed, so that nothing is freed from within something else.
private struct Garbage {
    private var pages: [Page] = []
    private var boxes: [PrioritizedNode] = []

    mutating func take(_ content: Node.Content) {
        switch content {
        case .object(let page): pages.append(page)
        case .prioritized(let box): boxes.append(box)
        default: break
        }
    }

    mutating func free() {
        while true {
            if var page = pages.popLast() {
                guard isKnownUniquelyReferenced(&page) else { continue }
                for entry in page.body.entries { take(entry.node.content) }
                for branch in page.body.branches { pages.append(branch.page) }
                page.body = PageBody()
            } else if var box = boxes.popLast() {
                guard isKnownUniquelyReferenced(&box) else { continue }
                take(box.content)
                box.content = .empty
            } else {
                return
            }
        }
    }
}
