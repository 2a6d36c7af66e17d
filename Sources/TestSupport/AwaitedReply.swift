import HubEngine
import Storage

/// Keeps what a hub or an engine replies, and how often.
package final class AwaitedReply<Value: Sendable>: Sendable {
    private let values = Monitor<[Value]>([])

    package init() {}

    package func set(_ value: Value) { values.update { $0.append(value) } }

    /// Nil while there is none.
    package var value: Value? { values.with { $0.last } }

    /// How often something was replied.
    package var count: Int { values.with { $0.count } }

    /// The reply, once it is there; nil if it takes longer than twenty seconds.
    package func wait() -> Value? {
        values.wait(until: monotonicNanoseconds() + 20_000_000_000) { $0.last }
    }

    /// A reply that fills this.
    package func reply(otherwise: Value) -> OneReply<Value> {
        OneReply(otherwise: otherwise) { self.set($0) }
    }
}
