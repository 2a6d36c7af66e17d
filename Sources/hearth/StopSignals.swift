import Glibc
import Storage

/// The signals that a running hub answers to, taken one at a time by the main thread.
///
/// They are blocked in every thread, so no thread of the hub or of a C library is ever interrupted by one.
final class StopSignals: Sendable {
    enum Event: Equatable {
        /// SIGTERM or SIGINT.
        case stop(signal: String)
        /// SIGHUP.
        case reload
        /// `fail` was called: the hub cannot go on.
        case failed(String)
    }

    private let failure = Monitor<String?>(nil)

    /// Blocks the signals in this thread and all that it starts from now on: call it before there are others.
    init() {
        var signals = StopSignals.set
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for the next event.
    func next() -> Event {
        var signals = StopSignals.set
        while true {
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { continue }
            switch number {
            case SIGHUP: return .reload
            case SIGTERM: return .stop(signal: "SIGTERM")
            case SIGINT: return .stop(signal: "SIGINT")
            default:
                if let reason = failure.with({ $0 }) { return .failed(reason) }
            }
        }
    }

    /// Makes `next` return `failed`; callable from any thread. The first reason stays.
    func fail(_ reason: String) {
        failure.with { $0 = $0 ?? reason }
        kill(getpid(), SIGUSR1)
    }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGUSR1] { sigaddset(&set, signal) }
        return set
    }
}
