import CLibwebsockets
import HubEngine
import WireProtocol

/// A WebSocket session at `/.ws`: its opening, and the messages that come in.
extension Loop {
    /// The upgrade was answered: the session begins.
    func open(_ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer) -> Int32 {
        guard connection.pointee.phase == .http, let opening = connection.pointee.introduction?.opening,
            connection.pointee.port != nil
        else { return -1 }
        let continued = connection.pointee.introduction?.continued
        connection.pointee.phase = .open
        connection.pointee.introduction = nil
        if let continued {
            openLongPollSocket(continued, connection)
            return 0
        }
        connection.pointee.port?.connectionCount += 1
        settings.metrics.connections(.webSocket).add(1)
        watch(connection)
        if connection.pointee.flags.contains(.noPing) {
            KernelKeepAlive.enable(connection.pointee.descriptor, deadPeerSeconds: settings.deadPeerSeconds)
        }
        let id = connections.id(connection)
        settings.logger.debug(
            "session-opened",
            ["connection": LogValue(id), "remote": .text(opening.remoteAddress), "agent": .text(opening.userAgent)])
        post(.opened(id, opening), from: connection)
        return 0
    }

    /// A piece of a message, at most as long as libwebsockets' receive buffer. Hot path: once for each message at least.
    ///
    /// A non-zero result closes the connection with the reason that was set.
    func receive(
        _ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer, _ input: UnsafeMutableRawPointer?,
        _ count: Int
    ) -> Int32 {
        guard connection.pointee.phase == .open else { return connection.pointee.phase == .closing ? 0 : -1 }
        heard(connection)
        spoke(connection.pointee.descriptor)
        receivedBytes += count
        guard lws_frame_is_binary(socket) == 0 else {
            return violation(connection, socket, code: 1003, "only text messages are understood here")
        }
        let piece = UnsafeRawBufferPointer(start: input, count: count)
        let isFinal = lws_is_final_fragment(socket) != 0
        guard connection.pointee.text.accept(piece), !isFinal || connection.pointee.text.isComplete else {
            return violation(connection, socket, code: 1007, "the text is not valid UTF-8")
        }
        do {
            switch try connection.pointee.assembler.receive(fragment: piece, isFinal: isFinal) {
            case .keepAlive, .partial: break
            case .whole: try deliver(piece, from: connection)
            case .message(let message): try message.withUnsafeBytes { try deliver($0, from: connection) }
            case .oversized(let head, let byteCount):
                // The request is refused by its number when that is known; the connection goes on.
                guard let refused = RequestDecoder.oversized(head: head, byteCount: byteCount) else {
                    return violation(
                        connection, socket, code: 1009,
                        "a message of \(byteCount) bytes is above the limit of \(settings.messageLimit)")
                }
                hand(.request(refused), from: connection)
            }
        } catch let error as AssemblyError {
            return violation(connection, socket, code: 1009, "\(error)")
        } catch {
            return violation(connection, socket, code: 1002, "\(error)")
        }
        return 0
    }

    private func deliver(_ text: UnsafeRawBufferPointer, from connection: UnsafeMutablePointer<Connection>) throws {
        let message = try settings.decode.decode(text)
        switch message {
        case .keepAlive, .control, .switchAcknowledged, .transmissionEnded: return
        case .ping, .request: hand(message, from: connection)
        }
        pauseIfBehind(connection)
    }

    private func hand(_ message: ClientMessage, from connection: UnsafeMutablePointer<Connection>) {
        if let socket = connection.pointee.longPoll { return receive(message, socket, connection) }
        post(.message(connections.id(connection), message), from: connection)
    }

    /// Ends the session of a client that breaks the protocol. The text goes into the close frame.
    private func violation(
        _ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer, code: UInt32, _ text: String
    ) -> Int32 {
        settings.logger.info(
            "protocol-error",
            ["connection": LogValue(connections.id(connection)), "code": .integer(Int(code)), "text": .text(text)])
        finish(connection, .protocolError)
        // A close frame holds 125 bytes; cut between characters.
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars where bytes.count + UTF8.width(scalar) <= 120 {
            bytes.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
        }
        lws_close_reason(socket, lws_close_status(rawValue: code), &bytes, bytes.count)
        return -1
    }

    // MARK: Events

    /// Gathers an event for the connection's namespace; the turn's end posts it.
    func post(_ event: SessionEvent, from connection: UnsafeMutablePointer<Connection>) {
        guard let port = connection.pointee.port else { return }
        port.events.append(event)
        if !port.isDirty {
            port.isDirty = true
            dirtyPorts.append(port)
        }
        // The engine need not wait for the end of a long turn.
        if port.events.count >= Loop.eventsPerPost { postEvents(of: port) }
    }

    private static let eventsPerPost = 128

    func postEvents() {
        guard !dirtyPorts.isEmpty else { return }
        let ports = dirtyPorts
        dirtyPorts.removeAll(keepingCapacity: true)
        for port in ports {
            port.isDirty = false
            postEvents(of: port)
        }
    }

    func postEvents(of port: NamespacePort) {
        guard !port.events.isEmpty else { return }
        let events = port.events
        port.events = []
        port.events.reserveCapacity(min(events.count, Loop.eventsPerPost))
        port.sink.post(events)
        if !port.isPaused, port.sink.backlog > settings.sinkBacklogLimit || settings.pressure.isHigh { pause(port) }
    }

    /// The loop's port for a namespace.
    func port(for sink: any SessionEventSink) -> NamespacePort {
        let key = ObjectIdentifier(sink)
        if let port = ports[key] { return port }
        let port = NamespacePort(sink: sink)
        ports[key] = port
        return port
    }

    /// Forgets a port that has no connections; its last events are on their way.
    func retire(_ port: NamespacePort) {
        if port.connectionCount == 0 { ports[ObjectIdentifier(port.sink)] = nil }
    }

    // MARK: Flow control

    private func pause(_ port: NamespacePort) {
        port.isPaused = true
        if pausedPorts.isEmpty {
            let step = Loop.catchUpMilliseconds
            uv_timer_start(catchUpTimer, { handle in Loop.of(handle?.pointee.data)?.resumePorts() }, step, step)
        }
        pausedPorts.append(port)
    }

    private static let catchUpMilliseconds: UInt64 = 5

    private func pauseIfBehind(_ connection: UnsafeMutablePointer<Connection>) {
        guard let port = connection.pointee.port, port.isPaused, let socket = connection.pointee.socket,
            connection.pointee.flags.insert(.isPaused).inserted
        else { return }
        port.pausedConnections.append(connections.id(connection))
        lws_rx_flow_control(socket, 0)
    }

    private func resumePorts() {
        var stillPaused: [NamespacePort] = []
        for port in pausedPorts {
            if port.sink.backlog > settings.sinkBacklogLimit / 2 || settings.pressure.isHigh {
                stillPaused.append(port)
                continue
            }
            port.isPaused = false
            let ids = port.pausedConnections
            port.pausedConnections = []
            for id in ids {
                guard let connection = connections.find(id), let socket = connection.pointee.socket,
                    connection.pointee.flags.remove(.isPaused) != nil
                else { continue }
                heard(connection)
                lws_rx_flow_control(socket, 1)
                // What libwebsockets has read already it hands out only when the socket is served again.
                lws_callback_on_writable(socket)
            }
        }
        pausedPorts = stillPaused
        if stillPaused.isEmpty { uv_timer_stop(catchUpTimer) }
    }
}
