import DataTree
import SecurityRules
import WireProtocol

/// Asking the rules, and changing them.
extension Engine {
    /// Whether rules have a say: not for the administrator, and not where everything is allowed.
    func isSubjectToRules(_ identity: Identity) -> Bool { !identity.isAdministrator && !rules.isOpen }

    // MARK: - Reads

    /// Whether a session may read a place.
    func mayRead(_ session: Session, _ path: Path, _ query: Query) -> Bool {
        mayRead(session.acting, path, query, over: .socket)
    }

    /// Whether somebody may read a place.
    func mayRead(
        _ acting: ActingIdentity, _ path: Path, _ query: Query, over transport: RuleQuery.Transport
    ) -> Bool {
        guard isSubjectToRules(acting.identity) else { return true }
        return rules.compiled.read(
            path, query: RuleQuery(query, over: transport), by: acting.asRulesSeeIt, now: now, in: tree
        ).isAllowed
    }

    /// What a session's right to listen rests on; nil when it has none.
    func judgeListen(_ session: Session, _ path: Path, _ query: Query) -> ReadDependencies? {
        var dependencies = ReadDependencies()
        guard isSubjectToRules(session.identity) else { return dependencies }
        let decision = rules.compiled.read(
            path, query: RuleQuery(query, over: session.ruleTransport), by: session.ruleIdentity, now: now, in: tree,
            dependencies: &dependencies)
        return decision.isAllowed ? dependencies : nil
    }

    /// Remembers what a listen's permission rests on.
    func makeGrant(_ session: Session, _ dependencies: ReadDependencies) -> ReadGrant? {
        if dependencies.isEmpty { return nil }
        let grant = ReadGrant(session: session, sequence: nextTicket(), dependencies: dependencies)
        grants.add(grant)
        return grant
    }

    /// Whether a query's order is declared, so that it may be asked for at no one's surprise. Rules that nobody wrote declare
    /// nothing and demand nothing.
    func isIndexed(_ query: Query, at path: Path) -> Bool { !query.filters || mayOrder(by: query.index, at: path) }

    /// Whether the children of a place may be ordered that way, by the indexes that its rules declare.
    func mayOrder(by index: Query.Index, at path: Path) -> Bool {
        !rules.areWritten || rules.compiled.isIndexed(index, at: path)
    }

    // MARK: - Declared indexes

    /// Keeps the index of a query that rules declare, from its first use on.
    func keepIndex(of query: Query, at path: Path, node: Node) {
        guard Self.hasIndex(query), rules.areWritten, rules.compiled.isIndexed(query.index, at: path) else { return }
        let place = DeclaredIndexes.Place(path: path, index: query.index)
        if !declaredIndexes.contains(place) { queryListens(at: path).pin(query.index, node: node) }
        for old in declaredIndexes.use(place, limit: limits.keptIndexes) { letGo(old) }
    }

    /// Keys and priorities are in order by themselves, or nearly.
    private static func hasIndex(_ query: Query) -> Bool {
        switch query.index {
        case .key, .priority: false
        case .value, .path: query.filters
        }
    }

    private func letGo(_ place: DeclaredIndexes.Place) {
        guard let node = listens.node(at: place.path), let queries = node.queries else { return }
        queries.unpin(place.index)
        if queries.isEmpty { node.queries = nil }
        listens.prune(node)
    }

    private func letGoOfUndeclaredIndexes() {
        let compiled = rules.compiled
        for place in declaredIndexes.remove(unless: { compiled.isIndexed($0.index, at: $0.path) }) { letGo(place) }
    }

    // MARK: - Listens that are judged again

    /// Judges the listens again whose rule read something that a commit changed. Before the commit is told to anybody: who may
    /// no longer read hears of the loss, not of the data.
    func rejudgeListens(after effects: [WriteEffect]) {
        guard grants.count > 0 else { return }
        var affected: Set<UInt64> = []
        var concerned: [ConnectionID: Session] = [:]
        for effect in effects {
            for grant in grants.affected(by: effect.change) {
                affected.insert(grant.sequence)
                concerned[grant.session.connection] = grant.session
            }
        }
        for session in concerned.values.sorted(by: { $0.connection.packed < $1.connection.packed }) {
            rejudge(session, canBeTakenBack: true) { listen in
                listen.grant.map { affected.contains($0.sequence) } ?? false
            }
        }
    }

    /// Judges all listens of a session again.
    /// - Parameter canBeTakenBack: whether the cause is a commit that the log may still refuse.
    func rejudgeAllListens(of session: Session, canBeTakenBack: Bool) {
        rejudge(session, canBeTakenBack: canBeTakenBack) { _ in true }
    }

