import CLibwebsockets
import Glibc
import HubEngine
import WireProtocol

/// Finding out which silent clients are still there.
extension Loop {
    /// Something came from the client.
    @inline(__always)
    func heard(_ connection: UnsafeMutablePointer<Connection>) {
        connection.pointee.lastInbound = clock.tick
        connection.pointee.flags.remove(.isAsked)
    }

    /// Starts watching a session that has just opened.
    func watch(_ connection: UnsafeMutablePointer<Connection>) {
        heard(connection)
        guard !connection.pointee.flags.contains(.noPing) else { return }
        wheel.schedule(Int(connection.pointee.slot), at: clock.tick + liveness.pingAfter)
    }

    /// Looks at the connections whose time has come.
    func judgeSilence() {
        for slot in wheel.advance(to: clock.tick) {
            let connection = connections.at(slot: slot)
            switch connection.pointee.phase {
            case .open where connection.pointee.flags.contains(.isEventStream): keepAlive(connection)
            case .open where connection.pointee.flags.contains(.isLongPoll):
                if let poll = connection.pointee.introduction?.poll { judgePolls(poll, connection) }
            case .open: judge(connection)
            case .closing: giveUp(connection, .serverStopping)
            case .free, .http, .ended: break
            }
        }
    }

    /// Ends the sessions of clients that have closed their side while their sockets are full: libwebsockets keeps that to itself
    /// until its rest is sent, or for five seconds.
    func lookAtStalled() {
        guard !stalled.isEmpty else { return }
        let looked = stalled
        stalled = looked.filter { id in
            guard let connection = openConnection(id), connection.pointee.flags.contains(.hasRest) else { return false }
            var byte: UInt8 = 0
            let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
            guard recv(connection.pointee.descriptor, &byte, 1, flags) == 0 else { return true }
            giveUp(connection, .connectionLost)
            return false
        }
    }

    private func judge(_ connection: UnsafeMutablePointer<Connection>) {
        let isAsked = connection.pointee.flags.contains(.isAsked)
        var seen = LivenessPolicy.Observation(
            now: clock.tick, lastInbound: connection.pointee.lastInbound, isAsked: isAsked)
        if seen.now &- seen.lastInbound >= liveness.pingAfter {
            seen.hasUnread = hearth_readable_bytes(connection.pointee.descriptor) > 0
            if isAsked { seen.isReceiving = noteReceiving(connection) }
        }
        let slot = Int(connection.pointee.slot)
        switch liveness.verdict(seen) {
        case .wait(let tick):
            wheel.schedule(slot, at: tick)
        case .heard(let tick):
            heard(connection)
            wheel.schedule(slot, at: tick)
        case .ask(let tick):
            wheel.schedule(slot, at: tick)
            ask(connection)
        case .dead:
            giveUp(connection, .timedOut)
        }
    }

    /// A PING with a payload: libwebsockets does not report a PONG without one. It is ASCII because it comes back.
    private static let ping: [UInt8] = [0x89, 4] + "ping".utf8

    private func ask(_ connection: UnsafeMutablePointer<Connection>) {
        guard let socket = connection.pointee.socket else { return }
        connection.pointee.flags.insert(.isAsked)
        var frame = Loop.ping
        // Between two frames even when there is a backlog: libwebsockets puts it behind a frame that is half sent.
        guard transmit(&frame, frame.count, to: connection, socket) else { return }
        connection.pointee.acknowledged = hearth_acknowledged_bytes(connection.pointee.descriptor)
        connection.pointee.pingPosition = positionOfPing(connection)
    }

    /// Whether the client's kernel took bytes since the last look, of those that go before the PING.
    private func noteReceiving(_ connection: UnsafeMutablePointer<Connection>) -> Bool {
        let before = connection.pointee.acknowledged
        let acknowledged = hearth_acknowledged_bytes(connection.pointee.descriptor)
        connection.pointee.acknowledged = acknowledged
        if connection.pointee.pingPosition == .max {
            connection.pointee.pingPosition = positionOfPing(connection)
        }
        // The kernel counts the SYN on some paths, so one byte is no proof.
        return acknowledged > before && acknowledged + 1 < connection.pointee.pingPosition
    }

    /// Where the PING ends in the stream of bytes; unknown, and so far away, while libwebsockets holds some of them.
    private func positionOfPing(_ connection: UnsafeMutablePointer<Connection>) -> UInt64 {
        guard !connection.pointee.flags.contains(.hasRest) else { return .max }
        let waiting = hearth_unacknowledged_bytes(connection.pointee.descriptor)
        return connection.pointee.acknowledged + UInt64(max(0, waiting))
    }
}
