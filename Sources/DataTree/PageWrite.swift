extension Page {
    /// Lets `edit` change the child under `key`, empty if there is none. Afterwards the page may be empty.
    static func update<Result>(_ page: inout Page, _ key: Key, _ edit: (inout Node) -> Result) -> Result {
        makeUnique(&page)
        var outcome = PageBody.Outcome()
        let result = page.body.update(key, edit, &outcome)
        if let next = outcome.next {
            var root = PageBody()
            root.level = page.body.level + 1
            root.append(branchTo: page)
            root.append(branchTo: next)
            page = Page(root)
        }
        while page.body.isBranch, page.body.branches.count == 1 { page = page.body.branches[0].page }
        return result
    }

    /// Readies a page for a change: replaces it by a copy when others hold it too, else forgets its digest.
    ///
    /// Pages below a root have one too when a smaller tree had them as its root.
    @inline(__always)
    static func makeUnique(_ page: inout Page) {
        if isKnownUniquelyReferenced(&page) {
            page.digest.reset()
        } else {
            page = page.copy()
        }
    }

    /// A page with the same slots in arrays of its own, with room for one more.
    ///
    /// Slot by slot: the copy that an array makes of itself goes through the runtime's type tables.
    private func copy() -> Page {
        var copy = PageBody()
        copy.level = body.level
        copy.longKeys = body.longKeys
        copy.count = body.count
        copy.prioritizedChildren = body.prioritizedChildren
        copy.totals = body.totals
        if copy.isBranch {
            copy.branches.reserveCapacity(min(body.branches.count + 1, Page.capacity))
            for branch in body.branches { copy.branches.append(branch) }
        } else {
            copy.entries.reserveCapacity(min(body.entries.count + 1, Page.capacity))
            for entry in body.entries { copy.entries.append(entry) }
        }
        return Page(copy)
    }
}

extension PageBody {
    /// What an update means for the page above.
    struct Outcome {
        var change = Counts()
        /// The page split off to the right when this one overflowed.
        var next: Page?
    }

    mutating func update<Result>(_ key: Key, _ edit: (inout Node) -> Result, _ outcome: inout Outcome) -> Result {
        isBranch ? updateBranch(key, edit, &outcome) : updateEntry(key, edit, &outcome)
    }

    private mutating func updateEntry<Result>(
        _ key: Key, _ edit: (inout Node) -> Result, _ outcome: inout Outcome
    ) -> Result {
        let (index, isFound) = entryIndex(of: key)
        var node = Node.empty
        // The child is taken out while it is edited: a second reference would make each page below look shared.
        if isFound { swap(&node, &entries[index].node) }
        let before = Counts(node)
        let result = edit(&node)
        outcome.change = Counts(node) - before
        add(outcome.change)
        switch (isFound, node.isEmpty) {
        case (true, false): swap(&node, &entries[index].node)
        case (true, true): removeSlot(at: index)
        case (false, false): insert(Entry(key: key.packed, node: node), key.long, at: index, &outcome)
        case (false, true): break
        }
        return result
    }

    private mutating func updateBranch<Result>(
        _ key: Key, _ edit: (inout Node) -> Result, _ outcome: inout Outcome
    ) -> Result {
        let index = branchIndex(for: key)
        if index == 0, key.packed.precedes(key.long, branches[0].bound, longKey(0)) {
            branches[0].bound = key.packed
            setLongKey(key.long, at: 0)
        }
        Page.makeUnique(&branches[index].page)
        let result = branches[index].page.body.update(key, edit, &outcome)
        add(outcome.change)
        branches[index].count += outcome.change.count
        if let next = outcome.next {
            outcome.next = nil
            branches[index].count -= next.count
            let bound = next.body.key(0)
            insert(Branch(bound: bound.packed, count: next.count, page: next), bound.long, at: index + 1, &outcome)
        } else if outcome.change.count < 0 {
            fillUp(index)
        }
        return result
    }
}

// MARK: - Slots

extension PageBody {
    mutating func append(branchTo page: Page) {
        let bound = page.body.key(0)
        branches.append(Branch(bound: bound.packed, count: page.count, page: page))
        appendLongKey(bound.long)
        add(page.body.counts)
    }

    /// Records the whole text of the key in the last slot, if it is long.
    mutating func appendLongKey(_ long: [UInt8]?) {
        if !longKeys.isEmpty {
            longKeys.append(long)
        } else if long != nil {
            setLongKey(long, at: slotCount - 1)
        }
    }

    private mutating func setLongKey(_ long: [UInt8]?, at index: Int) {
        if longKeys.isEmpty {
            if long == nil { return }
            longKeys = Array(repeating: nil, count: slotCount)
        }
        longKeys[index] = long
    }

