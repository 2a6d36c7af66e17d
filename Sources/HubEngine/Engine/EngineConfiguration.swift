import DataTree

/// What distinguishes one database from another, apart from its content.
package struct EngineConfiguration: Sendable {
    package var namespace: String
    package var authenticator: Authenticator
    /// What holds until somebody gives the namespace rules.
    package var defaultRules: RulesInForce.Default
    /// Rules that go with the hub's own configuration; they become the namespace's own as it comes into memory.
    package var rules: ConfiguredRules?
    /// Where the hub itself keeps who is online; nil keeps it nowhere.
    package var presencePath: Path?
    package var limits: Limits
    /// What the hello tells clients to connect to next time; nil gives back the `Host` header they used.
    package var publicHost: String?

    package init(
        namespace: String, authenticator: Authenticator, defaultRules: RulesInForce.Default,
        rules: ConfiguredRules? = nil, presencePath: Path? = nil, limits: Limits = Limits(), publicHost: String? = nil
    ) {
        self.namespace = namespace
        self.authenticator = authenticator
        self.defaultRules = defaultRules
        self.rules = rules
        self.presencePath = presencePath
        self.limits = limits
        self.publicHost = publicHost
    }
}
