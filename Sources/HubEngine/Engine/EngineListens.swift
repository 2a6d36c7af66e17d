import DataTree
import SecurityRules
import WireProtocol

/// Listening, no longer listening, and reading once.
extension Engine {
    func listen(_ session: Session, _ number: Int, _ listen: Listen) {
        if Self.isClientLocal(listen.path) {
            outbox.send(ServerMessage.listening(number), to: session.connection)
            return
        }
        let query = listen.query.filters ? listen.query : .default
        removeListen(of: session, at: listen.path, query)
        guard let dependencies = judgeListen(session, listen.path, listen.query) else {
            refuseRead(session, number, listen.path, listen.query)
            return
        }
        guard session.opening.transport != .eventStream || mayOrder(by: listen.query.index, at: listen.path) else {
            respond(session, number, .invalidQuery, CompiledRules.indexNotDefined(listen.query.index, at: listen.path))
            return
        }
        guard session.listens.count < limits.listensPerSession else {
            respond(
                session, number, .limitExceeded,
                "This connection has its maximum of \(limits.listensPerSession) listens. Remove some, or listen higher up."
            )
            return
        }
        let content = content(at: listen.path)
        guard query.filters else {
            if isLarge(content) {
                wait(session, for: .listen(number: number, listen: listen, snapshot: content))
            } else {
                accept(session, number, listen, query, result: content, dependencies)
            }
            return
        }
        keepIndex(of: query, at: listen.path, node: content)
        let queries = queryListens(at: listen.path)
        guard let result = queries.need(query, node: content) else {
            session.state = .waiting(ticket: nextTicket())
            queries.wait(query, QueryListens.Waiting(session: session, number: number, listen: listen))
            requestIndexes(queries, at: listen.path, node: content)
            return
        }
        if isLarge(result) {
            wait(session, for: .listen(number: number, listen: listen, snapshot: result))
        } else {
            accept(session, number, listen, query, result: result, dependencies)
        }
    }

    /// Data first, then `ok`: on `ok` a client takes what it has for complete.
    private func accept(
        _ session: Session, _ number: Int, _ listen: Listen, _ query: Query, result: Node,
        _ dependencies: ReadDependencies
    ) {
        if let frame = InitialData.frame(for: listen, result: result) { outbox.push(frame, to: session.connection) }
        confirm(session, number, listen)
        _ = activate(session, listen, query, dependencies)
    }

    /// The same for a listen that had to wait, if it is still permitted.
    func acceptWaiting(_ session: Session, _ number: Int, _ listen: Listen, _ query: Query, result: Node) {
        guard let dependencies = judgeListen(session, listen.path, listen.query) else {
            releaseQuery(query, at: listen.path)
            refuseRead(session, number, listen.path, listen.query)
            return
        }
        accept(session, number, listen, query, result: result, dependencies)
    }

    /// `ok` to a listen, with a warning if its query's order is not declared: the query is served all the same
    /// (`protocol/checks.md`, 92).
    func confirm(_ session: Session, _ number: Int, _ listen: Listen) {
        let frame = ServerMessage.listening(number, withoutIndex: !isIndexed(listen.query, at: listen.path))
        outbox.send(frame, to: session.connection)
    }

    func unlisten(_ session: Session, _ number: Int, _ path: Path, _ query: Query) {
        removeListen(of: session, at: path, query.filters ? query : .default)
        respond(session, number)
    }

    func get(_ session: Session, _ number: Int, _ path: Path, _ query: Query) {
        guard !Self.isClientLocal(path) else {
            outbox.send(ServerMessage.ok(number, node: .empty), to: session.connection)
            return
        }
        guard mayRead(session, path, query) else {
            refuseRead(session, number, path, query)
            return
        }
        guard isIndexed(query, at: path) else {
            respond(session, number, .invalidQuery, CompiledRules.indexNotDefined(query.index, at: path))
            return
        }
        let content = content(at: path)
        if query.filters, let result = indexedResult(of: query, at: path, node: content), !isLarge(result) {
            outbox.send(ServerMessage.ok(number, node: result), to: session.connection)
            return
        }
        if isLarge(content) {
            wait(session, for: .get(number: number, path: path, query: query, snapshot: content))
            return
        }
        let result = query.filters ? query.apply(to: content) : content
        outbox.send(ServerMessage.ok(number, node: result), to: session.connection)
    }

