/// The windows of one index at one path, found by the children that concern them.
///
/// A window whose range is a single value (or a single key under the key index) is reached by that value alone: ten
/// thousand clients that each ask for their own `equalTo` cost a commit one lookup. All others are compared with the changed
/// children in the order in which they came.
struct WindowSet: Sendable {
    private let index: Query.Index
    /// Windows by number; numbers of removed windows are used again.
    private var windows: [QueryWindow?] = []
    private var freeNumbers: [Int] = []
    private var numbers: [Query: Int] = [:]
    private var ranges: [(range: IndexRange, number: Int)] = []
    private var points: [IndexEntryPoint: [Int]] = [:]

    init(index: Query.Index) {
        self.index = index
    }

    var isEmpty: Bool { numbers.isEmpty }

    /// All queries, in the order of their windows' numbers.
    var queries: [Query] { windows.compactMap { $0?.query } }

    subscript(query: Query) -> QueryWindow? {
        numbers[query].flatMap { windows[$0] }
    }

    mutating func insert(_ window: QueryWindow) {
        if let number = numbers[window.query] {
            windows[number] = window
            return
        }
        let number: Int
        if let free = freeNumbers.popLast() {
            number = free
            windows[number] = window
        } else {
            number = windows.count
            windows.append(window)
        }
        numbers[window.query] = number
        if let point = point(of: window.range) {
            points[point, default: []].append(number)
        } else {
            ranges.append((window.range, number))
        }
    }

    mutating func remove(_ query: Query) {
        guard let number = numbers.removeValue(forKey: query), let window = windows[number] else { return }
        windows[number] = nil
        freeNumbers.append(number)
        if let point = point(of: window.range) {
            points[point]?.removeAll { $0 == number }
            if points[point]?.isEmpty == true { points[point] = nil }
        } else {
            ranges.removeAll { $0.number == number }
        }
    }

    /// Visits every window.
    mutating func updateAll(_ body: (inout QueryWindow) -> Void) {
        for number in windows.indices { update(number, body) }
    }

    /// Visits each window that some of `changes` may concern, with those.
    mutating func update(concernedBy changes: [IndexedChange], _ body: (inout QueryWindow, [IndexedChange]) -> Void) {
        // A child that neither was nor is in the range is none of a window's business.
        for place in ranges.indices where ranges[place].range.containsAny(of: changes) {
            update(ranges[place].number) { body(&$0, changes) }
        }
        if points.isEmpty { return }
        var concerned: [Int] = []
        var changesOf: [Int: [IndexedChange]] = [:]
        for change in changes {
            let old = change.old.map(point(of:))
            let new = change.new.map(point(of:))
            for point in [old, new == old ? nil : new] {
                guard let point, let numbers = points[point] else { continue }
                for number in numbers {
                    if changesOf[number] == nil { concerned.append(number) }
                    changesOf[number, default: []].append(change)
                }
            }
        }
        for number in concerned { update(number) { body(&$0, changesOf[number] ?? []) } }
    }

    private mutating func update(_ number: Int, _ body: (inout QueryWindow) -> Void) {
        windows[number]?.update(with: body)
    }

    // MARK: - Points

    /// A single value, or a single key under the key index.
    private enum IndexEntryPoint: Hashable, Sendable {
        case value(ValueOrder)
        case key(Key)
    }

    private func point(of entry: IndexEntry) -> IndexEntryPoint {
        index == .key ? .key(entry.key) : .value(entry.value)
    }

    private func point(of range: IndexRange) -> IndexEntryPoint? {
        guard let lower = range.lower, let upper = range.upper, lower.value == upper.value else { return nil }
        if index != .key { return .value(lower.value) }
        guard case .key(let key) = lower.key, lower.key == upper.key else { return nil }
        return .key(key)
    }
}

extension QueryWindow {
    /// Changes a window where it is kept.
    fileprivate mutating func update(with body: (inout QueryWindow) -> Void) { body(&self) }
}

extension IndexRange {
    fileprivate func containsAny(of changes: [IndexedChange]) -> Bool {
        changes.contains { change in
            change.old.map(contains) ?? false || change.new.map(contains) ?? false
        }
    }
}
