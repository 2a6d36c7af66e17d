import Storage

/// What has changed beside the tree since the state store was last told.
struct UnsavedRecords {
    var sessions: Set<SessionID> = []
    var writeIDs: Set<String> = []
    var lastSeen: Set<String> = []

    var isEmpty: Bool { sessions.isEmpty && writeIDs.isEmpty && lastSeen.isEmpty }

    mutating func formUnion(_ other: UnsavedRecords) {
        sessions.formUnion(other.sessions)
        writeIDs.formUnion(other.writeIDs)
        lastSeen.formUnion(other.lastSeen)
    }
}
