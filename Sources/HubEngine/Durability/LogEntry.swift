import DataTree
import Storage

/// One group commit: what a batch of proposals made durable, in order. It holds outcomes, never requests, so that
/// applying it again needs nothing but the entry.
package struct LogEntry: Sendable, Equatable {
    package enum Record: Sendable, Equatable {
        /// The database was started for the nth time; its sessions are named after that.
        case started(incarnation: UInt32)
        /// A session enters the log, with what presence and operators need to know of it.
        case sessionStarted(SessionID, transport: String, agent: String, since: Int64)
        /// Whom the session acts for from here on.
        case signedIn(SessionID, Identity)
        case sessionEnded(SessionID, reason: String)
        /// All writes of one request, or of one session's end: all or nothing.
        case commit(Commit)
        case onDisconnectSet(SessionID, Path, Node)
        case onDisconnectCancelled(SessionID, Path)
        /// When and why the last connection of a user went.
        case lastSeen(uid: String, at: Int64, reason: String)
        /// Rules that are in force from here on.
        case rules(RulesVersion)
        /// A setting of the namespace; a text of nil forgets it.
        case setting(name: String, text: String?)
    }

    package struct Commit: Sendable, Equatable {
        package var time: Int64
        /// The session that wrote, and the user it acted for.
        package var session: SessionID?
        package var author: String?
        /// The id by which the client would send the write again.
        package var writeID: String?
        /// Absolute: each names the highest node whose existence, kind or priority changed, with its new content.
        package var mutations: [Mutation]
    }

    package struct Mutation: Sendable, Equatable {
        package var path: Path
        package var node: Node
    }

    package var records: [Record]

    package init(records: [Record] = []) { self.records = records }

    package var isEmpty: Bool { records.isEmpty }
}
