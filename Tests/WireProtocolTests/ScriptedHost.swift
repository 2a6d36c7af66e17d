import TestSupport

/// A host that says what a test told it to, to check the replayer itself.
final class ScriptedHost: ConversationHost {
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    final class Connection: ConversationConnection {
        var events: [ConversationEvent]
        var sent: [String] = []
        var ended: ConversationEnding?
        var response: (status: Int, headers: [(name: String, value: String)])?

        init(_ events: [ConversationEvent]) { self.events = events }

        func send(text: String) { sent.append(text) }
        func receive(within: Duration) -> ConversationEvent { events.isEmpty ? .nothing : events.removeFirst() }
        func end(_ how: ConversationEnding) { ended = how }
    }

    var capabilities: Set<String> = []
    let defaultHost = "hub.test:9000"
    let milliseconds: Int64 = 1_767_225_600_000
    var connections: [Connection]
    private(set) var targets: [String] = []
    private(set) var headers: [[(name: String, value: String)]] = []
    private var opened = 0
    private var namespaces = 0

    init(_ scripts: [ConversationEvent]...) { connections = scripts.map(Connection.init) }

    func wait(_ duration: Duration) {}

    func emptyNamespace() -> String {
        namespaces += 1
        return "c\(namespaces)"
    }

    func open(target: String, headers: [(name: String, value: String)]) throws -> any ConversationConnection {
        targets.append(target)
        self.headers.append(headers)
        guard opened < connections.count else { throw Refused(description: "status 404") }
        opened += 1
        return connections[opened - 1]
    }

    static let greeting = ConversationEvent.text(
        #"{"t":"c","d":{"t":"h","d":{"ts":1767225600001,"v":"5","h":"hub.test:9000","s":"session1","w":1}}}"#)
}
