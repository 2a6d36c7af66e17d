import DataTree
import SecurityRules

/// On whose behalf a session acts. Rules see it as `auth`.
package enum Identity: Sendable, Equatable {
    /// Nobody has signed in.
    case anonymous
    /// The administrator: above all rules.
    case administrator
    /// A user, or the administrator acting as one (`authvar`).
    case user(UserIdentity)

    package var isAdministrator: Bool { self == .administrator }

    /// The user's id, nil for nobody and for the administrator.
    package var userID: String? {
        if case .user(let user) = self { return user.uid }
        return nil
    }

    /// The identity as the variable `auth`.
    package var asRulesSeeIt: RuleIdentity {
        guard case .user(let user) = self else { return .signedOut }
        if let override = user.override { return RuleIdentity(auth: override) }
        return RuleIdentity(uid: user.uid, provider: user.provider, token: user.claims)
    }

    /// The moment from which the identity no longer holds, in milliseconds since 1970; nil when it never ends.
    package var expiry: Int64? {
        if case .user(let user) = self { return user.expiry }
        return nil
    }
}

/// A signed-in user as rules see it.
package struct UserIdentity: Sendable, Equatable {
    /// `auth.uid`.
    package var uid: String
    /// `auth.provider`, such as `password` or `anonymous`; nil when the token names none.
    package var provider: String?
    /// The token's claims as they came, `auth.token`.
    package var claims: Node
    /// Milliseconds since 1970; nil for a mock user's token, which never expires.
    package var expiry: Int64?
    /// For an administrator acting as somebody: the whole `auth` variable that rules are to see.
    package var override: Node?

    package init(uid: String, provider: String?, claims: Node, expiry: Int64?, override: Node? = nil) {
        self.uid = uid
        self.provider = provider
        self.claims = claims
        self.expiry = expiry
        self.override = override
    }
}
