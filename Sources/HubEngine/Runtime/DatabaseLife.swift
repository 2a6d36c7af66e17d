import DataTree
import Storage
import WireProtocol

/// A database while it is in memory: from recovery to the last write. Confined to the thread that serves it.
final class DatabaseLife {
    private unowned let database: Database
    private let environment: Database.Environment
    private let engine: Engine
    /// Nil while nothing is stored: a namespace of `--dev` comes into being with its first write.
    private var storage: (log: any CommitLog, state: any StateStore)?
    private let releases: ReleaseQueue
    private var lastPosition: LogPosition = .none
    private var savedTree: Node = .empty
    private var savedPosition: LogPosition = .none
    private var bytesSinceSave = 0
    private var isSaving = false
    private var lastSave: UInt64
    private var lastMail: UInt64
    /// Mail that is not handled yet.
    private var pending: ArraySlice<Mail> = []
    /// A batch that is handled and whose outputs have not left.
    private var handledBatch: ArraySlice<Mail>?
    private var isStopping = false
    /// Nothing is to be stored any more.
    private var isDiscarded = false
    /// Who wants the namespace's files made.
    private var creations: [OneReply<NamespaceFailure?>] = []
    private var keys = PushIdentifierGenerator()
    private var leaseTimes = LeaseTimes()
    /// How many refusals of the log have been dealt with.
    private var refusals = 0

    /// Proposals handled before their outputs are let go.
    private static let batchSize = 512
    /// Outputs that may wait for the disk before the engine stops taking more, in bytes.
    private static let heldBytes = 256 << 20
    private static let saveBytes = 64 << 20
    private static let saveInterval: UInt64 = 30_000_000_000
    /// How long to wait before looking again whether an idle database may close, in nanoseconds.
    private static let idlePause: UInt64 = 1_000_000_000
    /// What the log may hold at the end without the state store having it, in bytes: the next start redoes it.
    private static let unsavedBytes = 8 << 20
    /// How long the end waits for a pass of the state store, in nanoseconds.
    private static let closeTime: UInt64 = 3_000_000_000

    /// Loads the state, redoes the log, and runs what sessions of the last run left to be written.
    init(_ database: Database, mayStayUnborn: Bool) throws {
        self.database = database
        environment = database.environment
        let name = environment.configuration.namespace
        var image = DurableImage()
        var redone = 0
        var redoneBytes = 0
        if environment.storage.exists || !mayStayUnborn {
            let (log, store) = try environment.storage.open()
            storage = (log, store)
            let loaded = try store.load()
            image = try DurableImage(loaded)
            savedTree = loaded.tree
            savedPosition = loaded.position
            try log.replay(after: loaded.position) { _, bytes in
                image.redo(try LogEntry(decoding: bytes))
                redone += 1
                redoneBytes += bytes.count
            }
        }
        // What is redone counts as not saved: a hub that keeps crashing must not keep an ever longer log.
        bytesSinceSave = redoneBytes
        image.incarnation += 1
        engine = Engine(
            configuration: database.currentConfiguration, image: image, metrics: environment.metrics,
            log: environment.log)
        releases = ReleaseQueue(outlets: environment.outlets, commitSeconds: environment.metrics.commitSeconds)
        lastSave = monotonicNanoseconds()
        lastMail = lastSave
        guard let log = storage?.log else { return }
        environment.log.info(
            "database.opened",
            [
                "namespace": LogValue(name), "leaves": LogValue(integerLiteral: image.tree.leafCount),
                "redone": LogValue(integerLiteral: redone),
                "open_sessions": LogValue(integerLiteral: image.sessions.count),
                "rules": LogValue(engine.rules.name(of: engine.rulesHistory)),
            ])
        begin(log)
        // The incarnation must be durable before a session is named after it; left-over sessions end in the same commit.
        engine.noteIncarnation()
        let time = environment.clock.milliseconds()
        engine.enactConfiguredRules(time: time)
        engine.endLeftOver(image.sessions, time: time)
        finishBatch()
        _ = releases.waitUntilDurable(lastPosition, knowing: refusals)
    }

