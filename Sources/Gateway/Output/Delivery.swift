import CLibwebsockets
import Glibc
import HubEngine
import WireProtocol

/// Sending: from the inbox to the sockets, one `send` for each connection and turn.
///
/// A frame that is sent alone costs about 5 µs in the kernel, and a joined one a tenth of it (`swift run -c release
/// gateway-bench` guards both). So outputs are first sorted by connection, then each connection gets all of its bytes at once;
/// what its socket does not take waits in its backlog.
extension Loop {
    /// Bytes handed to libwebsockets at once. Its `tx_packet_size` is the same, so that it never keeps more than this.
    static let sendLimit = 65_536
    /// Connections served before the loop looks at its sockets again.
    private static let deliveriesPerTurn = 1024

    /// Deliveries that are sorted at a time: what a burst of fan-outs may take in memory beside its frames.
    private static let sortedDeliveries = 1 << 18

    /// Sorts outputs by connection, as many as a turn may hold. They stay in `batches` until `deliver` has served everybody.
    func sortOutputs() {
        while let output = batches.next(), pending.count < Loop.sortedDeliveries {
            batches.advance()
            sort(output)
        }
        flushPolls()
    }

    private func sort(_ output: LoopOutput) {
        switch output {
        case .frame(let frame, let id):
            let unmanaged = Unmanaged.passUnretained(frame)
            frame.withBytes { bytes in append(bytes, of: unmanaged, to: id) }
        case .fanOut(let frame, let list):
            let unmanaged = Unmanaged.passUnretained(frame)
            frame.withBytes { bytes in
                list.connections.withUnsafeBufferPointer { ids in
                    for id in ids { append(bytes, of: unmanaged, to: id) }
                }
            }
        case .stream(let stream, let id):
            guard let connection = openConnection(id) else { return }
            if connection.pointee.flags.contains(.isEventStream) {
                if let stream = stream as? NodeStream { receive(stream, connection) }
                return
            }
            if connection.pointee.flags.contains(.isLongPoll) {
                if let stream = stream as? NodeStream { receive(.stream(stream), connection) }
                return
            }
            backlog(of: connection).append(stream)
            resume(connection)
        case .close(let id, let reason):
            guard let connection = openConnection(id) else { return }
            close(connection, reason)
        case .answer(let answer, let id):
            self.answer(answer, to: id)
        }
    }

    @inline(__always)
    private func append(_ bytes: UnsafeRawBufferPointer, of frame: Unmanaged<Frame>, to id: ConnectionID) {
        guard let connection = openConnection(id) else { return }
        if !connection.pointee.flags.isDisjoint(with: [.isEventStream, .isLongPoll]) {
            let frame = frame.takeUnretainedValue()
            return connection.pointee.flags.contains(.isEventStream)
                ? receive(frame, connection) : receive(.frame(frame), connection)
        }
        if pending.append(bytes, of: frame, to: connection) { dirty.append(connection) }
    }

    /// The connection, if its session is open: everything else gets no more outputs.
    @inline(__always)
    func openConnection(_ id: ConnectionID) -> UnsafeMutablePointer<Connection>? {
        guard let connection = connections.find(id), connection.pointee.phase == .open else { return nil }
        return connection
    }

    /// Serves connections that have something pending, up to a turn's share. `true` when all are served.
    ///
    /// Who comes first changes from time to time: clients that contend for one place with transactions answer in the order in
    /// which they hear, and with the same one first each time others would lose until their SDK gives up after 25 attempts.
    func deliver() -> Bool {
        if firstDirty == 0, dirty.count > 1 {
            deliverySeed = deliverySeed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            deliveryStart = Int(deliverySeed >> 33) % dirty.count
        }
        let end = min(dirty.count, firstDirty + Loop.deliveriesPerTurn)
        while firstDirty < end {
            var place = deliveryStart + firstDirty
            if place >= dirty.count { place -= dirty.count }
            firstDirty += 1
            flush(dirty[place])
        }
        guard firstDirty == dirty.count else { return false }
        dirty.removeAll(keepingCapacity: dirty.count < 1 << 16)
        firstDirty = 0
        deliveryStart = 0
        pending.removeAll()
        translated.removeAll(keepingCapacity: true)
        lastTranslation = nil
        return true
    }

    /// Sends or queues the connection's chain.
    func flush(_ connection: UnsafeMutablePointer<Connection>) {
        let first = connection.pointee.firstPending
        guard first >= 0 else { return }
        connection.pointee.firstPending = -1
        connection.pointee.lastPending = -1
        guard connection.pointee.phase == .open, let socket = connection.pointee.socket else { return }
        if connection.pointee.backlog == nil, !connection.pointee.flags.contains(.hasRest) {
            let entry = pending[first]
            if entry.next < 0, Int(entry.count) <= Loop.sendLimit {
                transmit(entry.base, Int(entry.count), to: connection, socket)
                return
            }
            sendJoined(first, to: connection, socket)
        } else {
            queue(first, for: connection)
        }
    }

    /// Joins a chain into as few sends as possible; the rest is queued once the socket is full.
    private func sendJoined(
        _ first: Int32, to connection: UnsafeMutablePointer<Connection>, _ socket: OpaquePointer
    ) {
        var index = first
        while index >= 0 {
            var filled = 0
            while index >= 0 {
                let entry = pending[index]
                guard filled + Int(entry.count) <= Loop.sendLimit else { break }
                (scratch + filled).update(from: entry.base, count: Int(entry.count))
                filled += Int(entry.count)
                index = entry.next
            }
            // A frame that the buffer cannot hold goes the way of the backlog, which cuts it at its segments.
            guard filled > 0 else { break }
            guard transmit(scratch, filled, to: connection, socket) else { return }
            if connection.pointee.flags.contains(.hasRest) { break }
        }
        if index >= 0 {
            queue(index, for: connection)
            resume(connection)
        }
    }

