import Glibc

/// Values shared between threads, with waiting: a mutex and a condition variable.
///
/// `Synchronization.Mutex` has no way to sleep until another thread changes something; this has. And Thread Sanitizer sees it,
/// whereas the contended path of that one is hidden from it and everything behind it looks unguarded.
package final class Monitor<State>: @unchecked Sendable {
    // Unchecked because the compiler cannot see that `state` is only touched under `mutex`.
    private var state: State
    // Pointers, because POSIX locks must not move.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var waiters = 0

    package init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Reads or changes the state, and wakes whoever waits for a change.
    package func update<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        let result = body(&state)
        let isWaitedFor = waiters > 0
        pthread_mutex_unlock(mutex)
        // After the unlock: who wakes up finds the lock free and need not sleep a second time.
        if isWaitedFor { pthread_cond_broadcast(condition) }
        return result
    }

    /// Reads or changes the state in a way that nobody waits for.
    package func with<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Sleeps until `answer` returns a value, or until `deadline` (nanoseconds of `monotonicNanoseconds`), then nil.
    package func wait<Result>(until deadline: UInt64? = nil, for answer: (inout State) -> Result?) -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = answer(&state) { return result }
            waiters += 1
            defer { waiters -= 1 }
            guard let deadline else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            var time = timespec(
                tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return answer(&state) }
        }
    }
}

/// The clock that deadlines of `Monitor` refer to.
package func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Sleeps until a moment of `monotonicNanoseconds`; returns at once if it is past.
package func sleepUntil(_ deadline: UInt64) {
    var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
    guard deadline > monotonicNanoseconds() else { return }
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
}
