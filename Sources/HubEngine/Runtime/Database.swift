import DataTree
import Glibc
import Storage
import Synchronization
import WireProtocol

/// One namespace at run time: an engine, its log and its state store, and the right to use them, which one thread at a time
/// has.
///
/// Whoever posts mail while nobody serves the mailbox serves it: mostly the gateway loop that has just read a request, which
/// saves waking another thread for it. What is long has a thread of its own: opening, closing, and a queue that would not
/// get empty. An idle namespace holds no thread and, after a while, no memory.
package final class Database: SessionEventSink, Sendable {
    /// What a database needs from its hub.
    struct Environment: Sendable {
        var configuration: EngineConfiguration
        /// The rules of the hub's configuration, as last read.
        var rules: Monitor<ConfiguredRules?>
        var storage: any NamespaceStorage
        var clock: HubClock
        var outlets: Outlets
        var work: WorkQueue
        var keeper: StateKeeper
        var timer: HubTimer
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
    private let life = Confined<DatabaseLife?>(nil)
    /// When the timer will look after this database; as late as possible, so that most mail leaves it alone.
    private let alarm = Confined<UInt64>(.max)
    private let isLoaded = Atomic(false)
    private let stopped = Monitor(false)
    /// The namespace is deleted, or about to be.
    private let isDiscarded = Atomic(false)

    /// Mail that a thread with other duties handles in one go before it hands the database on.
    private static let turn = 1024

    init(environment: Environment) { self.environment = environment }

    /// The configuration as it is now.
    var currentConfiguration: EngineConfiguration {
        var configuration = environment.configuration
        configuration.rules = environment.rules.with { $0 }
        return configuration
    }

    /// Whether it is in memory, or on its way. May change at any time.
    var isInMemory: Bool { isLoaded.load(ordering: .acquiring) || mailbox.isServed }

    package var name: String { environment.configuration.namespace }

    package func post(_ events: [SessionEvent]) {
        let leaves = limits.inlineLeaves
        guard events.contains(where: { $0.needsPreparation(above: leaves) }) else {
            return post(events.map(Mail.event))
        }
        var rest: [SessionEvent] = []
        for event in events {
            guard case .call(let connection, let call) = event, call.needsPreparation(above: leaves) else {
                rest.append(event)
                continue
            }
            // A call waits for nothing before it, so it may come later.
            environment.work.add { [weak self] in
                self?.post([.event(.call(connection, call.prepared(above: leaves) ?? call))], mayServe: false)
            }
        }
        if !rest.isEmpty { post(rest.map(Mail.event)) }
    }

    var limits: Limits { environment.configuration.limits }

    package var backlog: Int { mailbox.backlog }

    /// - Parameter mayServe: whether the caller's thread may do the work itself. The log's thread may not: the work can wait
    ///   for the log.
    func post(_ mail: [Mail], mayServe: Bool = true) {
        switch mailbox.post(mail) {
        case .taken: return
        case .lost: return turnAway(lost: mail)
        case .needsThread: break
        }
        if mayServe, isLoaded.load(ordering: .acquiring) {
            serve(asGuest: true)
        } else {
            serveOnOwnThread()
        }
    }

    private func serveOnOwnThread() {
        guard !startThread({ self.serve(asGuest: false) }) else { return }
        environment.log.error("database.no_thread", ["namespace": LogValue(name)])
        environment.fail(.system(operation: "start a thread", file: name, code: EAGAIN))
    }

    /// The timer's call: the time has come that was set. One that has left memory since does not come back for that.
    func ring() {
        if isInMemory { post([.alarm]) }
    }

    /// Opens the database now, on the caller's thread: recovers what a crash left and ends its sessions.
    func openNow() throws {
        // Whoever posts meanwhile, the log for one, must not open it a second time.
        guard case .needsThread = mailbox.post([]) else { return }
        life.value = try DatabaseLife(self, mayStayUnborn: false)
        isLoaded.store(true, ordering: .releasing)
        serve(asGuest: false)
    }

    /// Ends all sessions and stores what is to be stored; `waitUntilStopped` returns when that is done.
    func beginStop() {
        // What is not in memory has nothing to end and nothing to store.
        if mailbox.close(unless: { isLoaded.load(ordering: .acquiring) }) {
            stopped.update { $0 = true }
        } else {
            post([.endAll, .stop])
        }
    }

    /// Ends all sessions as kicked and lets go of the files without storing anything more; `waitUntilStopped` returns when that
    /// is done.
    func beginDiscarding() {
        isDiscarded.store(true, ordering: .releasing)
        if mailbox.close(unless: { isLoaded.load(ordering: .acquiring) }) {
            stopped.update { $0 = true }
        } else {
            post([.discard])
        }
    }

    func waitUntilStopped() { _ = stopped.wait { $0 ? true : nil } }

    /// Nothing is stored and nobody is connected: the namespace exists in name only.
    var isForgettable: Bool {
        !environment.storage.exists && !mailbox.isServed && !isLoaded.load(ordering: .acquiring)
    }

    /// Handles mail until there is none. Only one thread is ever in here: the one that the mailbox told to serve.
    /// - Parameter asGuest: the thread has other duties; it leaves what is long to a thread of its own.
    private func serve(asGuest: Bool) {
        var handled = 0
        while true {
            let current: DatabaseLife
            switch life.value.map(Opening.opened) ?? open() {
            case .opened(let life): current = life
            case .refused(let error):
                if turnAway(mailbox.take(), error) || mailbox.leave() { return }
                continue
            case .failed: return
            }
            let mail = mailbox.take()
            current.accept(mail)
            var step = DatabaseLife.Step.more
            while case .more = step {
                step = current.step(settling: mailbox, mayMakeFiles: !asGuest)
            }
            switch step {
            case .stopped:
                // Waiting for a pass of the state store to end is not for somebody with other duties.
                if asGuest && isDiscarded.load(ordering: .acquiring) { return serveOnOwnThread() }
                mailbox.close()
                let late = mailbox.take()
                mailbox.settle(late[...])
                turnAway(lost: late)
                close(current)
                stopped.update { $0 = true }
                return
            case .needsFiles:
                return serveOnOwnThread()
            case .finished, .more:
                break
            }
            if current.mayClose {
                if asGuest { return serveOnOwnThread() }
                close(current)
                if mailbox.leave() { return }
                continue
            }
            setAlarm(current.deadline, rang: mail)
            if mailbox.leave() { return }
            handled += mail.count
            if asGuest && handled > Self.turn { return serveOnOwnThread() }
        }
    }

    private func setAlarm(_ deadline: UInt64, rang mail: [Mail]) {
        let hasRung = mail.contains { if case .alarm = $0 { true } else { false } }
        guard hasRung || deadline < alarm.value else { return }
        alarm.value = deadline
        if deadline == .max { return }
        environment.timer.set(self, at: deadline)
    }

    /// What came of bringing the database into memory.
    private enum Opening {
        case opened(DatabaseLife)
        /// Not now: its clients are turned away, and the next one tries again.
        case refused(StorageError)
        /// The hub ends.
        case failed
    }

    private func open() -> Opening {
        do {
            let opened = try DatabaseLife(self, mayStayUnborn: true)
            life.value = opened
            isLoaded.store(true, ordering: .releasing)
            return .opened(opened)
        } catch {
            let error = (error as? StorageError) ?? .damaged(file: name, offset: nil, detail: "\(error)")
            environment.log.error("database.open_failed", ["namespace": LogValue(name), "error": "\(error)"])
            if error.isPassing { return .refused(error) }
            environment.fail(error)
            return .failed
        }
    }

    /// Answers mail that there is no database for.
    /// - Returns: whether the database has stopped with it.
    private func turnAway(_ mail: [Mail], _ error: StorageError) -> Bool {
        defer { mailbox.settle(mail[...]) }
        for item in mail {
            switch item {
            case .event(.opened(let connection, _)):
                var outbox = Outbox()
                outbox.close(connection, .unavailable)
                environment.outlets.post(outbox.take().outputs)
            case .event(.call(let connection, _)):
                var outbox = Outbox()
                outbox.answer(.refused(.unavailable("\(error)")), to: connection)
                environment.outlets.post(outbox.take().outputs)
            case .changeRules(let change): change.reply(.failure(.unavailable("\(error)")))
            case .readRules(let reply): reply(RulesHistory())
            case .create(let reply): reply.send(.unavailable("\(error)"))
            case .stop, .discard:
                mailbox.close()
                stopped.update { $0 = true }
                return true
            default: break
            }
        }
        return false
    }

    /// Tells clients who came too late that the namespace is gone. When the hub stops, their loops do.
    private func turnAway(lost mail: [Mail]) {
        guard isDiscarded.load(ordering: .acquiring) else { return }
        var outbox = Outbox()
        for item in mail {
            switch item {
            case .event(.opened(let connection, _)): outbox.close(connection, .kicked)
            case .event(.call(let connection, _)):
                outbox.answer(.refused(.unavailable("\(NamespaceRefusal.leaving(name))")), to: connection)
            case .changeRules(let change):
                change.reply(.failure(.unavailable("\(NamespaceRefusal.leaving(name))")))
            case .readRules(let reply): reply(RulesHistory())
            default: break
            }
        }
        if !outbox.isEmpty { environment.outlets.post(outbox.take().outputs) }
    }

    private func close(_ current: DatabaseLife) {
        isLoaded.store(false, ordering: .releasing)
        current.close()
        life.value = nil
        alarm.value = .max
    }
}

extension Mail {
    /// About how much memory it holds, in units of 64 bytes.
    var weight: Int {
        if case .event(.call(_, let call)) = self { return 1 + call.weight }
        if case .administer(.importData(let request)) = self { return 1 + request.node.weight }
        guard case .event(.message(_, .request(let request))) = self else { return 1 }
        switch request.action {
        case .put(_, let node, _, _), .onDisconnectPut(_, let node): return 1 + node.weight
        case .merge(_, let changes, _, _), .onDisconnectMerge(_, let changes):
            return changes.reduce(1) { $0 + 1 + $1.1.weight }
        default: return 1
        }
    }
}

extension Call {
    fileprivate var weight: Int {
        if case .lease(let request) = operation { return request.leaves }
        guard case .write(let write) = operation else { return 0 }
        switch write.change {
        case .put(let node), .push(let node): return node.weight
        case .update(let changes): return changes.reduce(0) { $0 + 1 + $1.1.weight }
        }
    }
}

extension Node {
    fileprivate var weight: Int {
        // To walk a large node would take longer than it is worth.
        leafCount > 10_000 ? 2 * leafCount : leafCount + textBytes(atMost: 1 << 26) / 64
    }
}

/// A value that one thread at a time uses, handed on by other means.
private final class Confined<Value>: @unchecked Sendable {
    // Unchecked because the mailbox's `isServed`, changed under its lock, says whose turn it is.
    var value: Value

    init(_ value: Value) { self.value = value }
}
