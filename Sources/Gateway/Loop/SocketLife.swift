import CLibwebsockets
import Glibc
import HubEngine
import WireProtocol

/// From the accepted socket to the end of its connection.
extension Loop {
    // MARK: Begin

    /// Gives an accepted socket to libwebsockets.
    func adopt(_ socket: AcceptedSocket) {
        guard !isDraining, let connection = connections.acquire() else {
            Refusal.overflow.send(to: socket)
            settings.admission.releaseSocket()
            return
        }
        configure(socket.descriptor)
        connection.pointee.phase = .http
        connection.pointee.descriptor = socket.descriptor
        connection.pointee.introduction = Introduction(remoteAddress: socket.remoteAddress)
        connection.pointee.assembler = SegmentAssembler(limit: settings.messageLimit)
        if socket.isAdministrative { connection.pointee.flags.insert(.isAdministrative) }
        if socket.usesTLS { connection.pointee.flags.insert(.isTLS) }
        adopting = connection
        let host = socket.usesTLS ? secureHost : plainHost
        let adopted = hearth_adopt(host, socket.descriptor, connection, socket.usesTLS ? 1 : 0)
        adopting = nil
        if adopted == nil {
            settings.logger.warning("socket-not-adopted", ["remote": .text(socket.remoteAddress)])
            forget(connection)
        } else if connection.pointee.socket == nil, connection.pointee.phase != .free {
            connection.pointee.socket = adopted
        }
    }

    /// Whether the socket is the one that is being adopted right now: libwebsockets calls before it returns it.
    func isAdopting(_ connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer) -> Bool {
        guard connection == adopting, connection.pointee.socket == nil else { return false }
        connection.pointee.socket = socket
        return true
    }

