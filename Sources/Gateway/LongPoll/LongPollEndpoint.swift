import CLibwebsockets
import HubEngine
import WireProtocol

/// Long-polling at `/.lp`: its requests (`protocol/long-polling.md`).
extension Loop {
    /// A request has arrived whole. It is answered through the inbox of this loop, by the loop that has the session.
    func serveLongPoll(
        _ request: LongPollRequest, _ exchange: HTTPExchange, _ connection: UnsafeMutablePointer<Connection>,
        _ socket: OpaquePointer
    ) -> Int32 {
        let asker = LongPollAsker(connection: connections.id(connection), number: exchange.number)
        switch request {
        case .farewellPage:
            return answer(
                HTTPResponse(
                    status: 200, contentType: "text/html; charset=utf-8", body: LongPollScript.farewellPage),
                exchange, connection, socket)
        case .start(let callback):
            do throws(LongPollRefusal) {
                watchPoll(asker, of: try startLongPoll(callback, exchange.head, asker))
            } catch {
                return answer(error.response, exchange, connection, socket)
            }
        case .poll(let key, _), .disconnect(let key):
            guard Int(key.id.loop) < settings.inboxes.count else {
                return answer(LongPollProblem.unknownSession.response, exchange, connection, socket)
            }
            if case .poll = request { watchPoll(asker, of: key.id) }
            settings.inboxes[Int(key.id.loop)].post(.longPoll(.request(request, from: asker)))
        }
        return 0
    }

    private struct LongPollRefusal: Error {
        let response: HTTPResponse
    }

    /// Opens a session whose first answer waits for the greeting.
    private func startLongPoll(
        _ callback: Int?, _ head: HTTPHead, _ asker: LongPollAsker
    ) throws(LongPollRefusal) -> ConnectionID {
        guard !isDraining else { throw LongPollRefusal(response: LongPollProblem.stopping.response) }
        let sink: any SessionEventSink
        switch chooseNamespace(head.arguments, host: head.host) {
        case .failure(let refusal):
            settings.metrics.refusedConnections["namespace"].add()
            throw LongPollRefusal(response: .text(refusal.status, refusal.description))
        case .success(let found): sink = found
        }
        let limit = Refusal.limit(settings.admission.sessionLimit)
        guard settings.admission.admitSession() else {
            settings.metrics.refusedConnections["limit"].add()
            throw LongPollRefusal(response: limit)
        }
        guard let connection = connections.acquire() else {
            settings.admission.releaseSession()
            throw LongPollRefusal(response: limit)
        }
        let id = connections.id(connection)
        let poll = LongPollSession(id: id, callback: callback, messageLimit: settings.messageLimit)
        let introduction = Introduction(remoteAddress: head.remoteAddress)
        introduction.poll = poll
        connection.pointee.introduction = introduction
        connection.pointee.phase = .open
        connection.pointee.flags = [.isAdmitted, .isLongPoll]
        connection.pointee.port = port(for: sink)
        connection.pointee.port?.connectionCount += 1
        settings.metrics.connections(.longPoll).add(1)
        hold(asker, poll, connection)
        let lastSession = head.argument("ls").flatMap { $0.isEmpty ? nil : $0 }
        let opening = SessionOpening(
            transport: .longPoll, host: head.host, userAgent: head.userAgent, remoteAddress: head.remoteAddress,
            lastSession: lastSession, isAdministrative: head.isAdministrative)
        settings.logger.debug(
            "session-opened",
            ["connection": LogValue(id), "remote": .text(opening.remoteAddress), "agent": .text(opening.userAgent)])
        post(.opened(id, opening), from: connection)
        return id
    }

    /// What another loop, or this one, has to say about a session or a socket of this loop.
    func perform(_ command: LongPollCommand) {
        switch command {
        case .request(.poll(let key, let segments), let asker): receivePoll(key, segments, asker)
        case .request(.disconnect(let key), let asker): disconnect(key, asker)
        case .request: break
        case .broken(let session, let asker): pollBroke(session, asker)
        case .offered(let socket, let session): offer(socket, to: session)
        case .socketEnded(let socket, let session, let reason): socketEnded(socket, of: session, reason)
        case .switched(let socket): switched(socket)
        }
    }

    /// The session, if the key is right: also one that only waits for its last answer to be fetched.
    private func longPoll(
        _ key: LongPollKey
    ) -> (poll: LongPollSession, connection: UnsafeMutablePointer<Connection>)? {
        guard let connection = connections.find(key.id), let poll = connection.pointee.introduction?.poll,
            key.matches(poll.password), [.open, .closing].contains(connection.pointee.phase)
        else { return nil }
        return (poll, connection)
    }

    private func receivePoll(_ key: LongPollKey, _ segments: [LongPollSegment], _ asker: LongPollAsker) {
        guard let (poll, connection) = longPoll(key) else {
            return respond(LongPollProblem.unknownSession.response, to: asker)
        }
        if connection.pointee.phase == .closing {
            poll.held = (asker, clock.tick)
            return sayLast(poll, connection)
        }
        if poll.isSwitched {
            // The last answer may wait for this poll, or be on its way; what it holds counts.
            if poll.outputs.isEmpty {
                return respond(.script(LongPollScript.close(after: poll.nextAnswer - 1)), to: asker)
            }
            poll.held = (asker, clock.tick)
            return answerPoll(poll, closes: true)
        }
        // The client keeps one poll and adds another to send something, which becomes the one that is kept.
        if poll.held != nil { answerPoll(poll) }
        hold(asker, poll, connection)
        do {
            for segment in segments {
                for packet in try poll.packets.receive(segment) { try take(packet, poll, connection) }
            }
        } catch {
            settings.logger.info(
                "protocol-error", ["connection": LogValue(connections.id(connection)), "text": .text("\(error)")])
            return giveUp(connection, .protocolError)
        }
        if !poll.outputs.isEmpty { markReady(poll, connection) }
    }

    private func take(
        _ packet: LongPollPackets.Packet, _ poll: LongPollSession, _ connection: UnsafeMutablePointer<Connection>
    ) throws {
        guard connection.pointee.phase == .open, !poll.isSwitched else { return }
        let id = connections.id(connection)
        switch packet {
        case .message(let text):
            receivedBytes += text.count
            switch try text.withUnsafeBytes({ try settings.decode.decode($0) }) {
            case .keepAlive, .control, .switchAcknowledged: break
            case .transmissionEnded: transmissionEnded(poll, connection)
            case let message: post(.message(id, message), from: connection)
            }
        case .oversized(let head, let byteCount):
            guard let refused = RequestDecoder.oversized(head: head, byteCount: byteCount) else {
                throw AssemblyError.endless(limit: settings.messageLimit)
            }
            post(.message(id, .request(refused)), from: connection)
        }
    }

    private func disconnect(_ key: LongPollKey, _ asker: LongPollAsker) {
        guard let (poll, connection) = longPoll(key) else {
            return respond(LongPollProblem.unknownSession.response, to: asker)
        }
        // A client that goes on with a WebSocket takes its frame away all the same.
        if connection.pointee.phase == .open, !poll.isSwitched { giveUp(connection, .closedByClient) }
        respond(.script(""), to: asker)
    }

    private func hold(
        _ asker: LongPollAsker, _ poll: LongPollSession, _ connection: UnsafeMutablePointer<Connection>
    ) {
        heard(connection)
        poll.brokenSince = nil
        poll.held = (asker, clock.tick)
        judgePolls(poll, connection)
    }
}