    /// Judges some listens of a session again. In one pass, however many they are: a session may have thousands that one
    /// change concerns, and everybody waits meanwhile.
    private func rejudge(_ session: Session, canBeTakenBack: Bool, where isConcerned: (SessionListen) -> Bool) {
        var kept: [SessionListen] = []
        var lost: [SessionListen] = []
        kept.reserveCapacity(session.listens.count)
        for listen in session.listens {
            if isConcerned(listen) {
                guard let dependencies = judgeListen(session, listen.path, listen.asked) else {
                    lost.append(listen)
                    continue
                }
                renewGrant(of: listen, session, dependencies)
            }
            kept.append(listen)
        }
        session.listens = kept
        for listen in lost { revoke(listen, of: session, canBeTakenBack: canBeTakenBack) }
    }

    private func renewGrant(of listen: SessionListen, _ session: Session, _ dependencies: ReadDependencies) {
        if listen.grant?.dependencies ?? ReadDependencies() == dependencies { return }
        if let grant = listen.grant { grants.remove(grant) }
        listen.grant = makeGrant(session, dependencies)
    }

    /// Tells a session that it has lost a listen, which is no longer among its listens.
    private func revoke(_ listen: SessionListen, of session: Session, canBeTakenBack: Bool) {
        metrics.denied["listen"].add()
        explainRead(session, listen.path, listen.asked)
        let frame = ServerMessage.listenRevoked(path: listen.path, query: listen.queryText)
        if canBeTakenBack {
            // The window stays until the commit is durable: should that be refused, the listen is as before.
            detach(listen, of: session, keepsWindow: true)
            batch.undo.append(.revoked(session, listen))
            outbox.send(frame, to: session.connection)
        } else {
            detach(listen, of: session)
            notify(session, frame)
        }
    }

    /// Gives back a listen that a refused commit had taken away.
    func restoreRevoked(_ listen: SessionListen, of session: Session) {
        if session.isClosed {
            releaseRevoked(listen)
            return
        }
        // What it rested on is found out anew, as for all listens after a refusal.
        listen.grant = nil
        attach(listen, to: session)
    }

    /// A commit that took a listen away is durable: nothing is kept for it any more.
    func releaseRevoked(_ listen: SessionListen) {
        if listen.query.filters { releaseQuery(listen.query, at: listen.path) }
    }

    // MARK: - Changes of the rules

    /// Puts new rules in force: every listen is judged by them at once.
    func change(_ change: RulesChange) {
        withOwedPaid {
            if let refusal {
                outbox.reply { change.reply(.failure(.unavailable(refusal))) }
                return
            }
            if let current = rulesHistory.current, current.text.utf8.elementsEqual(change.text.utf8) {
                // The same text once more is no new version.
                batch.requests.append(.rules(change))
                outbox.reply { change.reply(.success(current)) }
                return
            }
            let version = RulesVersion(
                number: rulesHistory.nextNumber, time: now, author: change.author, text: change.text)
            enact(version, change.compiled)
            batch.requests.append(.rules(change))
            outbox.reply { change.reply(.success(version)) }
        }
    }

    /// Makes the rules of the configuration the namespace's own, where they are not yet. For the beginning of its life.
    package func enactConfiguredRules(time: Int64) {
        now = max(now, time)
        guard let configured = configuration.rules else { return }
        guard refusal == nil else { return oweConfiguredRules() }
        if let current = rulesHistory.current, current.text.utf8.elementsEqual(configured.text.utf8) { return }
        let version = RulesVersion(
            number: rulesHistory.nextNumber, time: now, author: configured.author, text: configured.text)
        enact(version, configured.compiled)
        batch.requests.append(.owed(.configuredRules))
    }

    /// What cannot be stored now is tried again until it can; the rules before go on holding so long.
    private func oweConfiguredRules() {
        let isOwed = owed.contains { if case .configuredRules = $0 { true } else { false } }
        if !isOwed { owe(.configuredRules) }
        log.warning(
            "rules.not_stored",
            ["namespace": LogValue(configuration.namespace), "reason": LogValue(refusal ?? ""), "then": "tried again"])
    }

    func enact(_ version: RulesVersion, _ compiled: CompiledRules) {
        batch.undo.append(.rules(rulesHistory, rules))
        for forgotten in rulesHistory.add(version) { unsaved.rules.insert(forgotten) }
        unsaved.rules.insert(version.number)
        rules = RulesInForce(compiled)
        letGoOfUndeclaredIndexes()
        batch.entry.records.append(.rules(version))
        let (log, namespace) = (log, configuration.namespace)
        outbox.reply {
            log.info(
                "rules.changed",
                [
                    "namespace": LogValue(namespace), "version": "\(version.number)",
                    "author": LogValue(version.author),
                ])
        }
        rejudgeEverything(canBeTakenBack: true)
    }

    /// Judges all listens of all sessions again.
    func rejudgeEverything(canBeTakenBack: Bool) {
        for session in sessions.values.sorted(by: { $0.connection.packed < $1.connection.packed }) {
            rejudgeAllListens(of: session, canBeTakenBack: canBeTakenBack)
        }
    }
}
