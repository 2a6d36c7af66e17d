import DataTree
import WireProtocol

/// Requests whose answer is worked out away from the engine while only their session waits.
extension Engine {
    /// Whether handling a node at once would hold the engine up.
    func isLarge(_ node: Node) -> Bool {
        if node.leafCount > limits.inlineLeaves { return true }
        return node.isLeaf ? false : node.textBytes(atMost: limits.inlineAnswerBytes) >= limits.inlineAnswerBytes
    }

    func wait(_ session: Session, for kind: EngineWork.Kind, attempt: Int = 1) {
        let ticket = nextTicket()
        session.state = .waiting(ticket: ticket)
        requestedWork.append(EngineWork(kind: kind, waiting: (session.connection, ticket), attempt: attempt))
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
        if case .call(let work) = result.work.kind, case .call(let outcome) = result.outcome {
            return finish(work, outcome)
        }
        guard let waiting = result.work.waiting, let session = sessions[waiting.connection],
            case .waiting(let ticket) = session.state, ticket == waiting.ticket
        else {
            abandon(result.work)
            return
        }
        session.state = .open
        if !workAgain(result.work, for: session) { finish(result, for: session) }
        if session.isWaiting || session.isClosed { return }
        finishWaiting(session)
        resume(session)
    }

    private func finish(_ result: EngineWorkResult, for session: Session) {
        switch (result.work.kind, result.outcome) {
        case (.listen(let number, let listen, let snapshot), .answer(let answer)):
            finishListen(session, number, listen, answer, snapshot: snapshot)
        case (.get(let number, let path, let query, let snapshot), .answer(let answer)):
            finishGet(session, number, answer)
            // A filtered result is kept apart from other listens by clients.
            if !query.filters { tellAgain(session, since: snapshot, at: path) }
        case (.compare(let request, let hash, let snapshot), .comparison(let matches)):
            withOwedPaid {
                finishComparison(
                    session, request, hash: hash, snapshot: snapshot, matches: matches, attempt: result.work.attempt)
            }
        case (.judge(let write, let request), .judgement(let decision, let dependencies)):
            withOwedPaid { finishJudgement(session, request, write, decision, dependencies) }
        default: break
        }
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
        guard let dependencies = judgeListen(session, listen.path, listen.query) else {
            if query.filters { releaseQuery(query, at: listen.path) }
            return refuseRead(session, number, listen.path, listen.query)
        }
        switch answer {
        case .tooBig:
            if query.filters { releaseQuery(query, at: listen.path) }
            return respond(session, number, .tooBig, Self.tooBigText)
        case .upToDate: break
        case .frame(let frame): outbox.push(frame, to: session.connection)
        case .stream(let stream): outbox.stream(stream, to: session.connection)
        }
        confirm(session, number, listen)
        let current = activate(session, listen, query, dependencies)
        pushDifference(from: snapshot, to: current, listen.path, tag: listen.tag, to: session)
    }

    private func finishComparison(
        _ session: Session, _ request: Request, hash: String, snapshot: Node, matches: Bool, attempt: Int
    ) {
        guard let path = request.writePath else { return }
        let current = content(at: path)
        if current.isIdentical(to: snapshot) {
            matches ? performCompared(session, request) : refuseStale(session, request)
        } else if matches || attempt >= EngineWork.maxAttempts {
            // What the client believes was true and is no longer; or the node changes faster than it can be hashed.
            refuseStale(session, request)
        } else if isLarge(current) {
            wait(session, for: .compare(request, hash: hash, snapshot: current), attempt: attempt + 1)
        } else {
            dispatch(request, for: session)
        }
    }
}

extension Request {
    /// What a put or merge writes.
    var writes: [(Path, Node)] {
        switch action {
        case .put(let path, let value, _, _): [(path, value)]
        case .merge(let path, let changes, _, _): changes.map { (path.appending($0.0), $0.1) }
        default: []
        }
    }

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
    /// About the bytes that the node's keys, texts and priorities take, counted until `limit` is reached.
    func textBytes(atMost limit: Int) -> Int {
        var sum = 0
        if case .string(let text) = priority { sum += text.utf8Count }
        if case .string(let text)? = leaf { return sum + text.utf8Count }
        forEachChild { key, child in
            sum += key.utf8Count
            sum += child.textBytes(atMost: limit - sum)
            return sum < limit
        }
        return sum
    }
}
