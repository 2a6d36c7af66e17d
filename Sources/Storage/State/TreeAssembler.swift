import DataTree

/// Builds a tree from rows in the order of their paths, bottom-up in O(n).
///
/// Rows may be a mixture of two trees, as a crash in the middle of a pass leaves them: a leaf with rows below it gives
/// way to them, and a priority of an object without children is set aside. Such rows are listed as stale.
struct TreeAssembler {
    private struct Frame {
        var key: Key
        var children: [(Key, Node)] = []
        var priority = Priority.none
    }

    /// The objects that are being filled, from the root down to the parent of the last row. Frames beyond `depth` keep
    /// their memory for later ones.
    private var frames = [Frame(key: Key(""))]
    private var depth = 0
    /// The path of the last row, and where each of its keys ends there.
    private var path: [UInt8] = []
    private var keyEnds: [Int] = []
    private var lastKey = Key("")
    private var lastRow: StateRow?

    private var rootLeaf: Node?

    /// Paths of rows that contradict others and must be deleted.
    private(set) var stale: [[UInt8]] = []
    /// The priorities of objects without children, under encoded paths.
    private(set) var orphans: [(path: [UInt8], priority: Priority)] = []

    /// Takes the next row. Its path is greater than the last one's.
    mutating func add(_ row: StateRow, at next: UnsafeRawBufferPointer) throws(PathCode.Malformed) {
        let shared = try sharedKeys(with: next)
        if lastRow != nil {
            let isBelow = shared == keyEnds.count && next.count > path.count
            settle(below: isBelow)
        }
        // The root and each key but the last of the new path have a frame; those of the old path beyond `shared` close.
        close(to: shared)
        var offset = shared == 0 ? 0 : keyEnds[shared - 1] + 1
        keyEnds.removeLast(keyEnds.count - shared)
        while offset < next.count {
            let key = try PathCode.key(in: next, at: &offset)
            let isLast = offset == next.count
            keyEnds.append(isLast ? next.count : offset - 1)
            if isLast { lastKey = key } else { open(key) }
        }
        path.replaceSubrange(0..., with: next)
        lastRow = row
    }

    /// The tree of all rows.
    mutating func finish() -> Node {
        if lastRow != nil { settle(below: false) }
        close(to: 0)
        if let leaf = rootLeaf { return leaf }
        return Node(children: frames[0].children, priority: frames[0].priority)
    }

    /// How many keys of the last path lead to the new one, which must be greater.
    private func sharedKeys(with next: UnsafeRawBufferPointer) throws(PathCode.Malformed) -> Int {
        let limit = min(path.count, next.count)
        var same = 0
        while same < limit, path[same] == next[same] { same += 1 }
        let isGreater = same < limit ? path[same] < next[same] : path.count < next.count
        guard isGreater || lastRow == nil else { throw PathCode.Malformed(offset: same) }
        var count = 0
        while count < keyEnds.count {
            let end = keyEnds[count]
            guard end <= same, end == next.count || next[end] == PathCode.separator else { break }
            count += 1
        }
        return count
    }

    /// Puts the last row where it belongs, now that it is known whether rows below it follow.
    private mutating func settle(below isBelow: Bool) {
        defer { lastRow = nil }
        switch lastRow {
        case nil: return
        case .leaf(let node):
            if isBelow {
                stale.append(path)
                if !keyEnds.isEmpty { open(lastKey) }
            } else if keyEnds.isEmpty {
                rootLeaf = node
            } else {
                frames[depth].children.append((lastKey, node))
            }
        case .priority(let priority):
            if isBelow {
                if !keyEnds.isEmpty { open(lastKey) }
                frames[depth].priority = priority
            } else {
                setAside(priority, at: path)
            }
        }
    }

    private mutating func setAside(_ priority: Priority, at path: [UInt8]) {
        stale.append(path)
        orphans.append((path, priority))
    }

    private mutating func open(_ key: Key) {
        depth += 1
        if depth == frames.count {
            frames.append(Frame(key: key))
        } else {
            frames[depth].key = key
            frames[depth].priority = .none
        }
    }

    private mutating func close(to target: Int) {
        while depth > target {
            if frames[depth].children.isEmpty, frames[depth].priority != .none {
                setAside(frames[depth].priority, at: Array(path[..<keyEnds[depth - 1]]))
            }
            let node = Node(children: frames[depth].children, priority: frames[depth].priority)
            frames[depth].children.removeAll(keepingCapacity: true)
            let key = frames[depth].key
            depth -= 1
            frames[depth].children.append((key, node))
        }
    }
}
