import DataTree

/// What distinguishes one database from another, apart from its content.
package struct EngineConfiguration: Sendable {
    package var namespace: String
    package var authenticator: Authenticator
    package var access: Access
    /// Where the hub itself keeps who is online; nil keeps it nowhere.
    package var presencePath: Path?
    package var limits: Limits
    /// What the hello tells clients to connect to next time; nil gives back the `Host` header they used.
    package var publicHost: String?

    package init(
        namespace: String, authenticator: Authenticator, access: Access, presencePath: Path? = nil,
        limits: Limits = Limits(), publicHost: String? = nil
    ) {
        self.namespace = namespace
        self.authenticator = authenticator
        self.access = access
        self.presencePath = presencePath
        self.limits = limits
        self.publicHost = publicHost
    }
}

/// Who may read and write a namespace that has no rules.
package enum Access: Sendable, Equatable {
    case everybody
    case administratorOnly

    func allows(_ identity: Identity) -> Bool {
        switch self {
        case .everybody: true
        case .administratorOnly: identity.isAdministrator
        }
    }
}
