import CLibwebsockets
import Glibc
import HubEngine
import WireProtocol

/// Event streams: reads that go on (`protocol/rest.md`, "Event streams").
extension Loop {
    /// Events and pieces of them that may wait for one client once a large one is among them.
    private static let waitingEvents = 1024

    /// Opens a session for a stream; the engine's answer decides about the status.
    func openEventStream(
        _ rest: RestExchange, _ exchange: HTTPExchange, _ sink: any SessionEventSink,
        _ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer
    ) -> Int32 {
        guard settings.admission.admitSession() else {
            settings.metrics.refusedConnections["limit"].add()
            var refusal = Refusal.limit(settings.admission.sessionLimit)
            refusal.isShared = true
            return answer(refusal, exchange, connection, socket)
        }
        connection.pointee.flags.insert([.isAdmitted, .isEventStream])
        connection.pointee.port = port(for: sink)
        connection.pointee.port?.connectionCount += 1
        connection.pointee.phase = .open
        connection.pointee.introduction?.events = EventStreamSession(root: rest.request.path, exchange: exchange)
        settings.metrics.connections(.eventStream).add(1)
        // Nobody answers pings here: the kernel finds out who is gone.
        KernelKeepAlive.enable(connection.pointee.descriptor, deadPeerSeconds: settings.deadPeerSeconds)
        let id = connections.id(connection)
        let opening = SessionOpening(
            transport: .eventStream, host: exchange.head.host, userAgent: exchange.head.userAgent,
            remoteAddress: exchange.head.remoteAddress, isAdministrative: exchange.head.isAdministrative,
            credential: rest.credential)
        let query = rest.request.query ?? .default
        post(.opened(id, opening), from: connection)
        let listen = Listen(path: rest.request.path, query: query, tag: query.filters ? 1 : nil)
        post(.message(id, .request(Request(number: 1, action: .listen(listen)))), from: connection)
        return 0
    }

    /// What a stream is sent, in the form of its transport; nil when it shows nothing of it.
    ///
    /// The same push goes to many streams of one place: the last translation is kept.
    func receive(_ frame: Frame, _ connection: UnsafeMutablePointer<Connection>) {
        guard let events = connection.pointee.introduction?.events, let content = frame.content else { return }
        switch events.state {
        case .opening(let first): open(events, content, first, connection)
        case .streaming:
            if let last = lastTranslation, last.source == ObjectIdentifier(frame), last.root == events.translator.root {
                if let frame = last.frame { queue(frame, events, connection) }
                return
            }
            let parts = events.translator.events(for: content)
            if case .bytes(let bytes)? = parts.first, parts.count == 1 {
                let event = Frame(raw: bytes)
                translated.append(event)
                lastTranslation = (ObjectIdentifier(frame), events.translator.root, event)
                queue(event, events, connection)
            } else {
                if parts.isEmpty { lastTranslation = (ObjectIdentifier(frame), events.translator.root, nil) }
                send(parts, events, connection)
            }
            switch content {
            case .listenRevoked, .authRevoked: endEventStream(connection, .closedByClient)
            default: break
            }
        }
    }

    /// A large first value.
    func receive(_ stream: NodeStream, _ connection: UnsafeMutablePointer<Connection>) {
        guard let events = connection.pointee.introduction?.events,
            case .data(let path, let value, _) = stream.message
        else { return }
        let parts = events.translator.events(for: .data(path: path, node: value, updatedAt: nil))
        if case .opening = events.state {
            events.state = .opening(parts)
        } else {
            send(parts, events, connection)
        }
    }

    private func open(
        _ events: EventStreamSession, _ content: PushContent, _ first: [EventPart]?,
        _ connection: UnsafeMutablePointer<Connection>
    ) {
        switch content {
        case .response(_, .ok, _):
            events.state = .streaming
            var response = HTTPResponse(
                status: 200, headers: [HTTPResponse.Header("x-accel-buffering", "no")],
                contentType: EventStream.contentType, body: .bytes([]))
            response.isShared = true
            response.closes = true
            let head = Frame(raw: response.head(length: nil))
            translated.append(head)
            queue(head, events, connection)
            send(
                first
                    ?? events.translator.events(for: .data(path: events.translator.root, node: .empty, updatedAt: nil)),
                events, connection)
            eventStreams.append(connections.id(connection))
            // It would be kept for as long as the stream lives.
            if let socket = connection.pointee.socket { lws_http_headers_detach(socket) }
            wheel.schedule(Int(connection.pointee.slot), at: clock.tick + keepAliveTicks)
        case .response(_, let status, let reason):
            refuseEventStream(
                status == .permissionDenied
                    ? .permissionDenied
                    : RestError(
                        status: status == .unavailable ? 503 : 400, text: reason ?? status.text), connection)
        case .data, .merge:
            events.state = .opening(events.translator.events(for: content))
        case .listenRevoked: refuseEventStream(.permissionDenied, connection)
        case .authRevoked: refuseEventStream(.expiredToken, connection)
        case .greeting: break
        }
    }

