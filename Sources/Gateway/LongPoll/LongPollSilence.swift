import CLibwebsockets
import Glibc
import HubEngine

/// Long-polling: how long polls are held, and which clients are still there.
extension Loop {
    /// Milliseconds for which a poll is held at most: longer than the 25 seconds after which the SDK replaces it
    /// (`BrowserPollConnection`, `KEEPALIVE_REQUEST_INTERVAL`), so that this costs it nothing, and shorter than the 30 seconds
    /// after which the first proxies and browsers give a request up.
    private static let longestHold: Int64 = 28_000
    /// Milliseconds that a client has to come again after the connection of its poll has broken.
    private static let breakGrace: Int64 = 1_000

    private func ticks(_ milliseconds: Int64) -> UInt32 {
        UInt32(clamping: max(1, milliseconds / settings.tickMilliseconds))
    }

    /// With a short dead-peer time polls are answered earlier: only the next one proves that the client is there.
    private var holdTicks: UInt32 { min(ticks(Loop.longestHold), max(1, liveness.deadAfter / 8 * 5)) }

    /// Lets a poll go that was held for long enough, and ends the session of a client that does not come any more.
    func judgePolls(_ poll: LongPollSession, _ connection: UnsafeMutablePointer<Connection>) {
        guard !poll.isSwitched else { return }
        let now = clock.tick
        var next = connection.pointee.lastInbound + liveness.deadAfter
        if now >= next { return giveUp(connection, .timedOut) }
        if let since = poll.brokenSince {
            if now >= since + ticks(Loop.breakGrace) { return giveUp(connection, .connectionLost) }
            next = min(next, since + ticks(Loop.breakGrace))
        }
        if let since = poll.held?.since, case .polling = poll.state {
            if now >= since + holdTicks { answerPoll(poll) } else { next = min(next, since + holdTicks) }
        }
        wheel.schedule(Int(connection.pointee.slot), at: next)
    }

    /// Remembers a request that waits, to find out when its connection breaks.
    func watchPoll(_ asker: LongPollAsker, of session: ConnectionID) { waitingPolls.append((asker, session)) }

    /// Finds the polls whose clients have closed: libwebsockets does not look at a socket whose request is being answered.
    func lookAtPolls() {
        guard !waitingPolls.isEmpty else { return }
        var watched: [pollfd] = []
        waitingPolls = waitingPolls.filter { asker, _ in
            guard let connection = connections.find(asker.connection), connection.pointee.phase == .http,
                let exchange = connection.pointee.introduction?.exchange, exchange.number == asker.number,
                case .waiting = exchange.state
            else { return false }
            watched.append(pollfd(fd: connection.pointee.descriptor, events: Int16(hearth_poll_hangup()), revents: 0))
            return true
        }
        guard !watched.isEmpty, poll(&watched, nfds_t(watched.count), 0) > 0 else { return }
        for (index, (asker, session)) in waitingPolls.enumerated() where watched[index].revents != 0 {
            settings.inboxes[Int(session.loop)].post(.longPoll(.broken(session: session, asker)))
            if let connection = connections.find(asker.connection) { giveUp(connection, .connectionLost) }
        }
    }

    /// An SDK whose poll fails begins a new session. One that only moved to another network may be quicker than we are.
    func pollBroke(_ session: ConnectionID, _ asker: LongPollAsker) {
        guard let connection = openConnection(session), let poll = connection.pointee.introduction?.poll,
            poll.held?.asker == asker, !poll.isSwitched
        else { return }
        poll.held = nil
        poll.brokenSince = clock.tick
        judgePolls(poll, connection)
    }
}
