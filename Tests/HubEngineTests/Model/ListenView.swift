import DataTree

/// One listen as an official SDK keeps it: its copy of the server's data, changed by pushes and nothing else.
///
/// Follows the JavaScript SDK (`ViewProcessor.ts`, `RangedFilter.ts`, `LimitedFilter.ts`) step by step, also where it is
/// odd: an unfiltered overwrite makes a filtered view hold the whole node until the next tagged push.
struct ListenView {
    let path: Path
    let query: Query
    let tag: Int?
    /// The server cache.
    private(set) var node: Node
    private(set) var isFiltered = false
    private var isInitialized = false
    /// The listen was answered `ok`.
    private(set) var isComplete = false
    /// False when another listen of the client went that had filled this one: the SDK's own weakness.
    var isTrusted = true

    init(path: Path, query: Query, tag: Int?, cached: Node = .empty) {
        node = cached
        self.path = path
        self.query = query
        self.tag = tag
    }

    /// What the application sees.
    var display: Node { query.filters ? query.apply(to: node) : node }

    /// In one thing better than the SDK: there, a filtered view whose hash was right takes itself for unfiltered until the
    /// next tagged push, and parts of children that other listens hear of get into it.
    mutating func complete() {
        isInitialized = true
        if query.filters { isFiltered = true }
        isComplete = true
    }

    // MARK: - Pushes

    /// `relative` leads from the view to the place.
    mutating func overwrite(_ relative: Path, _ value: Node, isTagged: Bool) {
        let filters = query.filters && (isTagged || isFiltered && !relative.isRoot)
        overwrite(relative, value, filters: filters)
    }

    mutating func merge(_ relative: Path, _ changes: [(Path, Node)], isTagged: Bool) {
        if node.isEmpty && !isInitialized { return }
        let filters = query.filters && (isTagged || isFiltered)
        let before = node
        var byChild: [(key: Key, changes: [(Path, Node)])] = []
        for (path, value) in changes.map({ (relative.appending($0.0), $0.1) }).sorted(by: { $0.0 < $1.0 }) {
            guard let key = path.keys.first else { continue }
            if byChild.last?.key != key { byChild.append((key, [])) }
            byChild[byChild.count - 1].changes.append((path.dropFirst(1), value))
        }
        for (key, changes) in byChild where has(key, in: before) {
            overwrite(Path(keys: [key]), applied(changes, to: child(key, of: before)), filters: filters)
        }
        for (key, changes) in byChild where !has(key, in: before) {
            let isDeep = !changes.contains { $0.0.isRoot }
            if isDeep && !(isInitialized && !isFiltered) { continue }
            overwrite(Path(keys: [key]), applied(changes, to: .empty), filters: filters)
        }
    }

    private func applied(_ changes: [(Path, Node)], to child: Node) -> Node {
        var child = child
        for (path, value) in changes { child.write(value, at: path) }
        return child
    }

    // MARK: - The server cache

    private mutating func overwrite(_ relative: Path, _ value: Node, filters: Bool) {
        guard let key = relative.keys.first else {
            node = filters ? query.apply(to: value) : value
            isInitialized = true
            isFiltered = filters
            return
        }
        if filters && !isFiltered {
            var whole = node
            whole.write(value, at: relative)
            node = query.apply(to: whole)
            isFiltered = true
            return
        }
        let isKnown = isInitialized && !isFiltered || has(key, in: node)
        if !isKnown && relative.count > 1 { return }
        isFiltered = filters
        if key == .priority {
            if !filters { node.write(value, at: relative) }
            return
        }
        var child = node[key]
        child.write(value, at: relative.dropFirst(1))
        if filters {
            updateWindow(key, child)
        } else {
            node.set(child, at: Path(keys: [key]))
        }
    }

    /// `LimitedFilter.updateChild` where nothing is known of the children outside the window.
    private mutating func updateWindow(_ key: Key, _ child: Node) {
        let child = isInRange(key, child) ? child : .empty
        let place = Path(keys: [key])
        let isMember = has(key, in: node)
        if node[key] == child { return }
        guard let limit = query.limit, node.childCount >= limit.count, !isMember else {
            node.set(child, at: place)
            return
        }
        if child.isEmpty { return }
        var wider = node
        wider.set(child, at: place)
        node = query.apply(to: wider)
    }

    private func isInRange(_ key: Key, _ child: Node) -> Bool {
        guard !child.isEmpty else { return false }
        guard let range = try? Query(index: query.index, start: query.start, end: query.end), range.filters else {
            return true
        }
        return !range.apply(to: Node(children: [(key, child)])).isEmpty
    }

    private func has(_ key: Key, in node: Node) -> Bool { !child(key, of: node).isEmpty }

    private func child(_ key: Key, of node: Node) -> Node {
        guard key == .priority else { return node[key] }
        switch node.priority {
        case .number(let number): return Node(leaf: .number(number))
        case .string(let text): return Node(leaf: .string(text))
        case .none, .deferred: return .empty
        }
    }
}

extension Node {
    /// Sets the node at `path`, or its priority when the path ends in `.priority`.
    mutating func write(_ value: Node, at path: Path) {
        if path.last == .priority {
            setPriority(Priority(value) ?? .none, at: path.parent ?? .root)
        } else {
            set(value, at: path)
        }
    }
}
