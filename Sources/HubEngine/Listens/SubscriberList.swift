import WireProtocol

/// The sessions with a default listen at one place, kept as one list of connections for each gateway loop, so that a
/// change is handed to a loop with a reference to the list and costs the engine nothing per listener.
struct SubscriberList {
    private var lists: [PerLoop] = []

    private struct PerLoop {
        let loop: UInt16
        var connections: [ConnectionID]
        var listens: [SessionListen]
        /// The list as loops see it, made when first needed after a change.
        var shared: ConnectionList?
    }

    var isEmpty: Bool { lists.isEmpty }

    var count: Int { lists.reduce(0) { $0 + $1.connections.count } }

    /// Adds a listen at the end of its loop's list and tells it its place there.
    mutating func append(_ listen: SessionListen) {
        let connection = listen.session.connection
        if let index = lists.firstIndex(where: { $0.loop == connection.loop }) {
            listen.place = lists[index].listens.count
            lists[index].shared = nil
            lists[index].connections.append(connection)
            lists[index].listens.append(listen)
        } else {
            listen.place = 0
            lists.append(PerLoop(loop: connection.loop, connections: [connection], listens: [listen]))
        }
    }

    /// Removes a listen; the last one of its loop's list moves to its place and is told so.
    mutating func remove(_ listen: SessionListen) {
        let (loop, place) = (listen.session.connection.loop, listen.place)
        guard let index = lists.firstIndex(where: { $0.loop == loop }),
            place < lists[index].listens.count, lists[index].listens[place] === listen
        else { return }
        lists[index].shared = nil
        let last = lists[index].listens.count - 1
        lists[index].connections.swapAt(place, last)
        lists[index].listens.swapAt(place, last)
        lists[index].listens[place].place = place
        lists[index].connections.removeLast()
        lists[index].listens.removeLast()
        if lists[index].listens.isEmpty { lists.remove(at: index) }
    }

    mutating func forEachList(_ body: (UInt16, ConnectionList) -> Void) {
        for index in lists.indices {
            let shared = lists[index].shared ?? ConnectionList(lists[index].connections)
            lists[index].shared = shared
            body(lists[index].loop, shared)
        }
    }

    func forEachSession(_ body: (Session) -> Void) {
        for list in lists { for listen in list.listens { body(listen.session) } }
    }
}
