import DataTree
import WireProtocol

/// Something that wants to change a database or ask it something. It carries everything that `Engine.apply` needs;
/// applying it reads no clock and no random source.
package struct Proposal: Sendable {
    package enum Kind: Sendable {
        /// A client has connected. `id` is fresh and unguessable.
        case open(ConnectionID, SessionOpening, SessionID)
        case request(ConnectionID, Request)
        /// A client's ping on the control channel, answered in its place among the answers.
        case ping(ConnectionID)
        case end(ConnectionID, LeaveReason)
        /// A request without a session. `key` is fresh, for the child that a push adds.
        case call(ConnectionID, Call, key: Key)
        /// What was worked out on a snapshot away from the engine.
        case answered(EngineWorkResult)
        /// New rules.
        case changeRules(RulesChange)
        /// The rules of the hub's configuration have changed.
        case configureRules(ConfiguredRules)
        /// Asks for all rules that are kept; answered when what it says is durable.
        case readRules(@Sendable (RulesHistory) -> Void)
        /// Something that an administrator asks.
        case administer(AdministrativeRequest)
        /// Nothing but the passing of time.
        case tick
    }

    package let kind: Kind
    /// The hub's clock, milliseconds since 1970; never less than that of an earlier proposal.
    package let time: Int64

    package init(_ kind: Kind, time: Int64) {
        self.kind = kind
        self.time = time
    }
}
