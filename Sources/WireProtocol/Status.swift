// Generated from protocol/errors.json by scripts/generate-catalogues; change the catalogue, not this file.

/// How a hub answers a request; the raw value is what travels (`protocol/websocket.md`, "Statuses").
package enum Status: String, CaseIterable, Sendable {
    /// The request was carried out. The payload depends on the action.
    case ok = "ok"
    /// The rules refuse the read or the write.
    case permissionDenied = "permission_denied"
    /// A put with a hash, and the node at the path has another one.
    case dataStale = "datastale"
    /// `auth`, `gauth` or `appcheck` with a credential that is no token of this project, or a push `ac` after the account was disabled.
    case invalidToken = "invalid_token"
    /// `auth` with a token that has expired, or a push `ac` at the moment it expires.
    case expiredToken = "expired_token"
    /// A body that is no body of its action: a key with a forbidden character, more than 32 levels, `.value` beside children, an unknown server value, paths of one update that contain each other, a write under `.info`.
    case invalidData = "invalid_data"
    /// A listen, an unlisten or a get whose query has a part of the wrong kind.
    case invalidQuery = "invalid_query"
    /// An answer of more than 9,999 segments, or a request above the hub's message limit.
    case tooBig = "too_big"
    /// One more listen, onDisconnect operation or the like than the hub's settings allow.
    case limitExceeded = "limit_exceeded"
    /// The write is certainly not stored (the disk is full, say), or the hub is stopping.
    case unavailable = "unavailable"
    /// A request whose action this hub does not know.
    case unknownAction = "unknown_action"
    /// Anything else that went wrong on the hub's side.
    case failure = "failure"

    /// What a refusal says when nothing more precise is known; empty for `ok`.
    package var text: String {
        switch self {
        case .ok: ""
        case .permissionDenied: "Permission denied"
        case .dataStale: "Transaction hash does not match"
        case .invalidToken: "The token cannot be verified; sign in again"
        case .expiredToken: "Auth token is expired."
        case .invalidData: "The data cannot be stored"
        case .invalidQuery: "The query cannot be understood"
        case .tooBig: "The data exceeds what one request may carry; ask for less with a query or write in smaller parts"
        case .limitExceeded: "A limit of this database is reached"
        case .unavailable: "The database cannot take writes now; try again later"
        case .unknownAction: "Unknown action"
        case .failure: "The hub failed to carry out the request"
        }
    }
}