    private func queue(_ first: Int32, for connection: UnsafeMutablePointer<Connection>) {
        let backlog = backlog(of: connection)
        let before = backlog.byteCount
        var index = first
        while index >= 0 {
            let entry = pending[index]
            backlog.append(entry.frame.takeUnretainedValue())
            index = entry.next
        }
        queuedBytes += backlog.byteCount - before
        if backlog.byteCount > settings.queueLimit { giveUp(connection, .tooSlow) }
    }

    /// The connection's backlog; what this turn gathered for it so far goes in first.
    func backlog(of connection: UnsafeMutablePointer<Connection>) -> OutputBacklog {
        let backlog =
            connection.pointee.backlog
            ?? OutputBacklog(cutsAnywhere: connection.pointee.flags.contains(.isEventStream))
        connection.pointee.backlog = backlog
        let first = connection.pointee.firstPending
        if first >= 0 {
            connection.pointee.firstPending = -1
            connection.pointee.lastPending = -1
            queue(first, for: connection)
        }
        return backlog
    }

    /// Asks for a call when the socket takes bytes again.
    func resume(_ connection: UnsafeMutablePointer<Connection>) {
        if connection.pointee.flags.contains(.isEventStream) { return awaitWritable(connection) }
        if let socket = connection.pointee.socket { lws_callback_on_writable(socket) }
    }

    /// Sends complete frames. What the socket does not take is left to libwebsockets, which sends it before anything else.
    ///
    /// A socket without TLS gets its bytes directly, past libwebsockets: that saves a tenth of the cost of a lone frame. The
    /// rest must be libwebsockets' business, because it answers PINGs on its own and would do so in the middle of a frame.
    ///
    /// - Returns: `false` when the connection is broken; it is given up then.
    @discardableResult
    func transmit(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, to connection: UnsafeMutablePointer<Connection>,
        _ socket: OpaquePointer
    ) -> Bool {
        var sent = 0
        if !connection.pointee.flags.contains(.isTLS), !connection.pointee.flags.contains(.hasRest) {
            sent = Glibc.send(connection.pointee.descriptor, bytes, count, Loop.sendFlags)
            if sent == count {
                sentBytes += count
                return true
            }
            if sent < 0 {
                guard errno == EAGAIN || errno == EINTR else {
                    giveUp(connection, .connectionLost)
                    return false
                }
                sent = 0
            }
        }
        sentBytes += count
        if let introduction = connection.pointee.introduction, !connection.pointee.flags.contains(.isTLS) {
            introduction.unsent.append(contentsOf: UnsafeBufferPointer(start: bytes + sent, count: count - sent))
            connection.pointee.flags.insert(.hasRest)
            awaitWritable(connection)
            return true
        }
        // LWS_WRITE_HTTP passes the bytes through; it does not write to them.
        let rest = UnsafeMutablePointer(mutating: bytes + sent)
        guard lws_write(socket, rest, count - sent, LWS_WRITE_HTTP) >= 0 else {
            giveUp(connection, .connectionLost)
            return false
        }
        if lws_partial_buffered(socket) != 0, connection.pointee.introduction != nil {
            connection.pointee.flags.insert(.hasRest)
            awaitWritable(connection)
            return true
        }
        if lws_partial_buffered(socket) != 0, connection.pointee.flags.insert(.hasRest).inserted {
            stalled.append(connections.id(connection))
        }
        return true
    }

    private static let sendFlags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)

    // MARK: When the socket takes bytes again

    /// Sends the next part of the backlog: at most one buffer's worth, so that no client holds the loop.
    func continueSending(_ connection: UnsafeMutablePointer<Connection>) {
        guard connection.pointee.phase == .open || connection.pointee.phase == .closing,
            let socket = connection.pointee.socket
        else { return }
        // Spurious calls happen; libwebsockets calls again when its own rest is gone.
        guard lws_partial_buffered(socket) == 0 else { return }
        connection.pointee.flags.remove(.hasRest)
        guard let backlog = connection.pointee.backlog else { return }
        let before = backlog.byteCount
        let next = backlog.next(into: UnsafeMutableRawBufferPointer(start: scratch, count: Loop.sendLimit))
        queuedBytes -= before - backlog.byteCount
        switch next {
        case .bytes(let count):
            guard transmit(scratch, count, to: connection, socket) else { return }
        case .stream(let stream):
            streamed.removeAll(keepingCapacity: true)
            if !stream.next(upTo: Loop.sendLimit / 2, into: &streamed) { backlog.finishStream() }
            let isSent = streamed.withUnsafeBufferPointer { bytes in
                bytes.baseAddress.map { transmit($0, bytes.count, to: connection, socket) } ?? true
            }
            guard isSent else { return }
        case .close(let reason):
            sendClose(reason, to: connection, socket)
            return
        case .nothing:
            if let (frame, offset) = backlog.takeOversized() {
                queuedBytes -= frame.byteCount - offset
                let isSent = frame.withBytes { bytes in
                    let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    return base.map { transmit($0 + offset, bytes.count - offset, to: connection, socket) } ?? true
                }
                guard isSent else { return }
            }
        }
        if backlog.isEmpty {
            connection.pointee.backlog = nil
        } else {
            resume(connection)
        }
    }
}
