import DataTree

/// What a client says, decoded (`protocol/websocket.md`, "Messages" and "Requests").
package enum ClientMessage: Sendable {
    /// The text `0`.
    case keepAlive
    /// A control ping; answered with `ServerMessage.pong`.
    case ping
    /// Control `a`: the client goes on with this transport (`protocol/long-polling.md`, "Going on with a WebSocket").
    case switchAcknowledged
    /// Control `n`: the client sends nothing more on this transport.
    case transmissionEnded
    /// Any other control message; ignored.
    case control
    /// A request; answered exactly once, in order.
    case request(Request)
}

/// One request of a client.
package struct Request: Sendable {
    /// The client's number for it, returned with the answer. Any integer; Android begins at 0.
    package var number: Int
    package var action: Action

    package init(number: Int, action: Action) {
        self.number = number
        self.action = action
    }
}

/// What a request asks for. Paths and data have been checked against the limits that were given to the decoder.
package enum Action: Sendable {
    /// `s`: counters of the SDK; answered, otherwise ignored.
    case stats
    /// `auth` and `gauth`.
    indirect case authenticate(Credential)
    /// `unauth`.
    case unauthenticate
    /// `appcheck`; nothing is enforced.
    case appCheck
    /// `unappcheck` or `unappeck`.
    case unAppCheck
    /// `echo`: the payload comes back.
    case echo(Node)
    /// `q`.
    indirect case listen(Listen)
    /// `n`.
    indirect case unlisten(path: Path, query: Query, tag: Int?)
    /// `g`.
    indirect case get(path: Path, query: Query)
    /// `p`. The path may end in `.priority`; the value is then a leaf without priority, or empty. `hash` makes it a transaction.
    case put(path: Path, value: Node, hash: String?, writeID: String?)
    /// `m`. The paths of the changes are relative to `path`, may end in `.priority`, and do not contain each other.
    case merge(path: Path, changes: [(Path, Node)], hash: String?, writeID: String?)
    /// `o`.
    case onDisconnectPut(path: Path, value: Node)
    /// `om`.
    case onDisconnectMerge(path: Path, changes: [(Path, Node)])
    /// `oc`.
    case onDisconnectCancel(path: Path)
    /// A well-formed request with a body that its action cannot have: answered with the status, the connection stays open.
    indirect case invalid(status: Status, reason: String)
    /// An action that is not in the table: answered with `Status.unknownAction`.
    case unknown(String)
}

/// A request for a node or a query window and all its changes.
package struct Listen: Sendable {
    package var path: Path
    package var query: Query
    /// The client's number for a listen with a query that filters; nil for a whole node.
    package var tag: Int?
    /// The hash of what the client has; empty for nothing.
    package var hash: String
    /// Hashes of ranges of what the client has (iOS, Android, Admin Java).
    package var compoundHash: CompoundHash?
    /// The query object exactly as the client wrote it, for `ServerMessage.listenRevoked`; nil when the body had none.
    package var queryText: [UInt8]?

    package init(
        path: Path, query: Query = .default, tag: Int? = nil, hash: String = "", compoundHash: CompoundHash? = nil,
        queryText: [UInt8]? = nil
    ) {
        self.path = path
        self.query = query
        self.tag = tag
        self.hash = hash
        self.compoundHash = compoundHash
        self.queryText = queryText
    }
}

/// Who a client says it is.
package struct Credential: Sendable {
    package enum Kind: Sendable {
        /// `auth`: an ID token.
        case auth
        /// `gauth`: an access token, a secret, or the word `owner`.
        case gauth
    }

    package var kind: Kind
    /// The secret itself. Never logged.
    package var token: String
    /// The identity that rules shall see instead of an administrator's bypass.
    package var authVariable: Node?
    /// The override was explicitly nobody: rules shall see no identity.
    package var noAuth: Bool

    package init(kind: Kind, token: String, authVariable: Node? = nil, noAuth: Bool = false) {
        self.kind = kind
        self.token = token
        self.authVariable = authVariable
        self.noAuth = noAuth
    }
}
