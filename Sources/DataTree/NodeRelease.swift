extension Node {
    /// Gives up this node and frees, without recursion, all below it that nobody else holds.
    ///
    /// Call it as the last use, on a thread that may take the time: a million leaves need some tens of milliseconds.
    /// Dropping a node works too, but then freeing recurses once a level, too deep for trees of many thousand levels.
    package consuming func removeDeeply() {
        var contents = [content]
        self = .empty
        while let content = contents.popLast() {
            switch consume content {
            case .object(var page):
                if isKnownUniquelyReferenced(&page) { page.moveContents(to: &contents) }
            case .prioritized(var box):
                if isKnownUniquelyReferenced(&box) {
                    contents.append(box.content)
                    box.content = .empty
                }
            default: break
            }
        }
    }
}

extension Page {
    /// Moves out the children that own further memory. The page is unusable afterwards.
    func moveContents(to contents: inout [Node.Content]) {
        for entry in takeEntries() {
            switch entry.node.content {
            case .object, .prioritized: contents.append(entry.node.content)
            default: break
            }
        }
    }
}
