import Glibc
import Storage
import Synchronization

/// Whether a signal asked a long sub-command to end, for those that have something to tidy up first.
enum Interruption {
    private static let received = Atomic<Int32>(0)

    static var hasCome: Bool { received.load(ordering: .relaxed) != 0 }

    /// From now on SIGINT, SIGTERM and SIGHUP are noted, and wake who waits; a second one ends the process at once.
    static func expect() {
        // The value must exist before a handler asks for it.
        received.store(0, ordering: .relaxed)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            if Interruption.received.exchange(number, ordering: .relaxed) != 0 { _exit(128 + number) }
        }
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaction(number, &action, nil) }
    }

    /// Waits on the monotonic clock; false when a signal came before or meanwhile.
    static func sleep(_ duration: Duration) -> Bool {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
        let deadline = monotonicNanoseconds() + nanoseconds
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        while !hasCome, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
        return !hasCome
    }
}
