import Glibc
import Storage

/// The thread of a loop. The loop is made on it and never leaves it.
final class LoopThread: Sendable {
    /// The decoder goes one level deeper for each level of a message, on this stack.
    private static let stackBytes = 4 * 1_048_576

    /// What the thread is given, and what it reports when its loop is ready or could not start.
    private final class Start: Sendable {
        let index: UInt16
        let settings: LoopSettings
        let inbox: LoopInbox
        private let outcome = Monitor<Result<Void, GatewayError>?>(nil)

        init(index: UInt16, settings: LoopSettings, inbox: LoopInbox) {
            self.index = index
            self.settings = settings
            self.inbox = inbox
        }

        func run() {
            do throws(GatewayError) {
                let loop = try Loop(index: index, settings: settings, inbox: inbox)
                outcome.update { $0 = .success(()) }
                loop.run()
            } catch {
                outcome.update { $0 = .failure(error) }
            }
        }

        func wait() throws(GatewayError) {
            try (outcome.wait { $0 } ?? .success(())).get()
        }
    }

    private let thread: pthread_t
    private let isJoined = Monitor(false)

    /// Starts the thread and waits until its loop is ready.
    init(index: UInt16, settings: LoopSettings, inbox: LoopInbox) throws(GatewayError) {
        let start = Start(index: index, settings: settings, inbox: inbox)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, LoopThread.stackBytes)
        defer { pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, Unmanaged.passRetained(start).toOpaque())
        guard status == 0 else { throw .eventLoop(reason: String(cString: strerror(status))) }
        self.thread = thread
        do {
            try start.wait()
        } catch {
            pthread_join(thread, nil)
            throw error
        }
    }

    /// Waits for the end of the thread; callable any number of times.
    func join() {
        isJoined.with { isJoined in
            if !isJoined { pthread_join(thread, nil) }
            isJoined = true
        }
    }
}
