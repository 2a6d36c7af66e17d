import DataTree
import WireProtocol

/// Signing in and out, and identities that end.
extension Engine {
    func authenticate(_ session: Session, _ number: Int, _ credential: Credential) {
        let identity: Identity
        do {
            identity = try configuration.authenticator.identity(
                for: credential, now: now, isAdministrative: session.opening.isAdministrative)
        } catch {
            metrics.denied["auth"].add()
            notify(session, ServerMessage.refusal(number, error.status, reason: error.text))
            return
        }
        notify(session, Self.answer(number, for: identity))
        change(session, to: identity)
    }

    func unauthenticate(_ session: Session, _ number: Int) {
        notify(session, ServerMessage.ok(number))
        change(session, to: .anonymous)
    }

    /// What `auth` is answered: the `auth` variable that rules see, and when it ends, in seconds
    /// (as seen from the production service; SDKs ignore it).
    private static func answer(_ number: Int, for identity: Identity) -> Frame {
        guard let auth = identity.asRulesSeeIt.auth else {
            return ServerMessage.authenticated(number, identity: nil, expires: nil)
        }
        var writer = JSONWriter()
        writer.node(auth)
        return ServerMessage.authenticated(
            number, identity: writer.bytes, expires: identity.expiry.map { $0 / 1000 })
    }

    /// A session acts for somebody else from here on: presence follows, and every listen is judged again.
    func change(_ session: Session, to identity: Identity) {
        let previous = session.lastVerifiedIdentity
        let isOtherUser = previous.userID != identity.userID
        if isOtherUser { leavePresence(session, .closedByClient) }
        session.expired = nil
        session.identity = identity
        if previous != identity {
            session.isIdentityRecorded = false
            if session.isRecorded { record(session) }
        }
        if isOtherUser { joinPresence(session) }
        if let expiry = identity.expiry { earliestExpiry = min(earliestExpiry, expiry) }
        rejudgeAllListens(of: session, canBeTakenBack: false)
    }

    /// Tells sessions whose token has expired, and makes them anonymous (`protocol/websocket.md`, "Signing in").
    func expireIdentities() {
        guard earliestExpiry <= now else { return }
        earliestExpiry = .max
        for session in sessions.values.sorted(by: { $0.connection.packed < $1.connection.packed }) {
            guard let expiry = session.identity.expiry else { continue }
            if expiry > now {
                earliestExpiry = min(earliestExpiry, expiry)
                continue
            }
            notify(session, ServerMessage.authRevoked(.expiredToken))
            session.expired = session.identity
            session.identity = .anonymous
            rejudgeAllListens(of: session, canBeTakenBack: false)
        }
    }
}
