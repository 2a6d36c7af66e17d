import HubEngine
import Synchronization

/// Counts sockets and sessions of all loops against their limits.
final class Admission: Sendable {
    /// The most sessions.
    let sessionLimit: Int
    /// The most sockets: above the sessions there is room for handshakes and for refusals with a reason.
    let socketLimit: Int
    private let sessions = Atomic<Int>(0)
    private let sockets = Atomic<Int>(0)

    init(sessionLimit: Int, socketLimit: Int) {
        self.sessionLimit = sessionLimit
        self.socketLimit = socketLimit
    }

    /// Takes a place for a session. `false` when there is none.
    func admitSession() -> Bool { Admission.admit(sessions, sessionLimit) }
    func releaseSession() { sessions.wrappingSubtract(1, ordering: .relaxed) }

    /// Takes a place for a socket. `false` when there is none.
    func admitSocket() -> Bool { Admission.admit(sockets, socketLimit) }
    func releaseSocket() { sockets.wrappingSubtract(1, ordering: .relaxed) }

    private static func admit(_ count: borrowing Atomic<Int>, _ limit: Int) -> Bool {
        if count.wrappingAdd(1, ordering: .relaxed).newValue <= limit { return true }
        count.wrappingSubtract(1, ordering: .relaxed)
        return false
    }
}