    private mutating func insertLongKey(_ long: [UInt8]?, at index: Int) {
        if !longKeys.isEmpty {
            longKeys.insert(long, at: index)
        } else if long != nil {
            setLongKey(long, at: index)
        }
    }

    mutating func removeSlot(at index: Int) {
        if isBranch { branches.remove(at: index) } else { entries.remove(at: index) }
        if !longKeys.isEmpty { longKeys.remove(at: index) }
    }

    /// Inserts an entry where there is room for it.
    mutating func insertSlot(_ entry: Entry, _ long: [UInt8]?, at index: Int) {
        entries.grow()
        entries.insert(entry, at: index)
        insertLongKey(long, at: index)
    }

    private mutating func insert(_ entry: Entry, _ long: [UInt8]?, at index: Int, _ outcome: inout Outcome) {
        if entries.count < Page.capacity {
            insertSlot(entry, long, at: index)
            return
        }
        var next = split(before: index)
        if index <= entries.count, index < Page.capacity {
            entries.insert(entry, at: index)
            insertLongKey(long, at: index)
        } else {
            let index = index - entries.count
            next.entries.insert(entry, at: index)
            next.insertLongKey(long, at: index)
        }
        settle(&next, &outcome)
    }

    private mutating func insert(_ branch: Branch, _ long: [UInt8]?, at index: Int, _ outcome: inout Outcome) {
        if branches.count < Page.capacity {
            branches.grow()
            branches.insert(branch, at: index)
            insertLongKey(long, at: index)
            return
        }
        var next = split(before: index)
        if index <= branches.count, index < Page.capacity {
            branches.insert(branch, at: index)
            insertLongKey(long, at: index)
        } else {
            let index = index - branches.count
            next.branches.insert(branch, at: index)
            next.insertLongKey(long, at: index)
        }
        settle(&next, &outcome)
    }

    /// Moves slots of this full page to a new one: half of them, or none when the new slot comes behind all others, so
    /// that keys that arrive in ascending order leave full pages behind.
    private mutating func split(before index: Int) -> PageBody {
        let start = index == Page.capacity ? Page.capacity : Page.capacity / 2
        var next = PageBody()
        next.level = level
        if isBranch {
            next.branches = Array(branches[start...])
            branches.removeSubrange(start...)
        } else {
            next.entries = Array(entries[start...])
            entries.removeSubrange(start...)
        }
        if !longKeys.isEmpty {
            next.longKeys = Array(longKeys[start...])
            longKeys.removeSubrange(start...)
            next.dropUnusedLongKeys()
            dropUnusedLongKeys()
        }
        return next
    }

    private mutating func dropUnusedLongKeys() {
        if longKeys.allSatisfy({ $0 == nil }) { longKeys = [] }
    }

    /// Gives a page split off its counts, and hands it to the page above.
    private mutating func settle(_ next: inout PageBody, _ outcome: inout Outcome) {
        var moved = Counts()
        if isBranch {
            for branch in next.branches { moved = moved + branch.page.body.counts }
        } else {
            for entry in next.entries { moved = moved + Counts(entry.node) }
        }
        next.add(moved)
        add(Counts() - moved)
        outcome.next = Page(next)
    }

    /// Joins the page of a branch that became small with a neighbour, or drops it when it is empty.
    private mutating func fillUp(_ index: Int) {
        let slots = branches[index].page.body.slotCount
        if slots == 0 {
            removeSlot(at: index)
            return
        }
        guard slots <= Page.capacity / 4 else { return }
        for left in [index - 1, index] where left >= 0 && left + 1 < branches.count {
            let right = branches[left + 1].page
            // Some room stays, or the next insertion would split the page again.
            guard branches[left].page.body.slotCount + right.body.slotCount <= Page.capacity * 3 / 4 else { continue }
            Page.makeUnique(&branches[left].page)
            branches[left].page.body.append(right.body)
            branches[left].count += right.count
            removeSlot(at: left + 1)
            return
        }
    }

    /// Appends the slots of a page to the right of this one.
    private mutating func append(_ other: PageBody) {
        if !longKeys.isEmpty || !other.longKeys.isEmpty {
            if longKeys.isEmpty { longKeys = Array(repeating: nil, count: slotCount) }
            longKeys += other.longKeys.isEmpty ? Array(repeating: nil, count: other.slotCount) : other.longKeys
        }
        entries += other.entries
        branches += other.branches
        add(other.counts)
    }
}

extension PageBody.Counts {
    static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.count += right.count
        sum.prioritizedChildren += right.prioritizedChildren
        sum.totals += right.totals
        return sum
    }
}

extension Array {
    /// Makes room for one more element in smaller steps than doubling: most pages stay as small as they are.
    fileprivate mutating func grow() {
        if count == capacity { reserveCapacity(Swift.min(count + Swift.max(2, count / 2), Page.capacity)) }
    }
}
