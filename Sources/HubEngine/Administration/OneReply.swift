import Synchronization

/// Tells somebody one thing, once: what `send` is given first or, if nobody ever sends, a given answer when the last one who
/// could have sent is gone. Whoever asks a database that stops, or that cannot be opened, is not left waiting.
package final class OneReply<Value: Sendable>: Sendable {
    private let otherwise: Value
    private let body: @Sendable (Value) -> Void
    private let isSent = Atomic(false)

    /// - Parameters:
    ///   - otherwise: what is told when nobody sends.
    ///   - body: called once, on any thread, and maybe with locks held: it must not wait.
    package init(otherwise: Value, _ body: @escaping @Sendable (Value) -> Void) {
        self.otherwise = otherwise
        self.body = body
    }

    /// Only the first value counts.
    package func send(_ value: Value) {
        if !isSent.exchange(true, ordering: .acquiringAndReleasing) { body(value) }
    }

    deinit {
        if !isSent.load(ordering: .acquiring) { body(otherwise) }
    }
}
