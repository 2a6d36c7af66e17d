import DataTree
import WireProtocol

/// A request that has no session: one read or write over HTTP, with all that it needs.
///
/// It takes the same road as the requests of sessions: the same order, rules and durability. Its answer is a `CallAnswer` for
/// the connection that it came on.
package struct Call: Sendable {
    package enum Operation: Sendable {
        case read(CallRead)
        case write(CallWrite)
        case lease(LeaseRequest)
    }

    package var credential: CallCredential
    /// It came in on the administrators' listener.
    package var isAdministrative: Bool
    package var operation: Operation

    package init(credential: CallCredential, isAdministrative: Bool = false, operation: Operation) {
        self.credential = credential
        self.isAdministrative = isAdministrative
        self.operation = operation
    }

    var isWrite: Bool {
        switch operation {
        case .read: false
        case .write: true
        case .lease(let request): request.isWrite
        }
    }
}

/// What a read wants.
package struct CallRead: Sendable {
    /// May end in `.priority`.
    package var path: Path
    package var query: Query
    /// The children alone, each as `true`: all of them, or those of a page.
    package var shallow: RestRequest.Shallow?
    /// Whether the answer shall have the node's hash.
    package var wantsHash: Bool

    package init(path: Path, query: Query = .default, shallow: RestRequest.Shallow? = nil, wantsHash: Bool = false) {
        self.path = path
        self.query = query
        self.shallow = shallow
        self.wantsHash = wantsHash
    }
}

/// What a write does.
package struct CallWrite: Sendable {
    package enum Change: Sendable {
        /// Replaces the node; empty removes it.
        case put(Node)
        /// Replaces the named nodes below the path, all at once.
        case update([(Path, Node)])
        /// Adds a child under a key that the hub makes.
        case push(Node)
    }

    package var path: Path
    package var change: Change
    /// Writes only if the node at the path has this hash; the empty text stands for no node.
    package var expectedHash: String?
    /// Whether the answer shall have the hash of what was written.
    package var wantsHash: Bool
    /// How much it may change; nil leaves it to the database's setting.
    package var sizeLimit: WriteSizeLimit?
    /// The length of the request's body, which counts towards its size.
    package var bodyBytes: Int
    /// What of it is large, as the log will hold it.
    var prepared: [PreparedText] = []

    package init(
        path: Path, change: Change, expectedHash: String? = nil, wantsHash: Bool = false,
        sizeLimit: WriteSizeLimit? = nil, bodyBytes: Int = 0
    ) {
        self.bodyBytes = bodyBytes
        self.path = path
        self.change = change
        self.expectedHash = expectedHash
        self.wantsHash = wantsHash
        self.sizeLimit = sizeLimit
    }
}

/// Who asks, as the request says it.
package struct CallCredential: Sendable {
    /// As whom an administrator wants to be seen by rules.
    package enum Override: Sendable {
        case nobody
        case variable(Node)
    }

    /// The `auth` argument: an ID token, or the administrator's secret. Never logged.
    package var token: String?
    /// A bearer token or the `access_token` argument: administrators only. Never logged.
    package var bearer: String?
    package var override: Override?

    package init(token: String? = nil, bearer: String? = nil, override: Override? = nil) {
        self.token = token
        self.bearer = bearer
        self.override = override
    }
}

/// What a call is answered.
package enum CallAnswer: Sendable {
    /// What was read, and its hash if that was wanted; the empty text for nothing.
    case value(Node, hash: String?)
    /// Of the children of an object the query selects none.
    case emptyWindow(hash: String?)
    /// What was written, server values resolved.
    case written(CallWritten, hash: String?)
    /// The hash that was expected is not that of the node.
    case conflict(Node, hash: String)
    /// The lease lasts: until when by the hub's clock, in milliseconds since 1970, and how long without being renewed, in
    /// milliseconds. Clients do well to renew it after two thirds of that.
    case lease(expires: Int64, ttl: Int64, isNew: Bool)
    case leaseEnded
    /// Who asks holds no lease there.
    case noLease
    case refused(CallRefusal)
}

package enum CallWritten: Sendable {
    case node(Node)
    case changes([(Path, Node)])
    /// The key of a pushed child.
    case name(Key)
}

/// Why a call is refused. The texts reach the client.
package enum CallRefusal: Error, Equatable, Sendable {
    /// The credential proves nothing.
    case unauthenticated(String)
    /// Rules do not allow it.
    case denied
    /// It makes no sense.
    case invalid(String)
    /// It would change more than it may.
    case tooMuch
    /// Nothing can be stored, or the namespace cannot be opened now.
    case unavailable(String)
}
