/// Takes the events of the sessions of one namespace.
package protocol SessionEventSink: AnyObject, Sendable {
    /// Appends events in order. Callable from any loop's thread; does not wait for their effect.
    func post(_ events: [SessionEvent])

    /// Events that were posted and are not handled yet. While this is high, loops stop reading from the clients of this
    /// namespace, so that a flood fills the clients' sockets and not the hub's memory. Callable from any thread.
    var backlog: Int { get }
}

extension SessionEventSink {
    package var backlog: Int { 0 }
}

/// Finds the namespace for a new connection.
package protocol SessionRouter: AnyObject, Sendable {
    /// The namespace's sink, or why a client cannot have it. `namespace` is the resolved name, as written by the client.
    func route(namespace: String) -> Result<any SessionEventSink, NamespaceRefusal>
}

/// Why a connection to a namespace is refused. The text reaches the client.
package enum NamespaceRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name does not fit `[A-Za-z0-9][A-Za-z0-9_-]{0,63}`, or is reserved.
    case invalidName(String)
    /// No such namespace, and this hub does not make one on first use.
    case unknown(String)
    /// The hub has as many namespaces as it may have.
    case tooMany(limit: Int)
    /// It is being deleted.
    case leaving(String)
    /// The hub is stopping.
    case stopping

    /// The HTTP status that goes with the refusal.
    package var status: Int {
        switch self {
        case .invalidName: 400
        case .unknown: 404
        case .tooMany, .leaving, .stopping: 503
        }
    }

    package var description: String {
        switch self {
        case .invalidName(let name):
            "namespace name '\(name.prefix(64))' is not allowed: use letters, digits, '_' and '-', at most 64, "
                + "beginning with a letter or digit"
        case .unknown(let name):
            "namespace '\(name)' does not exist: create it with `hearth namespace create \(name)` "
                + "or start the hub with `--namespace \(name)`"
        case .tooMany(let limit):
            "this hub holds its maximum of \(limit) namespaces: delete one or raise --max-namespaces"
        case .leaving(let name):
            "namespace '\(name)' is being deleted: try again in a few seconds"
        case .stopping:
            "this hub is stopping: connect again in a few seconds"
        }
    }
}
