/// Where a conversation is replayed: an engine in memory, a hub on a port, a client.
///
/// The replayer is synchronous: each call returns when it is done or its time is up.
package protocol ConversationHost {
    /// What this host can do beyond exchanging texts; a conversation that needs more is skipped. See
    /// `protocol/conversations/README.md`, "needs".
    var capabilities: Set<String> { get }
    /// The value of the `Host` header when a conversation does not give one.
    var defaultHost: String { get }
    /// The hub's clock in milliseconds.
    var milliseconds: Int64 { get }
    /// The administrator's secret, for conversations that need `secret`; `$secret` in them.
    var administratorSecret: String? { get }
    /// Lets time pass.
    func wait(_ duration: Duration)
    /// The name of a namespace that nothing was stored in.
    func emptyNamespace() throws -> String
    /// Opens a connection.
    /// - Parameters:
    ///   - target: path and query, such as `/.ws?v=5&ns=c1`; the path is `/.lp` for a client that polls.
    ///   - headers: names as written in the conversation; `Host` is always among them.
    func open(target: String, headers: [(name: String, value: String)]) throws -> any ConversationConnection
}

extension ConversationHost {
    package var administratorSecret: String? { nil }
}

/// One connection of a conversation.
package protocol ConversationConnection: AnyObject {
    /// Sends one WebSocket text message.
    func send(text: String) throws
    /// What came next: a WebSocket text message (a count and each segment are messages of their own), the end of the
    /// connection, or nothing within the time.
    func receive(within: Duration) throws -> ConversationEvent
    /// Ends the connection from the client's side.
    func end(_ how: ConversationEnding) throws
    /// Status and headers of the answer to the upgrade, names in lower case; nil when the host has none.
    var response: (status: Int, headers: [(name: String, value: String)])? { get }
    /// Whether the end comes with a code, where the hub has one.
    var showsCloseCodes: Bool { get }
}

extension ConversationConnection {
    package var showsCloseCodes: Bool { true }
    package var response: (status: Int, headers: [(name: String, value: String)])? { nil }
}

/// What a connection of a conversation received.
package enum ConversationEvent: Sendable {
    case text(String)
    /// The other side ended the connection; the code of its close frame, if there was one.
    case closed(code: Int?)
    /// The time was up.
    case nothing
}

/// How a client ends a connection; the raw value stands in the conversation.
package enum ConversationEnding: String, Sendable {
    /// A WebSocket close frame.
    case close
    /// FIN without a close frame.
    case end
    /// RST.
    case reset
    /// Nothing at all: the peer is gone and answers no more.
    case vanish
}
