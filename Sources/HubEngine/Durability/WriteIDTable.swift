import DataTree

/// The ids of writes that were applied, so that one sent again after a lost answer is not applied twice. Bounded in
/// number and time; what is oldest goes first.
package struct WriteIDTable: Sendable, Equatable {
    private var times: [Text: Int64] = [:]
    /// Oldest first; entries before `head` are gone.
    private var order: [Text] = []
    private var head = 0

    package init() {}

    package var count: Int { times.count }

    package func contains(_ id: String) -> Bool { times[Text(id)] != nil }

    /// Remembers `id` as the newest one. One that is there already is so only in redo, which knows ids that the run before had
    /// forgotten.
    package mutating func insert(_ id: String, time: Int64) {
        let text = Text(id)
        if times.updateValue(time, forKey: text) != nil, let index = order[head...].firstIndex(of: text) {
            order.remove(at: index)
        }
        order.append(text)
    }

    /// Forgets `id`, which was inserted by a commit that is not to be.
    package mutating func remove(_ id: String) {
        let text = Text(id)
        guard times.removeValue(forKey: text) != nil else { return }
        if let index = order[head...].lastIndex(of: text) { order.remove(at: index) }
    }

    /// Puts back an id that a refused commit had forgotten, as the oldest one.
    package mutating func restoreForgotten(_ id: String, time: Int64) {
        let text = Text(id)
        if times.updateValue(time, forKey: text) == nil { order.insert(text, at: head) }
    }

    /// Forgets what is beyond the limits and tells which, oldest first.
    package mutating func trim(limits: Limits, now: Int64) -> [(id: String, time: Int64)] {
        var forgotten: [(id: String, time: Int64)] = []
        while head < order.count, let time = times[order[head]],
            times.count > limits.rememberedWriteIDs || now - time > limits.writeIDLifetime
        {
            times[order[head]] = nil
            forgotten.append((order[head].string, time))
            head += 1
        }
        if head > 1024 && head > order.count / 2 {
            order.removeFirst(head)
            head = 0
        }
        return forgotten
    }

    package func time(of id: String) -> Int64? { times[Text(id)] }

    /// Oldest first.
    package var entries: [(id: String, time: Int64)] {
        order[head...].map { ($0.string, times[$0] ?? 0) }
    }

    package static func == (left: WriteIDTable, right: WriteIDTable) -> Bool { left.times == right.times }
}
