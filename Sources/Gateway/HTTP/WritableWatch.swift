import CLibwebsockets
import Glibc
import HubEngine

/// Tells when a socket takes bytes again, for connections that libwebsockets is not to read from.
///
/// libwebsockets 4.1 serves an HTTP socket whose reading is stopped not at all, not even when it is writable; and one whose
/// reading is not stopped it does not read while a request is being answered, but asks the kernel for it without pause. So
/// reading is stopped, and writing is watched here, over a second descriptor of the same socket. Confined to the loop's thread.
final class WritableWatch {
    private let watcher: UnsafeMutablePointer<uv_poll_t>
    private let descriptor: Int32
    private unowned let loop: Loop
    private let id: ConnectionID
    private var isStopped = false

    init?(_ loop: Loop, _ connection: UnsafeMutablePointer<Connection>) {
        descriptor = fcntl(connection.pointee.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        self.loop = loop
        id = loop.connections.id(connection)
        watcher = .allocate(capacity: 1)
        uv_poll_init(loop.uvLoop, watcher, descriptor)
        watcher.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_poll_start(watcher, Int32(UV_WRITABLE.rawValue)) { watcher, _, _ in
            // The connection holds its watch until it has stopped it.
            guard let data = watcher?.pointee.data else { return }
            Unmanaged<WritableWatch>.fromOpaque(data).takeUnretainedValue().ring()
        }
    }

    private func ring() {
        guard let connection = loop.connections.find(id) else { return stop() }
        loop.becameWritable(connection)
    }

    func stop() {
        guard !isStopped else { return }
        isStopped = true
        watcher.pointee.data = nil
        uv_poll_stop(watcher)
        uv_close(UnsafeMutableRawPointer(watcher).assumingMemoryBound(to: uv_handle_t.self)) { handle in
            UnsafeMutableRawPointer(handle)?.deallocate()
        }
        close(descriptor)
    }
}

extension Loop {
    /// Asks for a call of `becameWritable` when the socket takes bytes again.
    func awaitWritable(_ connection: UnsafeMutablePointer<Connection>) {
        guard let introduction = connection.pointee.introduction, introduction.watch == nil else { return }
        introduction.watch = WritableWatch(self, connection)
        // Without a descriptor to spare nobody would ever go on.
        if introduction.watch == nil { giveUp(connection, .tooSlow) }
    }

    func stopAwaiting(_ connection: UnsafeMutablePointer<Connection>) {
        connection.pointee.introduction?.watch?.stop()
        connection.pointee.introduction?.watch = nil
    }

    /// The socket takes bytes again: what it left goes out first, then more of an answer or of what waits.
    func becameWritable(_ connection: UnsafeMutablePointer<Connection>) {
        guard let socket = connection.pointee.socket, let introduction = connection.pointee.introduction else { return }
        if lws_partial_buffered(socket) != 0 {
            // Over TLS the rest is libwebsockets'; a write of nothing makes it go on.
            var nothing: UInt8 = 0
            guard lws_write(socket, &nothing, 0, LWS_WRITE_HTTP) >= 0 else {
                return giveUp(connection, .connectionLost)
            }
            if lws_partial_buffered(socket) != 0 { return }
        }
        // With the flag nothing would be tried; it comes back when there is still a rest.
        connection.pointee.flags.remove(.hasRest)
        if !introduction.unsent.isEmpty {
            var rest: [UInt8] = []
            swap(&rest, &introduction.unsent)
            sentBytes -= rest.count
            guard sendRaw(rest, connection, socket), introduction.unsent.isEmpty else { return }
        }
        if connection.pointee.phase == .http {
            endUnlessZero(continueAnswer(connection, socket), connection)
        } else {
            continueSending(connection)
        }
        // It rings for as long as the socket is writable.
        if !isWaitingForSocket(connection) { stopAwaiting(connection) }
    }

    private func isWaitingForSocket(_ connection: UnsafeMutablePointer<Connection>) -> Bool {
        guard connection.pointee.phase != .ended, connection.pointee.phase != .free else { return false }
        if connection.pointee.flags.contains(.hasRest) || connection.pointee.backlog != nil { return true }
        switch connection.pointee.introduction?.exchange?.state {
        case .sending, .flushing: return connection.pointee.phase == .http
        default: return false
        }
    }
}
