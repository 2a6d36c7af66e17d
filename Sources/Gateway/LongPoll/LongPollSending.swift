import HubEngine
import WireProtocol

/// Long-polling: what goes to the client, and how a session ends.
extension Loop {
    /// What the engine sends to a session.
    func receive(_ output: LongPollOutput, _ connection: UnsafeMutablePointer<Connection>) {
        guard let poll = connection.pointee.introduction?.poll else { return }
        if case .switched(let socket) = poll.state {
            switch output {
            case .frame(let frame): pass(.frame(frame, to: socket))
            case .stream(let stream): pass(.stream(stream, to: socket))
            }
            return
        }
        if case .frame(let frame) = output, case .greeting(let session)? = frame.content,
            let sink = connection.pointee.port?.sink
        {
            poll.session = session
            settings.longPolls.insert(session, connections.id(connection), in: sink)
        }
        poll.outputs.append(output)
        poll.waitingBytes += output.byteCount
        queuedBytes += output.byteCount
        if poll.waitingBytes + poll.load.byteCount > settings.queueLimit { return giveUp(connection, .tooSlow) }
        markReady(poll, connection)
    }

    /// It will be answered when all of the turn's outputs are known.
    func markReady(_ poll: LongPollSession, _ connection: UnsafeMutablePointer<Connection>) {
        guard !poll.isReady else { return }
        poll.isReady = true
        readyPolls.append(connections.id(connection))
    }

    /// Answers the polls that something has come for, and hands over what goes to other loops.
    func flushPolls() {
        if !readyPolls.isEmpty {
            let ready = readyPolls
            readyPolls.removeAll(keepingCapacity: true)
            for id in ready {
                guard let poll = openConnection(id)?.pointee.introduction?.poll else { continue }
                poll.isReady = false
                if poll.held != nil, !poll.isSwitched { answerPoll(poll) }
            }
        }
        for (loop, outputs) in passed.enumerated() where !outputs.isEmpty {
            passed[loop] = []
            settings.inboxes[loop].post(outputs)
        }
    }

    /// Hands an output on to the loop of a socket. The order is kept.
    func pass(_ output: LoopOutput) {
        let id: ConnectionID
        switch output {
        case .frame(_, let to), .stream(_, let to), .close(let to, _), .answer(_, let to): id = to
        case .fanOut: return
        }
        if passed.isEmpty { passed = Array(repeating: [], count: settings.inboxes.count) }
        passed[Int(id.loop)].append(output)
    }

    /// Answers the poll that is held with all that waits, be it nothing.
    func answerPoll(_ poll: LongPollSession, closes: Bool = false) {
        guard let asker = poll.held?.asker else { return }
        poll.held = nil
        queuedBytes -= poll.waitingBytes
        respond(.script(poll.takeAnswer(closes: closes).body), to: asker)
    }

    func respond(_ response: HTTPResponse, to asker: LongPollAsker) {
        settings.inboxes[Int(asker.connection.loop)].post(response, to: asker.connection, number: asker.number)
    }

    // MARK: End

    /// Ends a session in order: what waits for the client it gets with its next poll, if that comes soon.
    func closeLongPoll(_ connection: UnsafeMutablePointer<Connection>, _ reason: LeaveReason) {
        guard let poll = connection.pointee.introduction?.poll else { return }
        finish(connection, reason)
        connection.pointee.phase = .closing
        if let socket = poll.upgrade {
            poll.upgrade = nil
            pass(.close(socket, reason))
            flushPolls()
        }
        sayLast(poll, connection)
    }

    /// The last answer of a session that has ended, now or at the next poll.
    func sayLast(_ poll: LongPollSession, _ connection: UnsafeMutablePointer<Connection>) {
        if poll.held == nil, !poll.isSwitched || !poll.outputs.isEmpty {
            wheel.schedule(Int(connection.pointee.slot), at: clock.tick + closeGrace)
            return
        }
        answerPoll(poll, closes: true)
        connection.pointee.phase = .ended
        doom(connection)
    }

    /// Ends it at once: what waits is dropped, and whoever still waits is told.
    func dropLongPoll(_ connection: UnsafeMutablePointer<Connection>, _ reason: LeaveReason) {
        guard let poll = connection.pointee.introduction?.poll else { return }
        queuedBytes -= poll.waitingBytes
        poll.waitingBytes = 0
        poll.outputs = []
        if let asker = poll.held?.asker {
            poll.held = nil
            respond(.script(poll.closingScript()), to: asker)
        }
        if let socket = poll.upgrade {
            poll.upgrade = nil
            pass(.close(socket, reason))
            flushPolls()
        }
    }

    /// The slot of a session without a socket is free again.
    func forgetLongPoll(_ connection: UnsafeMutablePointer<Connection>) {
        finish(connection, .connectionLost)
        dropLongPoll(connection, .connectionLost)
        wheel.cancel(Int(connection.pointee.slot))
        connections.release(connection)
    }
}
