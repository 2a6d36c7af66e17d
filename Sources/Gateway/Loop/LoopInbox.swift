import CLibwebsockets
import Glibc
import HubEngine
import Storage
import Synchronization

/// A socket on its way from the accepting loop to the loop that will serve it.
struct AcceptedSocket: Sendable {
    var descriptor: Int32
    var remoteAddress: String
    var isAdministrative: Bool
    var usesTLS: Bool
}

/// What the gateway asks of a loop, or another loop does.
enum LoopCommand: Sendable {
    /// Accept from these sockets.
    case listen([ListeningSocket])
    case stopAccepting
    /// Close all sessions, spread over so many milliseconds.
    case drain(milliseconds: Int)
    case reloadCertificate
    case longPoll(LongPollCommand)
    /// Cut what is left and end the thread.
    case end
}

/// Where other threads put what a loop shall do. The loop is woken only when the inbox was empty.
final class LoopInbox: LoopOutlet {
    /// What the loop takes out at once.
    struct Contents {
        var outputs: [[LoopOutput]] = []
        var sockets: [AcceptedSocket] = []
        var commands: [LoopCommand] = []
        var responses: [(response: HTTPResponse, to: ConnectionID, number: UInt32)] = []

        var isEmpty: Bool { outputs.isEmpty && sockets.isEmpty && commands.isEmpty && responses.isEmpty }
    }

    /// The loop's wake-up handle: `uv_async_send` is the one libuv call that is safe from other threads.
    struct Wake: @unchecked Sendable {
        let handle: UnsafeMutablePointer<uv_async_t>
    }

    private struct State {
        var contents = Contents()
        var wake: Wake?
        /// The loop's own thread: what it posts to itself it takes out at the end of its turn.
        var thread: pthread_t?
        var isClosed = false
    }

    private let state = Monitor(State())
    /// Deliveries that were posted and not taken out yet: how far the loop is behind.
    private let waiting = Atomic<Int>(0)

    private let ownPosts = Atomic(false)

    /// The loop's own thread has posted something and has not been woken for it.
    var hasOwnPosts: Bool { ownPosts.load(ordering: .relaxed) }

    /// See `waiting`; callable from any thread.
    var waitingDeliveries: Int { waiting.load(ordering: .relaxed) }

    func post(_ outputs: [LoopOutput]) {
        guard !outputs.isEmpty else { return }
        var deliveries = 0
        for output in outputs {
            if case .fanOut(_, let list) = output { deliveries += list.count } else { deliveries += 1 }
        }
        waiting.wrappingAdd(deliveries, ordering: .relaxed)
        put { $0.outputs.append(outputs) }
    }

    /// Answers a request over HTTP by its number.
    func post(_ response: HTTPResponse, to id: ConnectionID, number: UInt32) {
        put { $0.responses.append((response, id, number)) }
    }

    func post(_ command: LoopCommand) { put { $0.commands.append(command) } }

    /// Hands a socket over. `false` when the loop has ended; the socket then is still the caller's.
    @discardableResult
    func post(_ socket: AcceptedSocket) -> Bool { put { $0.sockets.append(socket) } }

    /// Lets other threads wake the loop, or no longer. Called by the loop, before its handle is valid for others and before it
    /// is closed.
    func setWake(_ wake: Wake?) {
        state.with {
            $0.wake = wake
            $0.thread = wake == nil ? nil : pthread_self()
            if let wake { uv_async_send(wake.handle) }
            if wake == nil { $0.isClosed = true }
        }
    }

    /// Everything that came since the last call.
    func takeAll() -> Contents {
        let contents = state.with { state in
            let contents = state.contents
            if !contents.isEmpty { state.contents = Contents() }
            ownPosts.store(false, ordering: .relaxed)
            return contents
        }
        if !contents.outputs.isEmpty { waiting.store(0, ordering: .relaxed) }
        return contents
    }

    @discardableResult
    private func put(_ change: (inout Contents) -> Void) -> Bool {
        state.with { state in
            guard !state.isClosed else { return false }
            let wasEmpty = state.contents.isEmpty
            change(&state.contents)
            // Inside the lock: the handle is closed under it too.
            if wasEmpty, let wake = state.wake {
                if let thread = state.thread, pthread_equal(thread, pthread_self()) != 0 {
                    ownPosts.store(true, ordering: .relaxed)
                } else {
                    uv_async_send(wake.handle)
                }
            }
            return true
        }
    }
}
