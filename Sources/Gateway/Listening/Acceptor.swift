import CLibwebsockets
import Glibc
import HubEngine

/// Accepts connections on one loop and hands them to all loops in turn.
///
/// Confined to the accepting loop's thread. A turn accepts a bounded number, so that a storm of clients waits in the kernel's
/// queue while those that are in are served.
final class Acceptor {
    private static let acceptedPerTurn = 32

    private unowned let loop: Loop
    private var watchers: [UnsafeMutablePointer<uv_poll_t>] = []
    private let sockets: [ListeningSocket]
    private var nextLoop = 0
    /// Given up for a moment when there is no descriptor left, so that a waiting client can be refused instead of kept.
    private var reserve: Int32

    init(_ sockets: [ListeningSocket], loop: Loop) {
        self.sockets = sockets
        self.loop = loop
        reserve = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
        for socket in sockets {
            let watcher = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
            uv_poll_init(loop.uvLoop, watcher, socket.descriptor)
            watcher.pointee.data = Unmanaged.passUnretained(self).toOpaque()
            uv_poll_start(watcher, Int32(UV_READABLE.rawValue)) { watcher, _, _ in
                // The loop holds its acceptor until it has stopped it.
                guard let watcher, let data = watcher.pointee.data else { return }
                Unmanaged<Acceptor>.fromOpaque(data).takeUnretainedValue().accept(watcher)
            }
            watchers.append(watcher)
        }
    }

    /// Closes the listening sockets: what waits in the kernel's queue is refused.
    func stop() {
        for watcher in watchers {
            watcher.pointee.data = nil
            uv_poll_stop(watcher)
            uv_close(UnsafeMutableRawPointer(watcher).assumingMemoryBound(to: uv_handle_t.self)) { handle in
                UnsafeMutableRawPointer(handle)?.deallocate()
            }
        }
        watchers = []
        for socket in sockets { Glibc.close(socket.descriptor) }
        if reserve >= 0 { Glibc.close(reserve) }
        reserve = -1
    }

    private func accept(_ watcher: UnsafeMutablePointer<uv_poll_t>) {
        guard let place = watchers.firstIndex(of: watcher) else { return }
        for _ in 0..<Acceptor.acceptedPerTurn where !acceptOne(sockets[place]) { return }
    }

    /// `false` when nobody waits.
    private func acceptOne(_ listening: ListeningSocket) -> Bool {
        guard let accepted = acceptRaw(listening) else {
            if errno == EMFILE || errno == ENFILE { return refuseForLackOfDescriptors(listening) }
            // A client that left the queue again is no reason to stop.
            return errno == ECONNABORTED || errno == EINTR
        }
        let settings = loop.settings
        settings.metrics.accepted.add()
        guard settings.admission.admitSocket() else {
            settings.metrics.refusedConnections["sockets"].add()
            Refusal.overflow.send(to: accepted)
            return true
        }
        let inboxes = settings.pressure.inboxes
        nextLoop = (nextLoop + 1) % inboxes.count
        if inboxes[nextLoop] === loop.inbox {
            loop.adopt(accepted)
        } else if !inboxes[nextLoop].post(accepted) {
            settings.admission.releaseSocket()
            Glibc.close(accepted.descriptor)
        }
        return true
    }

    private func acceptRaw(_ listening: ListeningSocket) -> AcceptedSocket? {
        var storage = sockaddr_storage()
        let descriptor = hearth_accept(listening.descriptor, &storage)
        guard descriptor >= 0 else { return nil }
        return AcceptedSocket(
            descriptor: descriptor, remoteAddress: SocketAddress.text(storage)?.host ?? "",
            isAdministrative: listening.isAdministrative, usesTLS: listening.usesTLS)
    }

    private func refuseForLackOfDescriptors(_ listening: ListeningSocket) -> Bool {
        guard reserve >= 0 else { return false }
        Glibc.close(reserve)
        let accepted = acceptRaw(listening)
        if let accepted { Refusal.overflow.send(to: accepted) }
        reserve = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
        loop.settings.metrics.refusedConnections["descriptors"].add()
        return accepted != nil
    }
}
