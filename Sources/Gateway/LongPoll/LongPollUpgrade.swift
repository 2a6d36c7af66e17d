import CLibwebsockets
import HubEngine
import WireProtocol

/// A WebSocket that goes on with a long-poll session, as its own loop sees it. Confined to the loop's thread.
final class LongPollSocket {
    /// The slot that the engine knows the session by, on whatever loop.
    let session: ConnectionID
    /// The session's polls are over: what comes in belongs to it.
    var isSwitched = false
    /// What came before that.
    var early: [ClientMessage] = []

    init(session: ConnectionID) { self.session = session }
}

/// From long-polling to a WebSocket (`protocol/long-polling.md`, "Going on with a WebSocket").
///
/// The engine notices nothing: it goes on talking to the session's slot, and that one passes on to the socket what comes from
/// the engine, while the socket posts what comes from the client in the slot's name. Both may be on different loops.
extension Loop {
    // MARK: On the socket's loop

    /// The handshake of such a socket is done.
    func openLongPollSocket(_ session: ConnectionID, _ connection: UnsafeMutablePointer<Connection>) {
        connection.pointee.longPoll = LongPollSocket(session: session)
        connection.pointee.port?.connectionCount += 1
        watch(connection)
        settings.inboxes[Int(session.loop)].post(
            .longPoll(.offered(socket: connections.id(connection), to: session)))
    }

    /// A message on such a socket.
    func receive(
        _ message: ClientMessage, _ socket: LongPollSocket, _ connection: UnsafeMutablePointer<Connection>
    ) {
        switch message {
        case .keepAlive, .control, .switchAcknowledged, .transmissionEnded: break
        case .ping where !socket.isSwitched && socket.early.isEmpty:
            // The client tries the socket before it relies on it.
            pass(.frame(ServerMessage.pong(), to: connections.id(connection)))
            flushPolls()
        case .ping, .request:
            if socket.isSwitched { return post(.message(socket.session, message), from: connection) }
            // It has overtaken the last poll, and must not be handled before what that one brings.
            socket.early.append(message)
            if let handle = connection.pointee.socket { lws_rx_flow_control(handle, 0) }
        }
    }

    /// The session's polls have come to their end, and all that they brought is with the engine.
    func switched(_ id: ConnectionID) {
        guard let connection = openConnection(id), let socket = connection.pointee.longPoll else { return }
        socket.isSwitched = true
        let early = socket.early
        socket.early = []
        for message in early { post(.message(socket.session, message), from: connection) }
        if !early.isEmpty, !connection.pointee.flags.contains(.isPaused), let handle = connection.pointee.socket {
            heard(connection)
            lws_rx_flow_control(handle, 1)
            // What libwebsockets has read already it hands out only when the socket is served again.
            lws_callback_on_writable(handle)
        }
    }

    /// The socket has ended; what it brought is posted before the session hears of it.
    func finishLongPollSocket(
        _ connection: UnsafeMutablePointer<Connection>, _ socket: LongPollSocket, _ reason: LeaveReason
    ) {
        connection.pointee.phase = .ended
        connection.pointee.longPoll = nil
        if let port = connection.pointee.port {
            postEvents(of: port)
            port.connectionCount -= 1
            retire(port)
        }
        settings.inboxes[Int(socket.session.loop)].post(
            .longPoll(.socketEnded(connections.id(connection), session: socket.session, reason)))
    }

    // MARK: On the session's loop

    /// A socket has come for a session.
    func offer(_ socket: ConnectionID, to session: ConnectionID) {
        guard let connection = openConnection(session), let poll = connection.pointee.introduction?.poll,
            !poll.isSwitched
        else {
            pass(.close(socket, .connectionLost))
            return flushPolls()
        }
        if let earlier = poll.upgrade { pass(.close(earlier, .superseded)) }
        poll.upgrade = socket
        poll.hasLostUpgrade = false
        pass(.frame(ServerMessage.switchAccepted(), to: socket))
        flushPolls()
    }

    /// The client has sent its last on the polls: everything that comes now comes on the socket, and goes there.
    func transmissionEnded(_ poll: LongPollSession, _ connection: UnsafeMutablePointer<Connection>) {
        guard let socket = poll.upgrade else {
            // It relies on a socket that is gone.
            if poll.hasLostUpgrade { giveUp(connection, .connectionLost) }
            return
        }
        if let port = connection.pointee.port { postEvents(of: port) }
        settings.inboxes[Int(socket.loop)].post(.longPoll(.switched(socket: socket)))
        settings.metrics.connections(.longPoll).add(-1)
        settings.metrics.connections(.webSocket).add(1)
        let end = LongPollOutput.frame(ServerMessage.transmissionEnded())
        poll.outputs.append(end)
        poll.waitingBytes += end.byteCount
        queuedBytes += end.byteCount
        poll.state = .switched(to: socket)
        wheel.cancel(Int(connection.pointee.slot))
        answerPoll(poll, closes: true)
    }

    func socketEnded(_ socket: ConnectionID, of session: ConnectionID, _ reason: LeaveReason) {
        guard let connection = openConnection(session), let poll = connection.pointee.introduction?.poll,
            poll.upgrade == socket
        else { return }
        poll.upgrade = nil
        poll.hasLostUpgrade = true
        // Until the client has ended its polls they go on.
        if poll.isSwitched { giveUp(connection, reason) }
    }
}
