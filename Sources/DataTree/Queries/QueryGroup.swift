/// All filtering queries at one path, their shared indexes and windows: a value that knows neither listeners nor threads.
///
/// The owner tells it of each commit, either ``apply(node:changes:)`` when direct children changed or
/// ``replace(old:new:)`` when the node itself did, and gets back what to push for each query. Small nodes are indexed on
/// the spot. For a node with more than `inlineCount` children an index is built elsewhere: queries wait for it,
/// ``unbuiltIndexes`` names it, ``startBuilding(_:node:)`` hands out the work and ``install(_:node:)`` takes it back,
/// catches up with what happened meanwhile, and answers with the complete result of each query that waited.
///
/// ```swift
/// var group = QueryGroup()
/// let first = group.add(query, node: room)         // the initial data, nil when it must wait for an index
/// let updates = group.apply(node: changedRoom, changes: [ChildChange(key: key, old: old, new: new)])
/// ```
///
/// To undo commits, apply the reverse changes: a window's content depends on the node alone.
package struct QueryGroup: Sendable {
    /// What to push to the listeners of one query.
    package typealias Update = (query: Query, delta: WindowDelta)

    /// The greatest number of children for which an index is built on the spot.
    package let inlineCount: Int
    private var slots: [IndexSlot] = []
    private var nextBuild: UInt64 = 0

    package init(inlineCount: Int = 2000) {
        self.inlineCount = inlineCount
    }

    // MARK: - Queries

    /// Whether nothing is kept here: no query and no pinned index.
    package var isEmpty: Bool { slots.isEmpty }

    /// All queries of the group.
    package var queries: [Query] { slots.flatMap(\.windows.queries) }

    package func contains(_ query: Query) -> Bool {
        slot(of: query.index).map { slots[$0].windows[query] != nil } ?? false
    }

    /// Adds a filtering query; adding it again changes nothing. The result at once, or nil when it comes with the
    /// index that the query waits for, as a replacement from ``install(_:node:)``. `node` is the node at the path. A
    /// query that does not filter is answered and not kept: its listeners hear of each change anyway.
    package mutating func add(_ query: Query, node: Node) -> Node? {
        if !query.filters { return node }
        let number = ensureSlot(for: query.index, node: node)
        if slots[number].windows[query] == nil {
            var window = QueryWindow(emptyFor: query)
            if let order = slots[number].order(in: node) { window.reset(to: order) }
            slots[number].windows.insert(window)
        }
        return result(of: query, in: node)
    }

    /// Removes a query, and its index when no other query uses it and it is not pinned.
    package mutating func remove(_ query: Query) {
        guard let number = slot(of: query.index) else { return }
        slots[number].windows.remove(query)
        dropIfUnused(number)
    }

    /// The result of any query, whether or not it was added, from what is indexed already; nil when its index is not
    /// there (``Query/apply(to:)`` then reads every child).
    package func result(of query: Query, in node: Node) -> Node? {
        if !query.filters { return node }
        if let number = slot(of: query.index) {
            guard let order = slots[number].order(in: node) else { return nil }
            if let window = slots[number].windows[query] { return window.result(in: node, order: order) }
            return query.result(in: node, order: order)
        }
        return ChildOrder.isNatural(query.index, for: node) ? query.result(in: node, order: .node(node)) : nil
    }

    // MARK: - Indexes

    /// Keeps an index although no query uses it.
    package mutating func pin(_ index: Query.Index, node: Node) {
        slots[ensureSlot(for: index, node: node)].isPinned = true
    }

    package mutating func unpin(_ index: Query.Index) {
        guard let number = slot(of: index) else { return }
        slots[number].isPinned = false
        dropIfUnused(number)
    }

    /// The indexes that are needed and that nobody builds yet.
    package var unbuiltIndexes: [Query.Index] {
        slots.compactMap { slot in
            if case .missing = slot.state { slot.index } else { nil }
        }
    }

    /// Takes on the work of building an index from `node`, the node at the path now. An earlier build of the same
    /// index is void. Nil when the index is not needed.
    package mutating func startBuilding(_ index: Query.Index, node: Node) -> IndexBuild? {
        guard let number = slot(of: index), slots[number].order(in: node) == nil else { return nil }
        nextBuild += 1
        let build = IndexBuild(index: index, number: nextBuild, snapshot: node)
        slots[number].state = .building(build, changedKeys: [])
        return build
    }

    /// Takes a finished index. `node` is the node at the path now. Every query that waited gets its complete result;
    /// nothing happens when the build became void.
    package mutating func install(_ finished: FinishedIndex, node: Node) -> [Update] {
        guard let number = slot(of: finished.index),
            case .building(let build, let changedKeys) = slots[number].state, build.number == finished.build.number
        else { return [] }
        var content = finished.content
        for key in changedKeys {
            content.update(
                build.index.entry(key: key, child: build.snapshot[key]),
                to: build.index.entry(key: key, child: node[key]))
        }
        slots[number].state = .ready(content)
        return resetWindows(of: number, node: node)
    }

    // MARK: - Commits

    /// Follows a commit that changed direct children of a node that was and is an object. `node` is the node after it.
    /// Queries without an effect are left out; queries whose index is not there get theirs when it is.
    package mutating func apply(node: Node, changes: [ChildChange]) -> [Update] {
        let changes = Self.coalesced(changes)
        if changes.isEmpty { return [] }
        var updates: [Update] = []
        for number in slots.indices {
            let index = slots[number].index
            let indexed = changes.map { IndexedChange($0, by: index) }
            let hadOrder = slots[number].isReady
            slots[number].follow(indexed, to: node, inlineCount: inlineCount)
            guard hadOrder, let order = slots[number].order(in: node) else { continue }
            slots[number].windows.update(concernedBy: indexed) { window, changes in
                let delta = window.update(node: node, order: order, changes: changes)
                if !delta.isEmpty { updates.append((window.query, delta)) }
            }
        }
        return updates
    }

    /// Follows a commit that replaced the node at the path: from above, by a leaf, by nothing, or from one of these to an
    /// object. Queries whose result is the same are left out.
    package mutating func replace(old: Node, new: Node) -> [Update] {
        // A node's own priority is no part of any result.
        if old.withPriority(.none).isIdentical(to: new.withPriority(.none)) { return [] }
        var updates: [Update] = []
        for number in slots.indices {
            let oldOrder = slots[number].order(in: old)
            slots[number].state = IndexSlot.initialState(of: slots[number].index, for: new, inlineCount: inlineCount)
            guard let order = slots[number].order(in: new) else { continue }
            slots[number].windows.updateAll { window in
                let oldResult = oldOrder.map { window.result(in: old, order: $0) }
                window.reset(to: order)
                let result = window.result(in: new, order: order)
                if oldResult != result { updates.append((window.query, WindowDelta(replacement: result))) }
            }
        }
        return updates
    }

    /// Follows a commit as the tree reports it: any number of changes anywhere, those elsewhere are passed over. `old`
    /// and `new` are the node at `path`, where the group's queries are, before and after the whole commit.
    package mutating func follow(_ changes: [NodeChange], at path: Path, old: Node, new: Node) -> [Update] {
        var keys: [Key] = []
        for change in changes {
            // What happens at or above the path concerns the node itself.
            if path.hasPrefix(change.path) { return replace(old: old, new: new) }
            if change.path.hasPrefix(path) { keys.append(change.path.keys[path.count]) }
        }
        return apply(node: new, changes: keys.map { ChildChange(key: $0, old: old[$0], new: new[$0]) })
    }

    // MARK: - Slots

    private func slot(of index: Query.Index) -> Int? {
        slots.firstIndex { $0.index == index }
    }

    private mutating func ensureSlot(for index: Query.Index, node: Node) -> Int {
        if let number = slot(of: index) { return number }
        let state = IndexSlot.initialState(of: index, for: node, inlineCount: inlineCount)
        slots.append(IndexSlot(index: index, state: state))
        return slots.count - 1
    }

    private mutating func dropIfUnused(_ number: Int) {
        if slots[number].windows.isEmpty && !slots[number].isPinned { slots.remove(at: number) }
    }

    private mutating func resetWindows(of number: Int, node: Node) -> [Update] {
        guard let order = slots[number].order(in: node) else { return [] }
        var updates: [Update] = []
        slots[number].windows.updateAll { window in
            window.reset(to: order)
            updates.append((window.query, WindowDelta(replacement: window.result(in: node, order: order))))
        }
        return updates
    }

    /// One change for each child, from its first old to its last new content.
    private static func coalesced(_ changes: [ChildChange]) -> [ChildChange] {
        if changes.count < 2 { return changes }
        var places: [Key: Int] = [:]
        var result: [ChildChange] = []
        result.reserveCapacity(changes.count)
        for change in changes {
            if let place = places[change.key] {
                result[place].new = change.new
            } else {
                places[change.key] = result.count
                result.append(change)
            }
        }
        return result
    }
}
