import DataTree
import Storage

/// What a database durably is: the tree and what belongs to it. Recovery builds it from the state store and redoes the
/// log on it.
package struct DurableImage: Sendable, Equatable {
    /// A session that the log knows and that has not ended.
    package struct RecordedSession: Sendable, Equatable {
        package var transport: String
        package var agent: String
        package var since: Int64
        package var identity: Identity = .anonymous
        package var onDisconnect = OnDisconnectTree()
    }

    package var tree: Node = .empty
    private var missing = MissingPriorities()
    package var sessions: [SessionID: RecordedSession] = [:]
    package var writeIDs = WriteIDTable()
    package var lastSeen = LastSeenTable()
    package var rules = RulesHistory()
    package var settings = NamespaceSettings()
    /// How many times the database has been started.
    package var incarnation: UInt32 = 0
    /// The newest time of any commit: time never goes back.
    package var newestTime: Int64 = 0
    /// What the log changed since the state store was last told: its next pass must tell it, or trimming the log would lose it.
    package private(set) var redone = UnsavedRecords()

    package init() {}

    init(tree: Node, orphanPriorities: [(path: Path, priority: Priority)]) {
        self.tree = tree
        missing = MissingPriorities(orphanPriorities)
    }

    /// Whether both hold the same. How much of it the state store knows is no part of that.
    package static func == (left: DurableImage, right: DurableImage) -> Bool {
        left.tree == right.tree && left.sessions == right.sessions && left.writeIDs == right.writeIDs
            && left.lastSeen == right.lastSeen && left.rules == right.rules
            && left.settings == right.settings && left.incarnation == right.incarnation
            && left.newestTime == right.newestTime
    }

    /// Does again what a group commit did. The outcome does not depend on how much of it was there before.
    package mutating func redo(_ entry: LogEntry) {
        for record in entry.records {
            switch record {
            case .started(let number):
                incarnation = max(incarnation, number)
            case .sessionStarted(let id, let transport, let agent, let since):
                redone.sessions.insert(id)
                if sessions[id] == nil {
                    sessions[id] = RecordedSession(transport: transport, agent: agent, since: since)
                }
            case .signedIn(let id, let identity):
                redone.sessions.insert(id)
                sessions[id]?.identity = identity
            case .sessionEnded(let id, _):
                redone.sessions.insert(id)
                sessions[id] = nil
            case .commit(let commit):
                newestTime = max(newestTime, commit.time)
                for mutation in commit.mutations { missing.redo(mutation, in: &tree) }
                if let id = commit.writeID {
                    redone.writeIDs.insert(id)
                    writeIDs.insert(id, time: commit.time)
                }
            case .onDisconnectSet(let id, let path, let value):
                redone.sessions.insert(id)
                sessions[id]?.onDisconnect.set(value, at: path)
            case .onDisconnectCancelled(let id, let path):
                redone.sessions.insert(id)
                sessions[id]?.onDisconnect.cancel(at: path)
            case .lastSeen(let uid, let time, let reason):
                redone.lastSeen.insert(uid)
                lastSeen.set(uid, LastSeenTable.Entry(at: time, reason: reason))
            case .rules(let version):
                newestTime = max(newestTime, version.time)
                redone.rules.insert(version.number)
                redone.rules.formUnion(rules.add(version))
            case .setting(let name, let text):
                redone.settings.insert(name)
                settings[name] = text
            }
        }
    }
}
