import WireProtocol

/// The sessions with a default listen at one place, kept as one list of connections for each gateway loop, so that a
/// change is handed to a loop with a reference to the list and costs the engine nothing per listener.
struct SubscriberList {
    private var lists: [PerLoop] = []

    private struct PerLoop {
        let loop: UInt16
        var connections: [ConnectionID]
        var sessions: [Session]
        /// The list as loops see it, made when first needed after a change.
        var shared: ConnectionList?
    }

    var isEmpty: Bool { lists.isEmpty }

    var count: Int { lists.reduce(0) { $0 + $1.connections.count } }

    /// Adds a session at the end of its loop's list and tells its place there.
    mutating func append(_ session: Session) -> Int {
        let loop = session.connection.loop
        if let index = lists.firstIndex(where: { $0.loop == loop }) {
            lists[index].shared = nil
            lists[index].connections.append(session.connection)
            lists[index].sessions.append(session)
            return lists[index].connections.count - 1
        }
        lists.append(PerLoop(loop: loop, connections: [session.connection], sessions: [session]))
        return 0
    }

    /// Removes the session at `place` of its loop's list; the last one of the list moves there and is returned.
    mutating func remove(_ session: Session, at place: Int) -> Session? {
        guard let index = lists.firstIndex(where: { $0.loop == session.connection.loop }),
            place < lists[index].sessions.count, lists[index].sessions[place] === session
        else { return nil }
        lists[index].shared = nil
        let last = lists[index].sessions.count - 1
        lists[index].connections.swapAt(place, last)
        lists[index].sessions.swapAt(place, last)
        lists[index].connections.removeLast()
        lists[index].sessions.removeLast()
        if lists[index].sessions.isEmpty {
            lists.remove(at: index)
            return nil
        }
        return place < lists[index].sessions.count ? lists[index].sessions[place] : nil
    }

    mutating func forEachList(_ body: (UInt16, ConnectionList) -> Void) {
        for index in lists.indices {
            let shared = lists[index].shared ?? ConnectionList(lists[index].connections)
            lists[index].shared = shared
            body(lists[index].loop, shared)
        }
    }

    func forEachSession(_ body: (Session) -> Void) {
        for list in lists { list.sessions.forEach(body) }
    }
}
