import DataTree
import Storage

/// The thread that brings state stores forward, one at a time, so that no commit ever waits for it.
package final class StateKeeper: Sendable {
    private let queue = WorkQueue()
    private let log: Logger

    package init(log: Logger) { self.log = log }

    /// Waits until the snapshot's position is durable, brings `store` forward to it, and lets the log go up to there.
    /// - Parameter refusals: how many refusals of the log the snapshot takes into account.
    func save(
        _ snapshot: StateSnapshot, from: Node, to store: any StateStore, when releases: ReleaseQueue,
        knowing refusals: Int, trimming commitLog: any CommitLog, then finished: @escaping @Sendable (Bool) -> Void
    ) {
        let log = log
        queue.add {
            guard releases.waitUntilDurable(snapshot.position, knowing: refusals) else {
                finished(false)
                return
            }
            do {
                try store.advance(
                    from: from, to: snapshot.tree, records: snapshot.records, position: snapshot.position)
                commitLog.trim(through: snapshot.position)
                finished(true)
            } catch {
                log.warning("state.save_failed", ["error": "\(error)"])
                finished(false)
            }
        }
    }

    /// False when a pass takes too long to wait for it.
    func stop() -> Bool { queue.stop() }
}
