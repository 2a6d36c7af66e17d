import DataTree
import SecurityRules
import WireProtocol

/// One connected client, from its hello to its end. Confined to the engine of its database.
package final class Session {
    /// Where a session stands. Its end is a proposal like any other; after it nothing is accepted any more.
    enum State {
        case open
        /// An answer is being worked out elsewhere; later requests wait, so that answers keep their order.
        case waiting(ticket: UInt64)
        case closed(LeaveReason)
    }

    /// Something that has its turn when the waiting is over.
    enum Deferred {
        case request(Request)
        /// Told without being asked, and not before what was asked earlier has its answer.
        case notice(Frame)
    }

    package let id: SessionID
    package let connection: ConnectionID
    let opening: SessionOpening
    /// When it opened, milliseconds since 1970.
    let since: Int64

    var state: State = .open
    var identity: Identity {
        get { acting.identity }
        set { acting = ActingIdentity(newValue) }
    }
    /// The identity, and the form in which rules are asked.
    private(set) var acting = ActingIdentity(.anonymous)
    var listens: [SessionListen] = []
    var onDisconnect = OnDisconnectTree()
    /// Whom it acted for until the token expired. What it registered for its end still runs on that identity's behalf.
    var expired: Identity?
    /// Whether the log knows this session. Sessions enter it with their first durable act, so that a connection that
    /// only reads costs no write.
    var isRecorded = false
    /// Whether the log knows whom it acts for.
    var isIdentityRecorded = false
    /// While it waits: the request whose answer is being worked out. None while its greeting waits for something.
    var waitingFor: Request?
    /// How often rules have judged that request in vain, because what they read had changed meanwhile.
    var judgements = 0
    /// What came behind that one, oldest first.
    var backlog: [Deferred] = []
    /// The lease that this session is, if it has no connection.
    var lease: LeaseKey? {
        get { boxedLease?.key }
        set { boxedLease = newValue.map(BoxedLease.init) }
    }
    /// Few sessions are leases.
    private var boxedLease: BoxedLease?
    /// The name of this connection in the presence node and the user whom it is shown for, when it is shown there.
    var presence: (name: Key, uid: String)?

    init(id: SessionID, connection: ConnectionID, opening: SessionOpening, since: Int64) {
        self.id = id
        self.connection = connection
        self.opening = opening
        self.since = since
    }

    /// The identity as the variable `auth`.
    var ruleIdentity: RuleIdentity { acting.asRulesSeeIt }

    /// How rules see its reads.
    var ruleTransport: RuleQuery.Transport { opening.transport == .eventStream ? .rest : .socket }

    var isClosed: Bool {
        if case .closed = state { return true }
        return false
    }

    var isWaiting: Bool {
        if case .waiting = state { return true }
        return false
    }

    /// The last identity that was proved and not given up.
    var lastVerifiedIdentity: Identity { expired ?? identity }

    /// Costs a look at each of its listens.
    func index(of node: ListenNode, query: Query) -> Int? {
        listens.firstIndex { $0.node === node && (query.isDefault ? $0.isDefault : $0.query == query) }
    }
}

/// An identity and the variable `auth` that goes with it, made once for each sign-in.
struct ActingIdentity {
    let identity: Identity
    let asRulesSeeIt: RuleIdentity

    init(_ identity: Identity) {
        self.identity = identity
        asRulesSeeIt = identity.asRulesSeeIt
    }
}

/// One listen of a session. An object, so that a place's list of subscribers can tell it that it has moved there. Kept small:
/// an idle connection mostly is a session and one of these.
final class SessionListen {
    /// What distinguishes a listen from that for the whole node.
    private final class Filter {
        let query: Query
        let asked: Query
        let tag: Int?
        let queryText: [UInt8]?

        init(query: Query, listen: Listen) {
            self.query = query
            asked = listen.query
            tag = query.filters ? listen.tag : nil
            queryText = query.filters ? listen.queryText : nil
        }
    }

    /// Unowned: a session's listens end with it.
    unowned let session: Session
    var node: ListenNode
    let path: Path
    private let filter: Filter?
    /// What the permission rests on, if that is data.
    var grant: ReadGrant?
    /// The place in the node's list of subscribers; meaningless for filtered listens.
    var place = 0

    init(_ session: Session, node: ListenNode, listen: Listen, query: Query, grant: ReadGrant?) {
        self.session = session
        self.node = node
        self.grant = grant
        path = listen.path
        filter = query.isDefault && listen.query.isDefault ? nil : Filter(query: query, listen: listen)
    }

    /// `.default` for an unfiltered listen.
    var query: Query { filter?.query ?? .default }
    /// The query as it was asked, for the rules.
    var asked: Query { filter?.asked ?? .default }
    var tag: Int? { filter?.tag }
    /// The query as the client wrote it; nil for an unfiltered listen.
    var queryText: [UInt8]? { filter?.queryText }
    /// Whether it is for the whole node.
    var isDefault: Bool { filter?.query.isDefault ?? true }
}

private final class BoxedLease {
    let key: LeaseKey

    init(_ key: LeaseKey) { self.key = key }
}
