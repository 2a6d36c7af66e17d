/// The children of all open objects while a `NodeMachine` reads them, innermost last, in the form that pages hold them.
///
/// Raw memory with owned entries: a child moves from here into its page without touching its reference count, and no
/// array checks who else holds it. Entries below `count` are initialised; each leaves by being moved out.
struct PendingChildren: ~Copyable {
    // Owned by this value alone, which cannot be copied.
    private var entries: UnsafeMutablePointer<PageBody.Entry>
    private var capacity: Int
    private(set) var count = 0
    /// How many children were added since the beginning, those included that have moved on.
    private(set) var added = 0
    /// The whole texts of keys too long to be packed, with their entries' indices, ascending.
    private var longKeys: [(index: Int, text: [UInt8])] = []

    init(capacity: Int) {
        self.capacity = capacity
        entries = .allocate(capacity: capacity)
    }

    deinit {
        entries.deinitialize(count: count)
        entries.deallocate()
    }

    mutating func removeAll() {
        entries.deinitialize(count: count)
        count = 0
        added = 0
        longKeys.removeAll()
    }

    mutating func removeAll(from start: Int) {
        guard start < count else { return }
        (entries + start).deinitialize(count: count - start)
        count = start
        while let last = longKeys.last, last.index >= start { longKeys.removeLast() }
    }

    /// Adds an empty child. Answers whether its key is greater than that of the child before it, if that is at `start`
    /// or later; always false for long keys.
    @inline(__always)
    mutating func append(_ key: PackedKey, after start: Int) -> Bool {
        if count == capacity { grow() }
        let isAscending = count == start || entries[count - 1].key.precedes(nil, key, nil)
        (entries + count).initialize(to: PageBody.Entry(key: key, node: .empty))
        count += 1
        added &+= 1
        return isAscending
    }

    mutating func append(long text: Key) -> Bool {
        if let bytes = text.long { longKeys.append((count, bytes)) }
        _ = append(text.packed, after: count)
        return false
    }

    /// Sets the child added last.
    @inline(__always)
    mutating func setLast(_ node: consuming Node) {
        entries[count - 1].node = node
    }

    /// Moves the nodes of the children from `start` on out, in the order in which they were added.
    mutating func takeNodes(from start: Int) -> [Node] {
        var nodes: [Node] = []
        nodes.reserveCapacity(count - start)
        for index in start..<count { nodes.append((entries + index).move().node) }
        count = start
        while let last = longKeys.last, last.index >= start { longKeys.removeLast() }
        return nodes
    }

    /// Moves the children from `start` on into a node. `isSorted` tells that each `append` among them answered true.
    mutating func takeNode(from start: Int, isSorted: Bool, priority: Priority) -> Node {
        let taken = count - start
        guard taken > 0 else { return .empty }
        let hasLongKeys = longKeys.last.map { $0.index >= start } ?? false
        guard taken <= Page.capacity, !hasLongKeys else { return takeLarge(from: start, priority: priority) }
        guard let page = takePage(from: start, isSorted: isSorted) else { return .empty }
        return Node(content: .object(page)).prioritized(priority)
    }

    /// Up to a page of children, without allocating anything but the page.
    private mutating func takePage(from start: Int, isSorted: Bool) -> Page? {
        let base = entries + start
        let distinct = isSorted ? count - start : Self.sort(base, count - start)
        count = start
        var body = PageBody()
        var kept = 0
        for index in 0..<distinct {
            // An empty node owns nothing, so its entry can be written over.
            guard !base[index].node.isEmpty else { continue }
            body.add(PageBody.Counts(base[index].node))
            if kept < index { (base + kept).moveInitialize(from: base + index, count: 1) }
            kept += 1
        }
        guard kept > 0 else { return nil }
        body.entries = Array(unsafeUninitializedCapacity: kept) { buffer, initialized in
            buffer.baseAddress?.moveInitialize(from: base, count: kept)
            initialized = kept
        }
        return Page(body)
    }

    /// Sorts by insertion; of several children with one key the last stays. Returns how many are left.
    private static func sort(_ base: UnsafeMutablePointer<PageBody.Entry>, _ count: Int) -> Int {
        var sorted = 1
        for index in 1..<count {
            let key = base[index].key
            var place = sorted
            while place > 0, key.precedes(nil, base[place - 1].key, nil) { place -= 1 }
            if place > 0, base[place - 1].key == key {
                base[place - 1] = (base + index).move()
                continue
            }
            if place < index {
                let entry = (base + index).move()
                (base + place + 1).moveInitialize(from: base + place, count: sorted - place)
                (base + place).initialize(to: entry)
            }
            sorted += 1
        }
        return sorted
    }

    private mutating func takeLarge(from start: Int, priority: Priority) -> Node {
        var children: [(Key, Node)] = []
        children.reserveCapacity(count - start)
        var long = longKeys.count
        while long > 0, longKeys[long - 1].index >= start { long -= 1 }
        let firstLong = long
        for index in start..<count {
            var text: [UInt8]?
            if long < longKeys.count, longKeys[long].index == index {
                text = longKeys[long].text
                long += 1
            }
            let entry = (entries + index).move()
            children.append((Key(packed: entry.key, long: text), entry.node))
        }
        longKeys.removeLast(longKeys.count - firstLong)
        count = start
        return Node(children: children, priority: priority)
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<PageBody.Entry>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: entries, count: count)
        entries.deallocate()
        entries = larger
        capacity *= 2
    }
}
