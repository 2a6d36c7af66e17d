/// The kept window of one filtering query at one path, shared by all that listen to it.
///
/// It holds no children, only where the window ends and how many are in it, so that its size does not depend on the
/// limit. A commit costs O(changed children · log n): those that leave a full window are made up for by walking on from
/// its edge, those that are too many are found by walking back.
package struct QueryWindow: Sendable {
    package let query: Query
    /// What start and end admit.
    let range: IndexRange
    /// What is in the window: the range, cut off at the far side of the limit once the window is full.
    private(set) var members: IndexRange
    /// How many children are in the window; kept only with a limit.
    private(set) var count = 0

    /// A window over the children that `order` holds under the query's index.
    package init(query: Query, order: ChildOrder) {
        self.query = query
        range = query.range
        members = range
        reset(to: order)
    }

    /// A window over nothing.
    init(emptyFor query: Query) {
        self.query = query
        range = query.range
        members = range
    }

    /// Counts anew over other children: O(limit + log n).
    mutating func reset(to order: ChildOrder) {
        members = range
        count = 0
        guard let limit = query.limit else { return }
        var last: IndexEntry?
        order.forEach(in: range, limit: limit) { entry in
            count += 1
            last = entry
        }
        if count == limit.count, let last { setEdge(at: last, limit) }
    }

    /// The query's result: the children in the window, no priority of its own; empty when there are none. `node` is
    /// the node at the path and `order` its children under the query's index.
    package func result(in node: Node, order: ChildOrder) -> Node {
        var children: [(Key, Node)] = []
        order.forEach(in: members, limit: nil) { entry in children.append((entry.key, node[entry.key])) }
        return Node(children: children)
    }

    /// Moves the window over one commit. `node` and `order` are those after the commit; `changes` name each changed
    /// child once, with its place before and after.
    mutating func update(node: Node, order: ChildOrder, changes: [IndexedChange]) -> WindowDelta {
        let before = members
        if let limit = query.limit {
            for change in changes {
                if let old = change.old, before.contains(old) { count -= 1 }
                if let new = change.new, before.contains(new) { count += 1 }
            }
            if count != limit.count { return settle(limit, node: node, order: order, changes: changes) }
        }
        var delta = WindowDelta()
        for change in changes { note(change, from: before, in: &delta) }
        return delta
    }

    /// Brings a window that is too small or too large back to its limit, and reports who came and went.
    private mutating func settle(
        _ limit: Query.Limit, node: Node, order: ChildOrder, changes: [IndexedChange]
    ) -> WindowDelta {
        let before = members
        var entrants: [Key] = []
        var leavers: [Key] = []
        if count > limit.count {
            leavers = shrink(limit, order: order)
        } else if members != range {
            entrants = grow(limit, order: order)
        }
        var delta = WindowDelta()
        for change in changes { note(change, from: before, in: &delta) }
        if entrants.isEmpty && leavers.isEmpty { return delta }
        // A changed child was judged above, by where it was and where it is.
        let changedKeys = Set(changes.lazy.map(\.change.key))
        for key in leavers where !changedKeys.contains(key) { delta.removed.append(key) }
        for key in entrants where !changedKeys.contains(key) { delta.entered.append((key, node[key])) }
        return delta
    }

    /// Cuts the window down to its limit; the children beyond it.
    private mutating func shrink(_ limit: Query.Limit, order: ChildOrder) -> [Key] {
        var leavers: [Key] = []
        func take(_ entry: IndexEntry) -> Bool {
            if leavers.count < count - limit.count {
                leavers.append(entry.key)
                return true
            }
            setEdge(at: entry, limit)
            return false
        }
        switch limit.anchor {
        case .first: order.forEach(before: members.upper, take)
        case .last: order.forEach(after: members.lower, take)
        }
        count = limit.count
        return leavers
    }

    /// Widens the window up to its limit or to the whole range; the children that come in.
    private mutating func grow(_ limit: Query.Limit, order: ChildOrder) -> [Key] {
        var entrants: [Key] = []
        let edge = members
        members = range
        func take(_ entry: IndexEntry) -> Bool {
            guard range.contains(entry) else { return false }
            entrants.append(entry.key)
            count += 1
            if count < limit.count { return true }
            setEdge(at: entry, limit)
            return false
        }
        switch limit.anchor {
        case .first: order.forEach(after: edge.upper, take)
        case .last: order.forEach(before: edge.lower, take)
        }
        return entrants
    }

    private mutating func setEdge(at entry: IndexEntry, _ limit: Query.Limit) {
        switch limit.anchor {
        case .first: members.upper = .after(entry)
        case .last: members.lower = .before(entry)
        }
    }

    private func note(_ change: IndexedChange, from before: IndexRange, in delta: inout WindowDelta) {
        let was = change.old.map(before.contains) ?? false
        let isMember = change.new.map(members.contains) ?? false
        switch (was, isMember) {
        case (true, true):
            if !change.change.old.isIdentical(to: change.change.new) { delta.changed.append(change.change) }
        case (true, false): delta.removed.append(change.change.key)
        case (false, true): delta.entered.append((change.change.key, change.change.new))
        case (false, false): break
        }
    }
}

/// A changed child with its places in one index.
struct IndexedChange: Sendable {
    var change: ChildChange
    var old: IndexEntry?
    var new: IndexEntry?

    init(_ change: ChildChange, by index: Query.Index) {
        self.change = change
        old = index.entry(key: change.key, child: change.old)
        new = index.entry(key: change.key, child: change.new)
    }
}