    /// The result of a query by an index that is there; a declared one is made, for the queries that come after this one.
    func indexedResult(of query: Query, at path: Path, node: Node) -> Node? {
        keepIndex(of: query, at: path, node: node)
        guard let queries = listens.node(at: path)?.queries else { return nil }
        requestIndexes(queries, at: path, node: node)
        return queries.result(of: query, node: node)
    }

    /// `.info` is the client's own business; nothing is stored there.
    static func isClientLocal(_ path: Path) -> Bool { path.keys.first == infoKey }

    private static let infoKey = Key(".info")

    /// Makes a listen active and returns its result now: the whole node, or the query's window.
    func activate(
        _ session: Session, _ listen: Listen, _ query: Query, _ dependencies: ReadDependencies
    ) -> Node {
        batch.undo.append(.listened(session, listen.path, query))
        let content = content(at: listen.path)
        attach(
            SessionListen(
                session, node: listens.makeNode(at: listen.path), listen: listen, query: query,
                grant: makeGrant(session, dependencies)),
            to: session)
        if query.isDefault { return content }
        return queryListens(at: listen.path).result(of: query, node: content) ?? query.apply(to: content)
    }

    /// Has a listen hear of changes.
    func attach(_ listen: SessionListen, to session: Session) {
        metrics.listens.add(1)
        if listen.query.isDefault {
            let node = listens.makeNode(at: listen.path)
            var subscribers = node.subscribers ?? SubscriberList()
            node.subscribers = nil
            subscribers.append(listen)
            node.subscribers = subscribers
            listen.node = node
        } else {
            queryListens(at: listen.path).add(listen.query, session: session, tag: listen.tag)
            listen.node = listens.makeNode(at: listen.path)
        }
        session.listens.append(listen)
    }

    func queryListens(at path: Path) -> QueryListens {
        let node = listens.makeNode(at: path)
        if let queries = node.queries { return queries }
        let queries = QueryListens(identity: nextTicket())
        node.queries = queries
        return queries
    }

    /// Gives back what `need` took.
    func releaseQuery(_ query: Query, at path: Path) {
        guard let node = listens.node(at: path), let queries = node.queries else { return }
        queries.release(query)
        if queries.isEmpty { node.queries = nil }
        listens.prune(node)
    }

    func removeListen(of session: Session, at path: Path, _ query: Query) {
        guard let node = listens.node(at: path), let index = session.index(of: node, query: query) else { return }
        let listen = session.listens.remove(at: index)
        detach(listen, of: session)
    }

    func removeAllListens(of session: Session) {
        let all = session.listens
        session.listens = []
        for listen in all { detach(listen, of: session) }
    }

    /// - Parameter keepsWindow: a filtered listen's window stays, until `releaseQuery`.
    func detach(_ listen: SessionListen, of session: Session, keepsWindow: Bool = false) {
        metrics.listens.add(-1)
        if let grant = listen.grant { grants.remove(grant) }
        let node = listen.node
        if listen.query.isDefault {
            guard var subscribers = node.subscribers else { return }
            node.subscribers = nil
            subscribers.remove(listen)
            node.subscribers = subscribers.isEmpty ? nil : subscribers
        } else {
            node.queries?.remove(listen.query, session: session)
            if keepsWindow { return }
            node.queries?.release(listen.query)
            if node.queries?.isEmpty == true { node.queries = nil }
        }
        listens.prune(node)
    }
}
