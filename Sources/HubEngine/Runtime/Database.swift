import DataTree
import Storage
import WireProtocol

/// One namespace at run time: an engine, the thread that owns it while there is something to do, its log and its state
/// store.
///
/// The thread takes the mailbox in batches: it applies them one by one, hands what is durable to the log, and goes on with
/// the next batch while the log writes. An idle namespace holds no thread.
package final class Database: SessionEventSink, Sendable {
    /// What a database needs from its hub.
    struct Environment: Sendable {
        var configuration: EngineConfiguration
        var storage: any NamespaceStorage
        var clock: HubClock
        var outlets: Outlets
        var work: WorkQueue
        var keeper: StateKeeper
        var metrics: Metrics
        var log: Logger
        /// Called when the log cannot say any more what is durable: the hub must end.
        var fail: @Sendable (StorageError) -> Void
        /// How long a namespace without sessions keeps its thread and memory, in nanoseconds.
        var idleTime: UInt64 = 60_000_000_000
    }

    let environment: Environment
    private let mailbox = Mailbox()
    /// Touched by the serving thread only; `Mailbox` lets one thread serve at a time.
    private let life: Confined<DatabaseLife?>
    private let stopped = Monitor(false)

    init(environment: Environment) {
        self.environment = environment
        life = Confined(nil)
    }

    package var name: String { environment.configuration.namespace }

    package func post(_ events: [SessionEvent]) {
        post(events.map(Mail.event))
    }

    package var backlog: Int { mailbox.backlog }

    func post(_ mail: [Mail]) {
        guard mailbox.post(mail) else { return }
        if !startThread({ self.serve() }) {
            environment.log.error("database.no_thread", ["namespace": LogValue(name)])
            environment.fail(.system(operation: "start a thread", file: name, code: 11))
        }
    }

    /// Opens the database now, on the caller's thread: recovers what a crash left and ends its sessions.
    func openNow() throws {
        life.value = try DatabaseLife(self, mayStayUnborn: false)
        post([Mail]())
    }

    /// Ends all sessions and stores what is to be stored; `waitUntilStopped` returns when that is done.
    func beginStop() { post([.endAll, .stop]) }

    func waitUntilStopped() { _ = stopped.wait { $0 ? true : nil } }

    /// Nothing is stored, nobody is connected and no thread is there: the namespace exists in name only.
    var isForgettable: Bool { !environment.storage.exists && !mailbox.isServed }

    private func serve() {
        while true {
            var current = life.value
            if current == nil {
                do {
                    current = try DatabaseLife(self, mayStayUnborn: true)
                    life.value = current
                } catch {
                    environment.log.error("database.open_failed", ["namespace": LogValue(name), "error": "\(error)"])
                    environment.fail((error as? StorageError) ?? .damaged(file: name, offset: nil, detail: "\(error)"))
                    return
                }
            }
            guard let current else { return }
            let mail = mailbox.take(until: current.deadline)
            let isStopping = current.handle(mail, settling: mailbox)
            if isStopping {
                mailbox.close()
                current.close()
                life.value = nil
                stopped.update { $0 = true }
                return
            }
            if mail.isEmpty, current.isIdle, mailbox.leave() {
                current.close()
                life.value = nil
                return
            }
        }
    }
}

extension Mail {
    /// About how much memory it holds, in units of 64 bytes.
    var weight: Int {
        guard case .event(.message(_, .request(let request))) = self else { return 1 }
        switch request.action {
        case .put(_, let node, _, _), .onDisconnectPut(_, let node): return 1 + node.weight
        case .merge(_, let changes, _, _), .onDisconnectMerge(_, let changes):
            return changes.reduce(1) { $0 + 1 + $1.1.weight }
        default: return 1
        }
    }
}

extension Node {
    fileprivate var weight: Int { leafCount + textBytes(atMost: 1 << 26) / 64 }
}

/// A value that one thread at a time uses, handed on by other means.
private final class Confined<Value>: @unchecked Sendable {
    // Unchecked because the mailbox's `isServed`, changed under its lock, says whose turn it is.
    var value: Value

    init(_ value: Value) { self.value = value }
}