    private func send(
        _ parts: [EventPart], _ events: EventStreamSession, _ connection: UnsafeMutablePointer<Connection>
    ) {
        for part in parts {
            switch part {
            case .bytes(let bytes):
                let frame = Frame(raw: bytes)
                translated.append(frame)
                queue(frame, events, connection)
            case .large(let head, let node, let tail):
                let backlog = backlog(of: connection)
                backlog.append(LargeEvent(head: head, node: node, tail: tail))
                // Each of them holds on to what the tree was when it happened.
                guard backlog.itemCount <= Loop.waitingEvents else { return giveUp(connection, .tooSlow) }
                resume(connection)
            }
        }
    }

    private func queue(
        _ frame: Frame, _ events: EventStreamSession, _ connection: UnsafeMutablePointer<Connection>
    ) {
        events.lastSent = clock.tick
        let isFirst = frame.withBytes { pending.append($0, of: Unmanaged.passUnretained(frame), to: connection) }
        if isFirst { dirty.append(connection) }
    }

    /// The engine did not even open the session.
    func refuseEventStream(_ answer: CallAnswer, _ connection: UnsafeMutablePointer<Connection>) {
        guard case .refused(let refusal) = answer else { return }
        refuseEventStream(RestError(refusal), connection)
    }

    private func refuseEventStream(_ error: RestError, _ connection: UnsafeMutablePointer<Connection>) {
        guard let events = connection.pointee.introduction?.events, case .opening = events.state,
            let socket = connection.pointee.socket
        else { return }
        finish(connection, .closedByClient)
        // From here on it is an ordinary request again.
        connection.pointee.phase = .http
        connection.pointee.flags.remove(.isEventStream)
        connection.pointee.introduction?.events = nil
        endUnlessZero(self.answer(HTTPResponse(error), events.exchange, connection, socket), connection)
    }

    /// Ends a stream when what is queued for it has gone out.
    func endEventStream(_ connection: UnsafeMutablePointer<Connection>, _ reason: LeaveReason) {
        close(connection, reason)
    }

    /// A moment of silence on a stream: proxies take it for dead after a while.
    func keepAlive(_ connection: UnsafeMutablePointer<Connection>) {
        guard let events = connection.pointee.introduction?.events else { return }
        let silent = clock.tick &- events.lastSent
        if silent >= keepAliveTicks {
            // What waits already speaks for itself.
            if connection.pointee.backlog == nil, let socket = connection.pointee.socket {
                events.lastSent = clock.tick
                guard sendRaw(EventStream.keepAlive, connection, socket) else { return }
            }
            wheel.schedule(Int(connection.pointee.slot), at: clock.tick + keepAliveTicks)
        } else {
            wheel.schedule(Int(connection.pointee.slot), at: clock.tick + (keepAliveTicks - silent))
        }
    }

    private var keepAliveTicks: UInt32 {
        UInt32(clamping: max(1, Int64(settings.keepAliveSeconds) * 1000 / settings.tickMilliseconds))
    }

    /// Finds the streams whose clients have closed: libwebsockets does not look at a socket whose request is being answered.
    /// One system call for all of them.
    func lookAtEventStreams() {
        guard !eventStreams.isEmpty else { return }
        var open: [ConnectionID] = []
        var watched: [pollfd] = []
        for id in eventStreams {
            guard let connection = openConnection(id), connection.pointee.flags.contains(.isEventStream) else {
                continue
            }
            open.append(id)
            watched.append(pollfd(fd: connection.pointee.descriptor, events: Int16(hearth_poll_hangup()), revents: 0))
        }
        eventStreams = open
        guard !watched.isEmpty, poll(&watched, nfds_t(watched.count), 0) > 0 else { return }
        for (index, id) in open.enumerated() where watched[index].revents != 0 {
            if let connection = openConnection(id) { giveUp(connection, .connectionLost) }
        }
    }
}
