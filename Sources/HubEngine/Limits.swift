/// What a database accepts. Counts and sizes only, never time or memory pressure, so that the same input always gets
/// the same answer.
package struct Limits: Sendable, Equatable {
    /// Listens a session may hold at once.
    package var listensPerSession = 10_000
    /// Places a session may have registered for its end.
    package var onDisconnectOperationsPerSession = 10_000
    /// Requests that may wait behind one answer that is being worked out.
    package var backlogPerSession = 50_000
    /// Subtrees of more leaves than this are hashed, indexed and serialised away from the engine.
    package var inlineLeaves = 2_000
    /// Indexes of `.indexOn` that are kept for each database while nobody asks.
    package var keptIndexes = 64
    /// Answers above this many bytes are generated as the socket drains.
    package var inlineAnswerBytes = 1_048_576
    /// Write ids remembered for each database, the newest ones.
    package var rememberedWriteIDs = 100_000
    /// How long a write id is remembered, in milliseconds.
    package var writeIDLifetime: Int64 = 24 * 3600 * 1000
    /// Leases of a namespace.
    package var leases = 10_000
    /// How long a lease may last without being renewed, in milliseconds.
    package var leaseTimes: ClosedRange<Int64> = 5_000...86_400_000
    /// Bytes of a write id.
    package var writeIDBytes = 128
    /// Users whose last visit is remembered by the presence node, the newest ones.
    package var rememberedLastSeen = 100_000
    /// Milliseconds between two updates of the presence node's numbers.
    package var presenceStatsInterval: Int64 = 200

    package init() {}
}
