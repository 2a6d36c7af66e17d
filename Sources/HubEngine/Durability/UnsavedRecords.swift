import DataTree
import Storage

/// What has changed beside the tree since the state store was last told.
package struct UnsavedRecords: Sendable {
    var sessions: Set<SessionID> = []
    var writeIDs = TextSet()
    var lastSeen = TextSet()
    /// Numbers of versions.
    var rules: Set<UInt32> = []
    var settings = TextSet()

    init() {}

    var isEmpty: Bool { sessions.isEmpty && writeIDs.isEmpty && lastSeen.isEmpty && rules.isEmpty && settings.isEmpty }

    mutating func formUnion(_ other: UnsavedRecords) {
        sessions.formUnion(other.sessions)
        writeIDs.formUnion(other.writeIDs)
        lastSeen.formUnion(other.lastSeen)
        rules.formUnion(other.rules)
        settings.formUnion(other.settings)
    }
}

/// A set of names that differ when their bytes do: a set of `String` takes two for one that are only canonically equal.
struct TextSet: Sendable {
    private var texts: Set<Text> = []

    var isEmpty: Bool { texts.isEmpty }

    mutating func insert(_ name: String) { texts.insert(Text(name)) }
    mutating func formUnion(_ other: TextSet) { texts.formUnion(other.texts) }

    /// In an order that depends on nothing but the names.
    func sorted() -> [String] { texts.sorted().map(\.string) }
}