    private func begin(_ log: any CommitLog) {
        lastPosition = log.lastPosition
        releases.begin(at: lastPosition)
        let fail = environment.fail
        log.start { [weak database, releases] delivery in
            switch delivery {
            case .durable(let position): releases.release(through: position)
            case .refused(let position, let error):
                releases.refuse(from: position)
                database?.post([.refused(from: position, error)], mayServe: false)
            case .failed(let error): fail(error)
            }
        }
    }

    /// Makes the namespace's files for its first write. Without them the write is refused like one that finds no space.
    private func bringIntoBeing() -> (any CommitLog)? {
        if let log = storage?.log { return log }
        do {
            let opened = try environment.storage.open()
            _ = try opened.1.load()
            storage = (opened.0, opened.1)
            begin(opened.0)
            engine.noteIncarnation()
            engine.enactConfiguredRules(time: environment.clock.milliseconds())
            environment.log.info("database.created", ["namespace": LogValue(environment.configuration.namespace)])
            tellCreators(nil)
            return opened.0
        } catch {
            environment.log.warning("database.create_failed", ["error": "\(error)"])
            engine.rollBack(from: LogPosition(1), reason: "\(error)")
            tellCreators(.unavailable("\(error)"))
            return nil
        }
    }

    private func tellCreators(_ failure: NamespaceFailure?) {
        for creation in creations { engine.tell(creation, failure) }
        creations = []
    }

    /// When to look again without mail, by the monotonic clock; `.max` when only mail can change anything.
    var deadline: UInt64 {
        let now = monotonicNanoseconds()
        var deadline = UInt64.max
        if bytesSinceSave > 0, !isSaving, environment.storage.isPersistent { deadline = lastSave + Self.saveInterval }
        if engine.sessionCount == 0 && canLeave {
            // What stands in the way of closing when the time has come may take a while to go.
            let pause = min(environment.idleTime, Self.idlePause)
            deadline = min(deadline, max(lastMail + environment.idleTime, now + pause))
        }
        deadline = min(deadline, leaseTimes.next)
        if let due = engine.nextDeadline {
            let left = max(0, due - environment.clock.milliseconds())
            deadline = min(deadline, now + UInt64(min(left, 3_600_000)) * 1_000_000)
        }
        return deadline
    }

    /// Whether it can leave memory and come back: what is in no file stays.
    private var canLeave: Bool { environment.storage.isPersistent || storage == nil }

    /// Nobody has been connected for a while.
    private var isIdle: Bool {
        canLeave && engine.sessionCount == 0 && monotonicNanoseconds() >= lastMail + environment.idleTime
    }

    /// It is idle, and everything is stored.
    var mayClose: Bool {
        isIdle && !engine.owesEnds && !isSaving && releases.isEmpty
            && bytesSinceSave == 0
    }

    /// What a step of work led to.
    enum Step {
        case finished
        /// There is more to handle.
        case more
        /// The namespace's files have to be made, which takes a thread that may wait.
        case needsFiles
        case stopped
    }

    /// Adds mail to what the next steps handle.
    func accept(_ mail: [Mail]) {
        let isSomebodyThere = mail.contains { item in
            switch item {
            // Whoever looks again and again at what there is does not keep it in memory.
            case .alarm, .saved, .administer(.inquire): false
            default: true
            }
        }
        if isSomebodyThere { lastMail = monotonicNanoseconds() }
        if pending.isEmpty { pending = mail[...] } else { pending += mail }
    }

