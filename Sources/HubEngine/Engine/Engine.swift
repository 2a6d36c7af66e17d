import DataTree
import SecurityRules
import Storage
import WireProtocol

/// One database: its tree, sessions, listens and what they have registered. `apply` turns a proposal into outputs and
/// log records; nothing here knows a thread, a clock or a socket. Confined to whoever drives it.
package final class Engine {
    private(set) var configuration: EngineConfiguration
    let metrics: Metrics
    let log: Logger

    var tree: Node
    var presence: PresenceNode?
    var writeIDs: WriteIDTable
    var lastSeen: LastSeenTable
    package let incarnation: UInt32
    /// The time of the proposal being applied, milliseconds since 1970; never goes back.
    var now: Int64

    var sessions: [ConnectionID: Session] = [:]
    var sessionsByID: [SessionID: Session] = [:]
    var listens = ListenTrie()
    /// What holds now, and what has held.
    package internal(set) var rules: RulesInForce
    package internal(set) var rulesHistory: RulesHistory
    package internal(set) var settings: NamespaceSettings {
        didSet { defaultWriteSize = settings.writeSize }
    }
    /// How much a write may change that does not say so itself.
    private(set) var defaultWriteSize: WriteSizeLimit
    /// Indexes that rules declare and that have been used.
    var declaredIndexes = DeclaredIndexes()
    /// What data the permissions of listens rest on.
    var grants = ReadGrants()
    /// When the first identity ends, as far as known; checked again then.
    var earliestExpiry: Int64 = .max
    var lastTicket: UInt64 = 0

    var outbox = Outbox()
    /// What the current batch makes durable, and how to take it back.
    var batch = Batch()
    /// Batches that are not durable yet, oldest first.
    var unsettled: [Batch] = []
    var garbage: [Node] = []
    /// What the log refused and must take some day, in order.
    var owed: [Owed] = []
    /// When that is proposed again.
    var owedRetry: Int64 = .max
    /// What is to be worked out away from the engine.
    var requestedWork: [EngineWork] = []
    /// Calls that wait for such work, by its ticket.
    var callsAtWork: [UInt64: PendingCall] = [:]
    /// Leases that last, and what is to be told of them to whoever watches the time.
    var leases: [LeaseKey: Lease] = [:]
    var leaseNews: [LeaseNews] = []
    var lastLease: UInt64 = 0
    /// Leases whose beginning is being taken back.
    var voidLeases: [Session] = []
    /// Set while requests of refused batches are answered again: why nothing can be written.
    var refusal: String?
    /// What the last refusal said.
    var lastRefusal: String?
    /// What the state store has to be told at its next pass.
    var unsaved = UnsavedRecords()

    package init(
        configuration: EngineConfiguration, image: DurableImage = DurableImage(), metrics: Metrics = Metrics(),
        log: Logger = .silent
    ) {
        self.configuration = configuration
        self.metrics = metrics
        self.log = log
        tree = image.tree
        writeIDs = image.writeIDs
        lastSeen = image.lastSeen
        rulesHistory = image.rules
        settings = image.settings
        defaultWriteSize = image.settings.writeSize
        rules = Self.rules(image.rules, configuration, log)
        incarnation = image.incarnation
        now = image.newestTime
        unsaved = image.redone
        // The log remembers more than the last run did.
        for (id, _) in writeIDs.trim(limits: configuration.limits, now: now) { unsaved.writeIDs.insert(id) }
        for (uid, _) in lastSeen.trim(to: configuration.limits.rememberedLastSeen) { unsaved.lastSeen.insert(uid) }
        if let path = configuration.presencePath { presence = PresenceNode(path: path, lastSeen: lastSeen) }
    }

    /// What a namespace goes by when it comes into memory. Rules that no longer compile allow nothing: better nobody gets in than
    /// everybody.
    private static func rules(
        _ history: RulesHistory, _ configuration: EngineConfiguration, _ log: Logger
    ) -> RulesInForce {
        guard let current = history.current else {
            return configuration.rules.map { RulesInForce($0.compiled) } ?? RulesInForce(configuration.defaultRules)
        }
        do {
            return RulesInForce(try CompiledRules(Array(current.text.utf8)))
        } catch {
            log.error(
                "rules.unreadable",
                [
                    "namespace": LogValue(configuration.namespace), "version": "\(current.number)",
                    "problems": LogValue(error.description),
                    "remedy": "the namespace is locked: upload rules that this version of the hub understands",
                ])
            return RulesInForce(CompiledRules.locked)
        }
    }

    package var limits: Limits { configuration.limits }

    /// Handles one proposal. What it wants sent and stored is collected until `takeBatch`.
    package func apply(_ proposal: Proposal) {
        now = max(now, proposal.time)
        switch proposal.kind {
        case .open(let connection, let opening, let id): open(connection, opening, id)
        case .request(let connection, let request): receive(request, from: connection)
        case .ping(let connection):
            if let session = sessions[connection] { notify(session, ServerMessage.pong()) }
        case .end(let connection, let reason):
            if let session = sessions[connection] { end(session, reason) }
        case .call(let connection, let call, let key):
            receive(PendingCall(connection: connection, call: call, key: key))
        case .answered(let result): finish(result)
        case .changeRules(let change): self.change(change)
        case .configureRules(let rules):
            configuration.rules = rules
            withOwedPaid { enactConfiguredRules(time: now) }
        case .readRules(let reply):
            administer(.inquire(Inquiry(OneReply(otherwise: RulesHistory(), reply)) { $0.rulesHistory }))
        case .administer(let request): administer(request)
        case .tick: tick()
        }
    }

    /// The next moment at which a `tick` has something to do, milliseconds since 1970; nil when none is known.
    package var nextDeadline: Int64? {
        var deadline = earliestExpiry
        if let due = presence?.statsDue { deadline = min(deadline, due) }
        if !owed.isEmpty { deadline = min(deadline, owedRetry) }
        return deadline == .max ? nil : deadline
    }

    private func tick() {
        expireIdentities()
        publishPresenceStats()
        if owedRetry <= now { payOwed() }
    }

    /// Connected sessions.
    package var sessionCount: Int { sessions.count }

    /// Places in the tree of listens that are in use; walks all of them.
    package var listenPlaces: Int { listens.placeCount }

    /// Listens whose permission rests on data.
    package var grantCount: Int { grants.count }

    /// What is stored at `path`, as a reader there sees it.
    package func content(at path: Path) -> Node {
        if let presence, path.hasPrefix(presence.path) {
            return presence.root.node(at: path.dropFirst(presence.path.count))
        }
        return tree.node(at: path)
    }

    private func receive(_ request: Request, from connection: ConnectionID) {
        guard let session = sessions[connection] else { return }
        guard session.backlog.count < limits.backlogPerSession || !session.isWaiting else {
            log.warning("session.backlog_full", ["session": LogValue(connection)])
            close(connection, .tooSlow)
            end(session, .tooSlow)
            return
        }
        take(request, from: session)
    }

    /// Handles a request, or keeps it behind the one that its session waits for.
    func take(_ request: Request, from session: Session) {
        if session.isWaiting {
            session.backlog.append(.request(request))
        } else {
            perform(request, for: session)
        }
    }

    /// Handles what has waited for an answer that is there now, until it is used up or something has to wait again.
    func resume(_ session: Session) {
        session.state = .open
        var handled = 0
        while handled < session.backlog.count, !session.isWaiting, !session.isClosed {
            switch session.backlog[handled] {
            case .request(let request): perform(request, for: session)
            case .notice(let frame): notify(session, frame)
            }
            handled += 1
        }
        session.backlog.removeFirst(min(handled, session.backlog.count))
    }

    func perform(_ request: Request, for session: Session) {
        // What was owed when this was proposed comes before it: the end of the client's last session, say.
        if request.isWrite {
            withOwedPaid { dispatch(request, for: session) }
        } else {
            dispatch(request, for: session)
        }
        if session.isWaiting {
            session.waitingFor = request
        } else if !request.isAuthentication {
            batch.requests.append(.request(session, request))
        }
    }

    func dispatch(_ request: Request, for session: Session) {
        let number = request.number
        switch request.action {
        case .stats, .appCheck, .unAppCheck:
            respond(session, number)
        case .echo(let value):
            outbox.send(ServerMessage.ok(number, node: value), to: session.connection)
        case .authenticate(let credential): authenticate(session, number, credential)
        case .unauthenticate: unauthenticate(session, number)
        case .listen(let listen): self.listen(session, number, listen)
        case .unlisten(let path, let query, _): unlisten(session, number, path, query)
        case .get(let path, let query): get(session, number, path, query)
        case .put(let path, let value, let hash, let writeID):
            put(session, request, PutRequest(path: path, value: value, hash: hash, writeID: writeID))
        case .merge(let path, let changes, let hash, let writeID):
            merge(session, request, MergeRequest(path: path, changes: changes, hash: hash, writeID: writeID))
        case .onDisconnectPut(let path, let value):
            registerOnDisconnect(session, number, [(path, value)])
        case .onDisconnectMerge(let path, let changes):
            registerOnDisconnect(session, number, changes.map { (path.appending($0.0), $0.1) }, base: path)
        case .onDisconnectCancel(let path): cancelOnDisconnect(session, number, path)
        case .unknown(let name):
            respond(session, number, .unknownAction, "Unknown action '\(name)'.")
        case .invalid(let status, let reason):
            respond(session, number, status, reason)
        }
    }

    func respond(_ session: Session, _ number: Int) {
        outbox.send(ServerMessage.ok(number), to: session.connection)
    }

    func respond(_ session: Session, _ number: Int, _ status: Status, _ reason: String) {
        outbox.send(ServerMessage.refusal(number, status, reason: reason), to: session.connection)
    }

    /// Tells a session something that it did not ask for in a request.
    func notify(_ session: Session, _ frame: Frame) {
        batch.requests.append(.notice(session, frame))
        outbox.send(frame, to: session.connection)
    }

    /// Has the gateway close a connection after what is queued for it.
    func close(_ connection: ConnectionID, _ reason: LeaveReason) {
        batch.requests.append(.closing(connection, reason))
        outbox.close(connection, reason)
    }

    func refuseRead(_ session: Session, _ number: Int, _ path: Path, _ query: Query) {
        metrics.denied["read"].add()
        explainRead(session, path, query)
        respond(session, number, .permissionDenied, "Permission denied")
    }

    func nextTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }
}