    private func configure(_ descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        // Without a bound the kernel takes megabytes for a client that does not read.
        var bytes = Int32(clamping: settings.kernelSendBuffer)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: End

    /// Ends the session for the engine: exactly once for each session. The socket is another matter.
    func finish(_ connection: UnsafeMutablePointer<Connection>, _ reason: LeaveReason) {
        guard connection.pointee.phase == .open else { return }
        if let socket = connection.pointee.longPoll { return finishLongPollSocket(connection, socket, reason) }
        connection.pointee.phase = .ended
        settings.metrics.connections(transport(connection)).add(-1)
        if let session = connection.pointee.introduction?.poll?.session { settings.longPolls.remove(session) }
        settings.metrics.closedConnections[reason.metricLabel].add()
        post(.closed(connections.id(connection), reason), from: connection)
        connection.pointee.port?.connectionCount -= 1
        if let port = connection.pointee.port { retire(port) }
        if connection.pointee.flags.remove(.isAdmitted) != nil { settings.admission.releaseSession() }
        settings.logger.debug(
            "session-ended", ["connection": LogValue(connections.id(connection)), "reason": .text(reason.rawValue)])
    }

    /// How a session is counted: one that began with polls as what it has become.
    private func transport(_ connection: UnsafeMutablePointer<Connection>) -> Transport {
        if connection.pointee.flags.contains(.isEventStream) { return .eventStream }
        return connection.pointee.introduction?.poll.map { $0.isSwitched ? .webSocket : .longPoll } ?? .webSocket
    }

    /// Ends a session and cuts its socket at the end of the turn: never from inside a call that may be another socket's.
    func giveUp(_ connection: UnsafeMutablePointer<Connection>, _ reason: LeaveReason) {
        finish(connection, reason)
        connection.pointee.phase = .ended
        dropBacklog(connection)
        dropLongPoll(connection, reason)
        doom(connection)
    }

    func doom(_ connection: UnsafeMutablePointer<Connection>) {
        guard connection.pointee.flags.insert(.isDoomed).inserted else { return }
        doomed.append(connections.id(connection))
    }

    /// Ends a session in order: what is queued goes out first, then a close frame.
    func close(_ connection: UnsafeMutablePointer<Connection>, _ reason: LeaveReason) {
        if connection.pointee.flags.contains(.isLongPoll) { return closeLongPoll(connection, reason) }
        guard connection.pointee.phase == .open, let socket = connection.pointee.socket else { return }
        flush(connection)
        guard connection.pointee.phase == .open else { return }
        finish(connection, reason)
        connection.pointee.phase = .closing
        wheel.schedule(Int(connection.pointee.slot), at: clock.tick + closeGrace)
        if connection.pointee.backlog == nil, !connection.pointee.flags.contains(.hasRest) {
            sendClose(reason, to: connection, socket)
        } else {
            backlog(of: connection).append(closeWith: reason)
            resume(connection)
        }
    }

    /// Sends the close frame and no more; the client answers with its own, or time runs out.
    func sendClose(
        _ reason: LeaveReason, to connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer
    ) {
        dropBacklog(connection)
        if connection.pointee.flags.contains(.isEventStream) {
            // The end of the stream is all that there is to say; what the kernel holds still goes out.
            connection.pointee.phase = .ended
            return endUnlessZero(-1, connection)
        }
        guard let code = reason.closeCode else {
            doom(connection)
            return
        }
        connection.pointee.flags.insert(.closeFrameSent)
        var frame: [UInt8] = [0x88, 0, UInt8(code >> 8), UInt8(code & 0xFF)]
        frame.append(contentsOf: reason.rawValue.utf8.prefix(100))
        frame[1] = UInt8(frame.count - 2)
        transmit(&frame, frame.count, to: connection, socket)
    }

    /// A close frame of the client. A non-zero result cuts the socket at once, zero lets libwebsockets answer first.
    func peerCloses(_ connection: UnsafeMutablePointer<Connection>) -> Int32 {
        if connection.pointee.phase == .closing { return -1 }
        finish(connection, .closedByClient)
        dropBacklog(connection)
        return 0
    }

    /// The socket's end: FIN, RST, or ours.
    func socketCloses(_ connection: UnsafeMutablePointer<Connection>) {
        finish(connection, .connectionLost)
        if connection.pointee.phase != .free { connection.pointee.phase = .ended }
        dropBacklog(connection)
        wheel.cancel(Int(connection.pointee.slot))
    }

    /// The very last call for a socket: its slot is free again.
    func forget(_ connection: UnsafeMutablePointer<Connection>) {
        guard connection.pointee.phase != .free else { return }
        stopAwaiting(connection)
        socketCloses(connection)
        if connection.pointee.flags.contains(.isAdmitted) { settings.admission.releaseSession() }
        settings.admission.releaseSocket()
        connections.release(connection)
    }

    /// Closes the sockets of those whose last answer is out. What libwebsockets or the kernel holds of it still goes out.
    func closeFinished() {
        guard !finished.isEmpty else { return }
        let ids = finished
        finished.removeAll()
        for id in ids {
            guard let connection = connections.find(id), let socket = connection.pointee.socket else { continue }
            lws_set_timeout(socket, PENDING_TIMEOUT_USER_REASON_BASE, Int32(LWS_TO_KILL_SYNC))
        }
    }

    /// Cuts the sockets of the doomed, one after the other and outside of their callbacks.
    func cutDoomed() {
        guard !doomed.isEmpty else { return }
        let ids = doomed
        doomed.removeAll()
        for id in ids {
            guard let connection = connections.find(id) else { continue }
            if connection.pointee.flags.contains(.isLongPoll) {
                cut(connection)
                continue
            }
            // What the kernel holds for a peer that takes nothing is not worth keeping.
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                connection.pointee.descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            cut(connection)
        }
    }

    /// Closes a socket now. Not to be called from its callbacks.
    func cut(_ connection: UnsafeMutablePointer<Connection>) {
        if connection.pointee.flags.contains(.isLongPoll) { return forgetLongPoll(connection) }
        guard connection.pointee.phase != .free, let socket = connection.pointee.socket else { return }
        // With a rest that cannot be sent libwebsockets would wait five seconds.
        if lws_partial_buffered(socket) != 0 { hearth_end_both_ways(connection.pointee.descriptor) }
        lws_set_timeout(socket, PENDING_TIMEOUT_USER_REASON_BASE, Int32(LWS_TO_KILL_SYNC))
    }

    private func dropBacklog(_ connection: UnsafeMutablePointer<Connection>) {
        guard let backlog = connection.pointee.backlog else { return }
        queuedBytes -= backlog.byteCount
        connection.pointee.backlog = nil
    }

    // MARK: Drain

    /// Closes all sessions in steps, so that their clients do not come back all at once.
    func drain(over milliseconds: Int) {
        guard !isDraining else { return }
        isDraining = true
        var ids: [ConnectionID] = []
        for slot in 0..<connections.highWater {
            let connection = connections.at(slot: slot)
            if connection.pointee.phase == .open { ids.append(connections.id(connection)) }
        }
        let steps = max(1, milliseconds / Loop.drainStepMilliseconds)
        draining = (ids, max(1, (ids.count + steps - 1) / steps))
        let step = UInt64(Loop.drainStepMilliseconds)
        uv_timer_start(drainTimer, { handle in Loop.of(handle?.pointee.data)?.drainStep() }, 0, step)
    }

    private static let drainStepMilliseconds = 10

    private func drainStep() {
        for id in draining.ids.suffix(draining.perStep) {
            if let connection = openConnection(id) { close(connection, .serverStopping) }
        }
        draining.ids.removeLast(min(draining.perStep, draining.ids.count))
        if draining.ids.isEmpty { uv_timer_stop(drainTimer) }
    }
}