    /// Handles a batch and lets its outputs go, now or when they are durable.
    /// - Parameter mayMakeFiles: whether the caller may wait for the disk.
    func step(settling mailbox: Mailbox, mayMakeFiles: Bool) -> Step {
        if handledBatch == nil {
            releases.waitForRoom(limit: Self.heldBytes)
            engine.settled(through: releases.durable)
            let time = environment.clock.milliseconds()
            let batch = pending.prefix(Self.batchSize)
            for item in batch { handle(item, time: time) }
            pending = pending.dropFirst(batch.count)
            if pending.isEmpty { endLeases(time: time) }
            engine.apply(Proposal(.tick, time: time))
            handledBatch = batch
        }
        if needsFiles && !mayMakeFiles { return .needsFiles }
        finishBatch()
        if let batch = handledBatch { mailbox.settle(batch) }
        handledBatch = nil
        if !pending.isEmpty { return .more }
        if isStopping { return .stopped }
        saveIfDue()
        return .finished
    }

    private func handle(_ mail: Mail, time: Int64) {
        switch mail {
        case .event(.opened(let connection, let opening)):
            let random = (environment.clock.random(), environment.clock.random())
            let id = SessionID(incarnation: engine.incarnation, random: random)
            engine.apply(Proposal(.open(connection, opening, id), time: time))
        case .event(.message(let connection, let message)):
            switch message {
            case .request(let request): engine.apply(Proposal(.request(connection, request), time: time))
            case .ping: engine.apply(Proposal(.ping(connection), time: time))
            case .keepAlive, .control, .switchAcknowledged, .transmissionEnded: break
            }
        case .event(.call(let connection, let call)):
            engine.apply(Proposal(.call(connection, named(call), key: freshKey(time: time)), time: time))
        case .event(.closed(let connection, let reason)):
            engine.apply(Proposal(.end(connection, reason), time: time))
        case .changeRules(let change):
            engine.apply(Proposal(.changeRules(change), time: time))
        case .configureRules(let rules):
            engine.apply(Proposal(.configureRules(rules), time: time))
        case .readRules(let reply):
            engine.apply(Proposal(.readRules(reply), time: time))
        case .administer(let request):
            engine.apply(Proposal(.administer(request), time: time))
        case .worked(let result):
            engine.apply(Proposal(.answered(result), time: time))
        case .refused(let position, let error):
            environment.log.warning(
                "storage.refused", ["namespace": LogValue(environment.configuration.namespace), "error": "\(error)"])
            engine.settled(through: releases.durable)
            engine.rollBack(from: position, reason: "\(error)")
            lastPosition = LogPosition(position.value - 1)
            releases.resume(from: position)
            refusals += 1
            storage?.log.resume()
        case .saved(let records, let succeeded, let position):
            finishSave(records, succeeded: succeeded, position: position)
        case .endAll:
            engine.endAll(.serverStopping, time: time)
        case .create(let reply):
            if storage == nil { creations.append(reply) } else { engine.tell(reply, .exists(database.name)) }
        case .discard:
            isDiscarded = true
            isStopping = true
        case .stop:
            isStopping = true
        case .alarm:
            break
        }
    }

    /// A call with the random bits that it may need.
    private func named(_ call: Call) -> Call {
        guard case .lease(var request) = call.operation else { return call }
        var call = call
        request.random = (environment.clock.random(), environment.clock.random())
        call.operation = .lease(request)
        return call
    }

    /// Ends leases whose time is up. Only when no mail waits that may renew them.
    private func endLeases(time: Int64) {
        for connection in leaseTimes.takeExpired(now: monotonicNanoseconds()) {
            engine.apply(Proposal(.end(connection, .leaseExpired), time: time))
        }
    }

    /// A key for a pushed child: those of one namespace ascend.
    private func freshKey(time: Int64) -> Key {
        var random = ClockRandom(clock: environment.clock)
        return keys.next(milliseconds: time, using: &random)
    }

    private var needsFiles: Bool { storage == nil && (engine.hasRecords || !creations.isEmpty) }

