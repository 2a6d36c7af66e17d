import DataTree
import WireProtocol

/// Requests whose answer is worked out away from the engine while only their session waits.
extension Engine {
    /// Whether handling a node at once would hold the engine up.
    func isLarge(_ node: Node) -> Bool {
        if node.leafCount > limits.inlineLeaves { return true }
        return node.isLeaf ? false : node.textBytes(atMost: limits.inlineAnswerBytes) >= limits.inlineAnswerBytes
    }

    func wait(_ session: Session, for kind: EngineWork.Kind) {
        let ticket = nextTicket()
        session.state = .waiting(ticket: ticket)
        requestedWork.append(EngineWork(kind: kind, waiting: (session.connection, ticket)))
    }

    /// Asks for the indexes that a place's queries wait for.
    func requestIndexes(_ queries: QueryListens, at path: Path, node: Node) {
        for build in queries.takeBuilds(node: node) {
            requestedWork.append(
                EngineWork(kind: .buildIndex(build, path: path, queries: queries.identity), waiting: nil))
        }
    }

    /// Goes on where a session, or several, waited for `result`.
    func finish(_ result: EngineWorkResult) {
        if case .index(let index) = result.outcome, case .buildIndex(_, let path, let identity) = result.work.kind {
            guard let queries = listens.node(at: path)?.queries, queries.identity == identity else { return }
            let node = content(at: path)
            serve(queries.install(index, node: node), queries, at: path, node: node)
            return
        }
        guard let waiting = result.work.waiting, let session = sessions[waiting.connection],
            case .waiting(let ticket) = session.state, ticket == waiting.ticket
        else {
            abandon(result.work)
            return
        }
        session.state = .open
        switch (result.work.kind, result.outcome) {
        case (.listen(let number, let listen, let snapshot), .answer(let answer)):
            finishListen(session, number, listen, answer, snapshot: snapshot)
        case (.get(let number, let path, _, let snapshot), .answer(let answer)):
            finishGet(session, number, answer)
            pushOverlap(of: snapshot, at: path, to: session)
        case (.compare(let request, let hash, let snapshot, let attempt), .comparison(let matches)):
            payOwed()
            finishComparison(session, request, hash: hash, snapshot: snapshot, matches: matches, attempt: attempt)
        default: break
        }
        if session.isWaiting || session.isClosed { return }
        finishWaiting(session)
        resume(session)
    }

    /// The request that a session waited for has its answer now.
    func finishWaiting(_ session: Session) {
        guard let request = session.waitingFor else { return }
        session.waitingFor = nil
        batch.requests.append(.request(session, request))
    }

    /// Gives up what a session waits for. Results that are under way come to nothing.
    func stopWaiting(_ session: Session) {
        guard session.isWaiting else { return }
        session.state = .open
        if case .listen(let listen)? = session.waitingFor?.action, listen.query.filters,
            listens.node(at: listen.path)?.queries?.stopWaiting(listen.query, session) == true
        {
            releaseQuery(listen.query, at: listen.path)
        }
        session.waitingFor = nil
    }

    /// The session went away meanwhile: what was kept for it goes too.
    private func abandon(_ work: EngineWork) {
        guard case .listen(_, let listen, _) = work.kind, listen.query.filters else { return }
        releaseQuery(listen.query, at: listen.path)
    }

    private func finishGet(_ session: Session, _ number: Int, _ answer: LargeAnswer) {
        switch answer {
        case .frame(let frame): outbox.send(frame, to: session.connection)
        case .stream(let stream): outbox.stream(stream, to: session.connection)
        case .upToDate, .tooBig: respond(session, number, .tooBig, Self.tooBigText)
        }
    }

    static let tooBigText =
        "The data is too large for one answer (more than 9,999 segments of 16 KiB). Read a part of it, or use a limit."

