import DataTree
import WireProtocol

/// Listening, no longer listening, and reading once.
extension Engine {
    func listen(_ session: Session, _ number: Int, _ listen: Listen) {
        if Self.isClientLocal(listen.path) {
            outbox.send(ServerMessage.listening(number), to: session.connection)
            return
        }
        let query = listen.query.filters ? listen.query : .default
        guard configuration.access.allows(session.identity) else {
            removeListen(of: session, at: listen.path, query)
            refuse(session, number, "read")
            return
        }
        removeListen(of: session, at: listen.path, query)
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
                accept(session, number, listen, query, result: content)
            }
            return
        }
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
            accept(session, number, listen, query, result: result)
        }
    }

    /// Data first, then `ok`: on `ok` a client takes what it has for complete.
    func accept(_ session: Session, _ number: Int, _ listen: Listen, _ query: Query, result: Node) {
        if let frame = InitialData.frame(for: listen, result: result) { outbox.push(frame, to: session.connection) }
        outbox.send(ServerMessage.listening(number), to: session.connection)
        _ = activate(session, listen, query)
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
        guard configuration.access.allows(session.identity) else {
            refuse(session, number, "read")
            return
        }
        let content = content(at: path)
        if isLarge(content) {
            wait(session, for: .get(number: number, path: path, query: query, snapshot: content))
            return
        }
        let result = query.filters ? query.apply(to: content) : content
        outbox.send(ServerMessage.ok(number, node: result), to: session.connection)
    }

    /// `.info` is the client's own business; nothing is stored there.
    static func isClientLocal(_ path: Path) -> Bool { path.keys.first == infoKey }

    private static let infoKey = Key(".info")

    /// Makes a listen active and returns its result now: the whole node, or the query's window.
    func activate(_ session: Session, _ listen: Listen, _ query: Query) -> Node {
        metrics.listens.add(1)
        batch.undo.append(.listened(session, listen.path, query))
        let content = content(at: listen.path)
        if query.isDefault {
            let node = listens.makeNode(at: listen.path)
            var subscribers = node.subscribers ?? SubscriberList()
            node.subscribers = nil
            let place = subscribers.append(session)
            node.subscribers = subscribers
            session.listens.append(SessionListen(node: node, path: listen.path, query: query, place: place))
            return content
        }
        let queries = queryListens(at: listen.path)
        queries.add(query, session: session, tag: listen.tag)
        session.listens.append(
            SessionListen(
                node: listens.makeNode(at: listen.path), path: listen.path, query: query, tag: listen.tag,
                queryText: listen.queryText))
        return queries.result(of: query, node: content) ?? query.apply(to: content)
    }

    private func queryListens(at path: Path) -> QueryListens {
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

    private func detach(_ listen: SessionListen, of session: Session) {
        metrics.listens.add(-1)
        let node = listen.node
        if listen.query.isDefault {
            guard var subscribers = node.subscribers else { return }
            node.subscribers = nil
            if let moved = subscribers.remove(session, at: listen.place),
                let index = moved.index(of: node, query: .default)
            {
                moved.listens[index].place = listen.place
            }
            node.subscribers = subscribers.isEmpty ? nil : subscribers
        } else {
            node.queries?.remove(listen.query, session: session)
            node.queries?.release(listen.query)
            if node.queries?.isEmpty == true { node.queries = nil }
        }
        listens.prune(node)
    }

    /// Takes away the listens that the session's identity may not have, and tells the client which.
    func revokeLostListens(of session: Session) {
        guard !configuration.access.allows(session.identity) else { return }
        for listen in session.listens {
            notify(session, ServerMessage.listenRevoked(path: listen.path, query: listen.queryText))
            metrics.denied["listen"].add()
        }
        removeAllListens(of: session)
    }
}