    private func finishBatch() {
        let log = needsFiles ? bringIntoBeing() : storage?.log
        let finished = engine.takeBatch()
        var position: LogPosition?
        if let entry = finished.entry, let log {
            bytesSinceSave += entry.count
            position = log.submit(entry, reserved: finished.isUrgent)
            lastPosition = position ?? lastPosition
        }
        engine.submitted(at: position)
        releases.add(finished.outputs, replies: finished.replies, position: position)
        for work in finished.work {
            environment.work.add { [weak database] in database?.post([.worked(work.run())]) }
        }
        leaseTimes.note(finished.leases, now: monotonicNanoseconds())
        discardGarbage()
    }

    /// Large subtrees that nobody needs any more are freed on another thread.
    private func discardGarbage() {
        let garbage = engine.takeGarbage()
        guard !garbage.isEmpty else { return }
        environment.work.add { withExtendedLifetime(garbage) {} }
    }

    // MARK: - Bringing the state store forward

    private func saveIfDue() {
        guard bytesSinceSave > 0, !isSaving, environment.storage.isPersistent, let storage else { return }
        let now = monotonicNanoseconds()
        // Before it leaves memory everything is stored; what did not work is not tried again at once.
        let isLeaving = isIdle && !hasSaveFailed
        guard bytesSinceSave >= Self.saveBytes || now - lastSave >= Self.saveInterval || isLeaving else { return }
        isSaving = true
        saveEnd.update { $0 = false }
        let (snapshot, saved) = engine.takeSnapshot(at: lastPosition)
        bytesSinceSave = 0
        let from = savedTree
        pendingTree = snapshot.tree
        environment.keeper.save(
            snapshot, from: from, to: storage.state, when: releases, knowing: refusals, trimming: storage.log
        ) { [weak database, saveEnd] succeeded in
            saveEnd.update { $0 = true }
            database?.post([.saved(saved, succeeded: succeeded, position: snapshot.position)])
        }
    }

    private var pendingTree: Node?
    private var hasSaveFailed = false
    private let saveEnd = Monitor(true)

    private func finishSave(_ saved: SavedRecords, succeeded: Bool, position: LogPosition) {
        isSaving = false
        hasSaveFailed = !succeeded
        lastSave = monotonicNanoseconds()
        if succeeded {
            savedTree = pendingTree ?? savedTree
            savedPosition = position
        } else {
            engine.markUnsaved(saved)
            bytesSinceSave += 1
        }
        pendingTree = nil
    }

    /// Lets go of the files of a namespace that is to be deleted. Its sessions go without running anything: what it would change
    /// goes too.
    private func discard() {
        storage?.log.close()
        var outbox = Outbox()
        for connection in engine.abandonSessions() { outbox.close(connection, .kicked) }
        environment.outlets.post(outbox.take().outputs)
        // A pass that went on would write into files that are being removed.
        _ = saveEnd.wait { $0 ? true : nil }
        storage?.state.close()
        environment.log.info("database.discarded", ["namespace": LogValue(environment.configuration.namespace)])
    }

    /// Writes everything down and lets go of the files.
    func close() {
        if isDiscarded { return discard() }
        guard let storage else { return }
        storage.log.close()
        // The log has everything, so a pass that takes long may be cut off wherever it is.
        guard saveEnd.wait(until: monotonicNanoseconds() + Self.closeTime, for: { $0 ? true : nil }) ?? false else {
            environment.log.warning(
                "state.save_cut_off", ["namespace": LogValue(environment.configuration.namespace)])
            return
        }
        if environment.storage.isPersistent && !isSaving && releases.durable == lastPosition
            && lastPosition != savedPosition && bytesSinceSave <= Self.unsavedBytes
        {
            let (snapshot, _) = engine.takeSnapshot(at: lastPosition)
            do {
                try storage.state.advance(
                    from: savedTree, to: snapshot.tree, records: snapshot.records, position: snapshot.position)
            } catch {
                environment.log.warning("state.save_failed", ["error": "\(error)"])
            }
        }
        storage.state.close()
        environment.log.info("database.closed", ["namespace": LogValue(environment.configuration.namespace)])
    }
}