    /// The snapshot's data goes out first, then the `ok`, then what has changed since: the order that clients rely on.
    private func finishListen(
        _ session: Session, _ number: Int, _ listen: Listen, _ answer: LargeAnswer, snapshot: Node
    ) {
        let query = listen.query.filters ? listen.query : .default
        switch answer {
        case .tooBig:
            if query.filters { releaseQuery(query, at: listen.path) }
            return respond(session, number, .tooBig, Self.tooBigText)
        case .upToDate: break
        case .frame(let frame): outbox.push(frame, to: session.connection)
        case .stream(let stream): outbox.stream(stream, to: session.connection)
        }
        outbox.send(ServerMessage.listening(number), to: session.connection)
        let current = activate(session, listen, query)
        pushDifference(from: snapshot, to: current, path: listen.path, tag: listen.tag, to: session)
    }

    /// Tells a fresh listener what has changed since the snapshot that it was sent, in one message.
    private func pushDifference(
        from snapshot: Node, to current: Node, path: Path, tag: Int?, to session: Session
    ) {
        guard !snapshot.isIdentical(to: current) else { return }
        var changes: [(Path, Node)] = []
        var isWhole = false
        Node.difference(from: snapshot, to: current) { place, old, new in
            if place.isRoot {
                isWhole = true
            } else if !old.isLeaf, !new.isLeaf, !old.isEmpty, !new.isEmpty {
                changes.append((place.appending(WritePath.priorityKey), Node(priorityValue: new.priority)))
            } else {
                changes.append((place, new))
            }
        }
        if isWhole {
            outbox.push(ServerMessage.data(path: path, node: current, tag: tag), to: session.connection)
        } else if !changes.isEmpty {
            outbox.push(ServerMessage.merge(path: path, changes: changes, tag: tag), to: session.connection)
        }
    }

    private func finishComparison(
        _ session: Session, _ request: Request, hash: String, snapshot: Node, matches: Bool, attempt: Int
    ) {
        guard let path = request.writePath else { return }
        let current = content(at: path)
        if current.isIdentical(to: snapshot) {
            matches ? performCompared(session, request) : refuseStale(session, request.number)
        } else if matches || attempt >= 3 {
            // What the client believes was true and is no longer; or the node changes faster than it can be hashed.
            refuseStale(session, request.number)
        } else if isLarge(current) {
            wait(session, for: .compare(request, hash: hash, snapshot: current, attempt: attempt + 1))
        } else {
            dispatch(request, for: session)
        }
    }

    /// A get's answer that took its time may be older than what the session's listens have been told meanwhile, and SDKs put
    /// it in the same place (firebase-js-sdk, `repoGetValue`): tells them again what changed since.
    private func pushOverlap(of snapshot: Node, at path: Path, to session: Session) {
        let current = content(at: path)
        if snapshot.isIdentical(to: current) { return }
        for listen in session.listens {
            let below = listen.path.hasPrefix(path)
            guard below || path.hasPrefix(listen.path) else { continue }
            if !listen.query.isDefault {
                let node = content(at: listen.path)
                let result = listen.node.queries?.result(of: listen.query, node: node) ?? listen.query.apply(to: node)
                outbox.push(
                    ServerMessage.data(path: listen.path, node: result, tag: listen.tag), to: session.connection)
            } else if below {
                let place = listen.path.dropFirst(path.count)
                pushDifference(
                    from: snapshot.node(at: place), to: current.node(at: place), path: listen.path, tag: nil,
                    to: session)
            } else {
                pushDifference(from: snapshot, to: current, path: path, tag: nil, to: session)
            }
        }
    }
}

extension Request {
    /// The path of a put or merge.
    var writePath: Path? {
        switch action {
        case .put(let path, _, _, _): path
        case .merge(let path, _, _, _): path
        default: nil
        }
    }
}

extension Node {
    /// The bytes of all texts at or below, counted until `limit` is reached.
    func textBytes(atMost limit: Int) -> Int {
        if case .string(let text)? = leaf { return text.utf8Count }
        var sum = 0
        forEachChild { _, child in
            sum += child.textBytes(atMost: limit - sum)
            return sum < limit
        }
        return sum
    }
}
