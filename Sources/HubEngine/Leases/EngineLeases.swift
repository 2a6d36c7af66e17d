import DataTree
import WireProtocol

/// Leases: presence for clients without a connection.
extension Engine {
    func perform(_ request: LeaseRequest, _ pending: PendingCall, _ caller: Caller) throws(CallRefusal) {
        let key = LeaseKey(caller.identity, request.path)
        switch request.kind {
        case .hold(let terms):
            if let lease = leases[key] {
                try renew(lease, key, terms, caller, pending)
            } else {
                try begin(key, request, terms, caller, pending)
            }
        case .end:
            if let refusal { throw .unavailable(refusal) }
            guard let lease = leases[key] else { return answer(pending, .noLease) }
            end(lease.session, .closedByClient)
            answer(pending, .leaseEnded)
        case .look:
            guard let lease = leases[key] else { return answer(pending, .noLease) }
            answer(pending, .lease(expires: lease.expires, ttl: lease.terms.timeToLive, isNew: false))
        }
    }

    private func begin(
        _ key: LeaseKey, _ request: LeaseRequest, _ terms: LeaseRequest.Terms, _ caller: Caller, _ pending: PendingCall
    ) throws(CallRefusal) {
        try check(terms, at: key.path)
        guard leases.count < limits.leases else {
            throw .unavailable(
                "This namespace has its maximum of \(limits.leases) leases. Try again when some have ended.")
        }
        if let refusal { throw .unavailable(refusal) }
        let performed = try judge(terms, writesOnline: terms.online != nil, registers: true, at: key.path, caller)
        lastLease += 1
        let session = Session(
            id: SessionID(incarnation: incarnation, random: request.random), connection: ConnectionID(lease: lastLease),
            opening: SessionOpening(
                transport: .lease, host: "", userAgent: request.agent, remoteAddress: request.remoteAddress,
                // Nobody is greeted.
                credential: CallCredential()), since: now)
        session.identity = caller.identity
        session.lease = key
        if let expiry = caller.identity.expiry { earliestExpiry = min(earliestExpiry, expiry) }
        sessions[session.connection] = session
        sessionsByID[session.id] = session
        metrics.connections(.lease).add(1)
        batch.undo.append(.leaseBegun(session))
        joinPresence(session)
        register(terms.onDisconnect, for: session, at: key.path)
        keep(Lease(session: session, terms: terms, expires: now + terms.timeToLive), at: key)
        record(performed, author: WriteAuthor(session), writeID: nil)
        answer(pending, .lease(expires: now + terms.timeToLive, ttl: terms.timeToLive, isNew: true))
    }

    /// A lease that goes on as it is costs the log nothing.
    private func renew(
        _ lease: Lease, _ key: LeaseKey, _ terms: LeaseRequest.Terms, _ caller: Caller, _ pending: PendingCall
    ) throws(CallRefusal) {
        try check(terms, at: key.path)
        let session = lease.session
        let writesOnline = terms.online != nil && terms.online != lease.terms.online
        let registers = terms.onDisconnect != lease.terms.onDisconnect
        let isOtherIdentity = session.lastVerifiedIdentity != caller.identity
        if let refusal, writesOnline || registers || isOtherIdentity { throw .unavailable(refusal) }
        let performed = try judge(terms, writesOnline: writesOnline, registers: registers, at: key.path, caller)
        batch.undo.append(.lease(key, lease))
        if isOtherIdentity || session.expired != nil { renewIdentity(of: session, caller.identity) }
        if registers { register(terms.onDisconnect, for: session, at: key.path) }
        var renewed = Lease(session: session, terms: terms, expires: now + terms.timeToLive)
        if terms.online == nil { renewed.terms.online = lease.terms.online }
        keep(renewed, at: key)
        record(performed, author: WriteAuthor(session), writeID: nil)
        answer(pending, .lease(expires: renewed.expires, ttl: terms.timeToLive, isNew: false))
    }

