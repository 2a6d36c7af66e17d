import DataTree
import WireProtocol

/// Why a credential was not accepted. The text reaches the client as the answer's `d`.
package enum AuthenticationFailure: Error, Equatable, Sendable {
    /// Not a token that this hub accepts: the sentence says what is wrong and what would be accepted.
    case invalid(String)
    /// A token that was good once. Both times are seconds since 1970.
    case expired(at: Int64, now: Int64)
    /// A token from the future. Both times are seconds since 1970.
    case early(at: Int64, now: Int64)

    package var status: Status {
        switch self {
        case .invalid, .early: .invalidToken
        case .expired: .expiredToken
        }
    }

    package var text: String {
        switch self {
        case .invalid(let reason): reason
        case .expired(let at, let now):
            "The token expired at \(at) (seconds since 1970); the server's time is \(now). Sign in again or refresh it."
        case .early(let at, let now):
            "The token is used before it is valid: it was issued at \(at) (seconds since 1970); the server's time is \(now)."
                + " Set the clock of the machine that issues tokens."
        }
    }
}

/// Turns credentials into identities, by the rules of the hub's mode.
///
/// In `--dev` the literal token `owner` is the administrator and unsigned (`alg: none`) ID tokens are users, as SDKs in
/// emulator mode send them. In production the administrator's secret is the only credential until accounts exist.
package struct Authenticator: Sendable {
    /// Who may vouch for whom.
    package enum Mode: Sendable, Equatable {
        case development
        case production
    }

    package let mode: Mode
    private let administratorSecret: [UInt8]?

    /// - Parameter administratorSecret: the text of `DIR/admin.secret`; nil accepts no secret.
    package init(mode: Mode, administratorSecret: String?) {
        self.mode = mode
        self.administratorSecret = administratorSecret.map { Array($0.utf8) }
    }

    /// The identity that a credential proves.
    /// - Parameters:
    ///   - now: milliseconds since 1970, by the server's clock.
    ///   - isAdministrative: the client came in by the administrators' listener, where `owner` counts.
    package func identity(
        for credential: Credential, now: Int64, isAdministrative: Bool = false
    ) throws(AuthenticationFailure) -> Identity {
        if isAdministrator(credential.token) || isAdministrative && Text(credential.token) == Text("owner") {
            return administrator(credential)
        }
        guard mode == .development else {
            throw .invalid(
                "This hub accepts the administrator's secret only. Send the content of its admin.secret file.")
        }
        let user = try UnsignedToken.identity(credential.token, now: now)
        return .user(user)
    }

    /// Whether `token` is the administrator's: the secret, compared in constant time, or `owner` in `--dev`.
    package func isAdministrator(_ token: String) -> Bool {
        let bytes = Array(token.utf8)
        if mode == .development && bytes == Array("owner".utf8) { return true }
        guard let secret = administratorSecret, !secret.isEmpty, bytes.count == secret.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(bytes, secret) { difference |= left ^ right }
        return difference == 0
    }

    /// `authvar` makes rules see that object, `noauth` makes them see nobody
    /// (firebase-js-sdk, `PersistentConnection.tryAuth`).
    private func administrator(_ credential: Credential) -> Identity {
        if credential.noAuth { return .anonymous }
        // An empty object is somebody without properties, not nobody's wish: it must not give an administrator's rights.
        guard let variable = credential.authVariable else { return .administrator }
        return acting(as: variable)
    }

    /// An administrator whom rules see as somebody.
    func acting(as variable: Node) -> Identity {
        var uid = ""
        if case .string(let text)? = variable[Key("uid")].leaf { uid = text.string }
        var provider: String?
        if case .string(let text)? = variable[Key("provider")].leaf { provider = text.string }
        return .user(
            UserIdentity(uid: uid, provider: provider, claims: variable[Key("token")], expiry: nil, override: variable))
    }
}
