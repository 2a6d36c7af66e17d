import DataTree

/// When and why the last connection of each user went. Bounded in number; who left longest ago is forgotten first.
package struct LastSeenTable: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        package var at: Int64
        package var reason: String
    }

    private var entries: [Text: Entry] = [:]
    /// Users in the order in which they left, with stale places for those who left again.
    private var order: [(uid: Text, at: Int64)] = []
    private var head = 0

    package init() {}

    package var count: Int { entries.count }

    package subscript(uid: String) -> Entry? { entries[Text(uid)] }

    package mutating func set(_ uid: String, _ entry: Entry) {
        entries[Text(uid)] = entry
        order.append((Text(uid), entry.at))
    }

    /// Puts back what a refused commit had changed.
    package mutating func restore(_ uid: String, _ entry: Entry?) {
        entries[Text(uid)] = entry
        if let entry { order.append((Text(uid), entry.at)) }
    }

    /// Puts back whom a refused commit had forgotten, as the one who left longest ago.
    package mutating func restoreForgotten(_ uid: String, _ entry: Entry) {
        entries[Text(uid)] = entry
        order.insert((Text(uid), entry.at), at: head)
    }

    /// Forgets what is beyond `limit` and tells whom, those who left longest ago first.
    package mutating func trim(to limit: Int) -> [(uid: String, entry: Entry)] {
        var forgotten: [(uid: String, entry: Entry)] = []
        while entries.count > limit, head < order.count {
            let oldest = order[head]
            head += 1
            if let entry = entries[oldest.uid], entry.at == oldest.at {
                entries[oldest.uid] = nil
                forgotten.append((oldest.uid.string, entry))
            }
        }
        if head > 1024 && head > order.count / 2 || order.count > 2 * entries.count + 1024 {
            order = order[head...].filter { entries[$0.uid]?.at == $0.at }
            head = 0
        }
        return forgotten
    }

    /// By user id, so that the result does not depend on a hash table's order.
    package var all: [(uid: String, entry: Entry)] {
        entries.sorted { $0.key < $1.key }.map { ($0.key.string, $0.value) }
    }

    package static func == (left: LastSeenTable, right: LastSeenTable) -> Bool { left.entries == right.entries }
}