    /// The holder has a fresh token: what is registered runs on its behalf.
    private func renewIdentity(of session: Session, _ identity: Identity) {
        batch.undo.append(.leaseIdentity(session, session.identity, expired: session.expired))
        if session.lastVerifiedIdentity != identity { session.isIdentityRecorded = false }
        session.identity = identity
        session.expired = nil
        if let expiry = identity.expiry { earliestExpiry = min(earliestExpiry, expiry) }
        if !session.isIdentityRecorded { record(session) }
    }

    /// Both writes or none: carries out the first if rules allow both.
    private func judge(
        _ terms: LeaseRequest.Terms, writesOnline: Bool, registers: Bool, at path: Path, _ caller: Caller
    ) throws(CallRefusal) -> [PerformedWrite] {
        // Judged as if it were done now, and once more when it is done.
        if registers {
            let draft = try leaseDraft(terms.onDisconnect, at: path)
            guard trial(draft, caller.acting).isAllowed else {
                metrics.denied["on_disconnect"].add()
                throw .denied
            }
        }
        guard writesOnline, let online = terms.online else { return [] }
        let draft = try leaseDraft(online, at: path)
        switch verdict(onSizeOf: draft, base: nil, caller.acting, limit: defaultWriteSize) {
        case .fits: break
        case .tooMuch: throw .tooMuch
        case .denied: throw .denied
        }
        guard let performed = perform(draft, as: caller.acting) else {
            metrics.denied["write"].add()
            throw .denied
        }
        return performed
    }

    private func leaseDraft(_ value: Node, at path: Path) throws(CallRefusal) -> Draft {
        do {
            return try draft([(path, value)])
        } catch {
            throw .invalid("\(error)")
        }
    }

    private func register(_ value: Node, for session: Session, at path: Path) {
        record(session)
        batch.undo.append(.onDisconnect(session, session.onDisconnect))
        session.onDisconnect = OnDisconnectTree()
        session.onDisconnect.set(value, at: path)
        batch.entry.records.append(.onDisconnectSet(session.id, path, value))
        unsaved.sessions.insert(session.id)
    }

    private func keep(_ lease: Lease, at key: LeaseKey) {
        leases[key] = lease
        leaseNews.append(.held(lease.session.connection, lease.terms.timeToLive))
    }

    private func check(_ terms: LeaseRequest.Terms, at path: Path) throws(CallRefusal) {
        guard limits.leaseTimes.contains(terms.timeToLive) else {
            let (shortest, longest) = (limits.leaseTimes.lowerBound / 1000, limits.leaseTimes.upperBound / 1000)
            throw .invalid("A lease lasts from \(shortest) to \(longest) seconds. Choose a ttl in between.")
        }
        if path.last == WritePath.priorityKey {
            throw .invalid("A lease is held at a node, not at its priority. Leave out `.priority`.")
        }
        if let objection = objection(to: path) {
            if objection.status == .permissionDenied { throw .denied }
            throw .invalid(objection.reason)
        }
        guard (terms.online?.leafCount ?? 0) + terms.onDisconnect.leafCount <= limits.inlineLeaves else {
            throw .invalid(
                "The values of a lease have at most \(limits.inlineLeaves) leaves. Write the rest by itself.")
        }
    }

    // MARK: - Ends

    /// The session of a lease has ended.
    func leaseEnded(_ session: Session) {
        guard let key = session.lease else { return }
        leases[key] = nil
        leaseNews.append(.ended(session.connection))
        metrics.connections(.lease).add(-1)
    }

    /// Takes back a lease whose beginning the log refused: it never was. What it has shown in the presence node is taken back by
    /// `forgetPresence`, once what else was shown there is there again.
    func undoBeginning(of session: Session) {
        if !session.isClosed {
            session.state = .closed(.unavailable)
            sessions[session.connection] = nil
            sessionsByID[session.id] = nil
            leaseEnded(session)
        }
        voidLeases.append(session)
    }

    /// Takes back a renewal that the log refused. One that has ended meanwhile stays so.
    func undoRenewal(_ former: Lease, at key: LeaseKey) {
        if former.session.isClosed { return }
        leases[key] = former
        leaseNews.append(.held(former.session.connection, former.terms.timeToLive))
    }

    /// What the log refused never was, so nobody has left either.
    func forgetVoidLeases() {
        let void = voidLeases
        voidLeases = []
        for session in void { forgetPresence(session) }
    }
}
