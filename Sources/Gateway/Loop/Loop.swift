import CLibwebsockets
import DataTree
import Glibc
import HubEngine
import WireProtocol

/// One event loop: a thread with a libwebsockets context on a libuv loop of its own, and the sockets it serves.
///
/// Everything here is confined to that thread; other threads reach it through its `LoopInbox` alone. The libuv loop is ours
/// (libwebsockets calls it foreign): then libwebsockets installs no signal handlers, and our timers and wake-ups are libuv's
/// instead of libwebsockets' sorted list.
final class Loop {
    let index: UInt16
    let settings: LoopSettings
    let inbox: LoopInbox
    let connections: ConnectionTable

    // MARK: libuv and libwebsockets

    let uvLoop: UnsafeMutablePointer<uv_loop_t>
    private let wake: UnsafeMutablePointer<uv_async_t>
    private let tickTimer: UnsafeMutablePointer<uv_timer_t>
    let catchUpTimer: UnsafeMutablePointer<uv_timer_t>
    let drainTimer: UnsafeMutablePointer<uv_timer_t>
    private let beforePoll: UnsafeMutablePointer<uv_prepare_t>
    private let afterPoll: UnsafeMutablePointer<uv_check_t>
    var context: OpaquePointer?
    var plainHost: OpaquePointer?
    var secureHost: OpaquePointer?
    /// OpenSSL's context of the secure host, for loading new certificates.
    var tlsContext: UnsafeMutableRawPointer?
    var library: LibwebsocketsResources?
    var acceptor: Acceptor?
    /// The connection that libwebsockets is taking over right now.
    var adopting: UnsafeMutablePointer<Connection>?

    // MARK: This turn

    var pending = PendingFrames()
    /// Connections that have something pending, and how many of them were served.
    var dirty: [UnsafeMutablePointer<Connection>] = []
    var firstDirty = 0
    /// Where in `dirty` serving begins, and what the next place is drawn from.
    var deliveryStart = 0
    var deliverySeed: UInt64 = 1
    /// Keeps the frames of `pending` alive.
    var batches = OutputBatches()
    let scratch: UnsafeMutablePointer<UInt8>
    /// What a stream produced last; kept for its memory.
    var streamed: [UInt8] = []
    var doomed: [ConnectionID] = []
    /// Connections whose last answer has been sent.
    var finished: [ConnectionID] = []
    /// Numbers the requests over HTTP.
    var exchangeNumber: UInt32 = 0
    /// When clients will have waited long enough for their reads.
    var deadlines: [(id: ConnectionID, number: UInt32, tick: UInt32)] = []
    /// Connections that are event streams, some of them gone already.
    var eventStreams: [ConnectionID] = []
    /// Frames that were made for event streams; kept until the turn's sending is done.
    var translated: [Frame] = []
    /// The last translation: fan-outs to streams of one place need one.
    var lastTranslation: (source: ObjectIdentifier, root: Path, frame: Frame?)?
    /// Requests of long-polling clients that wait on this loop, some of them answered already; and their sessions.
    var waitingPolls: [(asker: LongPollAsker, session: ConnectionID)] = []
    /// Long-poll sessions of this loop that have something to send.
    var readyPolls: [ConnectionID] = []
    /// What goes on to the sockets of other slots, by their loops.
    var passed: [[LoopOutput]] = []
    /// Connections whose sockets are full; looked through at each tick.
    var stalled: [ConnectionID] = []
    /// Sockets that were read from in this round, a few of them; and the rounds of this turn.
    private var speakers: [Int32] = []
    private var lingered = 0

    // MARK: Namespaces, silence, counts

    var ports: [ObjectIdentifier: NamespacePort] = [:]
    var dirtyPorts: [NamespacePort] = []
    var pausedPorts: [NamespacePort] = []
    var wheel = TimingWheel()
    var clock: LoopClock
    let liveness: LivenessPolicy
    /// Ticks that a client has for answering a close frame.
    let closeGrace: UInt32
    /// Connections on their way out in a drain, and how many go at each step.
    var draining: (ids: [ConnectionID], perStep: Int) = ([], 1)
    var isDraining = false
    /// How often the end is still put off for clients that are being told goodbye; nil when no end is asked for.
    private var endDelays: Int?
    private var isEnding = false
    /// Added to the metrics once a tick.
    var sentBytes = 0
    var receivedBytes = 0
    var queuedBytes = 0
    private var publishedQueuedBytes = 0

    init(index: UInt16, settings: LoopSettings, inbox: LoopInbox) throws(GatewayError) {
        self.index = index
        self.settings = settings
        self.inbox = inbox
        // Long-poll sessions have slots without sockets.
        let slots = settings.admission.socketLimit + settings.admission.sessionLimit + 1
        connections = ConnectionTable(capacity: slots, loop: index)
        uvLoop = .allocate(capacity: 1)
        wake = .allocate(capacity: 1)
        tickTimer = .allocate(capacity: 1)
        catchUpTimer = .allocate(capacity: 1)
        drainTimer = .allocate(capacity: 1)
        beforePoll = .allocate(capacity: 1)
        afterPoll = .allocate(capacity: 1)
        scratch = .allocate(capacity: Loop.sendLimit)
        clock = LoopClock(interval: settings.tickMilliseconds, start: settings.monotonicMilliseconds())
        liveness = LivenessPolicy(
            deadPeerSeconds: settings.deadPeerSeconds, ticksPerSecond: Int(1000 / settings.tickMilliseconds))
        closeGrace = UInt32(clamping: 3000 / settings.tickMilliseconds + 1)
        guard uv_loop_init(uvLoop) == 0 else { throw .eventLoop(reason: "libuv has no loop") }
        try openContext()
        startHandles()
    }

    deinit {
        pending.deallocate()
        scratch.deallocate()
        for handle in handles { handle.deallocate() }
    }

    /// Serves until the gateway ends it.
    ///
    /// The context is not destroyed then: `lws_context_destroy` of 4.1 on a foreign loop closes its wake-up descriptor twice,
    /// and the second time the number may be a file of another thread. What is left behind is a few descriptors and a megabyte,
    /// of a process that is about to end.
    func run() {
        inbox.setWake(LoopInbox.Wake(handle: wake))
        uv_run(uvLoop, UV_RUN_DEFAULT)
        // libuv lets go of closed sockets in its next rounds.
        for _ in 0..<Loop.lastRounds where connections.count > 0 { uv_run(uvLoop, UV_RUN_NOWAIT) }
        uv_run(uvLoop, UV_RUN_NOWAIT)
    }

    private static let lastRounds = 100

    private func startHandles() {
        let itself = Unmanaged.passUnretained(self).toOpaque()
        uv_async_init(uvLoop, wake) { handle in Loop.of(handle?.pointee.data)?.wakeUp() }
        wake.pointee.data = itself
        uv_timer_init(uvLoop, tickTimer)
        tickTimer.pointee.data = itself
        let interval = UInt64(settings.tickMilliseconds)
        uv_timer_start(tickTimer, { handle in Loop.of(handle?.pointee.data)?.tick() }, interval, interval)
        uv_timer_init(uvLoop, catchUpTimer)
        catchUpTimer.pointee.data = itself
        uv_timer_init(uvLoop, drainTimer)
        drainTimer.pointee.data = itself
        uv_prepare_init(uvLoop, beforePoll)
        beforePoll.pointee.data = itself
        uv_prepare_start(beforePoll) { handle in Loop.of(handle?.pointee.data)?.beforeWaiting() }
        uv_check_init(uvLoop, afterPoll)
        afterPoll.pointee.data = itself
        uv_check_start(afterPoll) { handle in Loop.of(handle?.pointee.data)?.afterReading() }
    }

    /// The loop that a libuv handle or a libwebsockets context belongs to.
    static func of(_ data: UnsafeMutableRawPointer?) -> Loop? {
        // The thread's frame holds the loop for as long as its handles and its context live.
        data.map { Unmanaged<Loop>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: A turn

    private func wakeUp() {
        let isContinuing = !batches.isEmpty
        if !isContinuing {
            let contents = inbox.takeAll()
            for command in contents.commands { perform(command) }
            for socket in contents.sockets { adopt(socket) }
            for (response, id, number) in contents.responses { answer(response, to: id, number: number) }
            batches = OutputBatches(contents.outputs)
        }
        if dirty.isEmpty { sortOutputs() }
        let isDone = deliver() && batches.next() == nil
        if isDone {
            batches = OutputBatches()
            if endDelays != nil { endWhenTold() }
        }
        // The rest follows after the sockets had their turn; and what came into the inbox meanwhile woke nobody else.
        if !isDone || isContinuing || inbox.hasOwnPosts, !isEnding { uv_async_send(wake) }
    }

    /// After the sockets that were ready have been read. While the few clients that spoke have more to read, the turn goes on:
    /// requests that come together are then answered together, and fan-outs joined.
    private func afterReading() {
        if !speakers.isEmpty {
            let goesOn = lingered < Loop.longestLinger && speakers.contains { hearth_readable_bytes($0) > 0 }
            speakers.removeAll(keepingCapacity: true)
            if goesOn {
                lingered += 1
                return
            }
        }
        lingered = 0
        endTurn()
    }

    /// What timers brought about must not wait for the next socket.
    private func beforeWaiting() {
        if lingered == 0 { endTurn() }
    }

    /// Rounds of reading that one turn may have.
    private static let longestLinger = 16

    /// Takes note of a socket that was read from. Many of them make a turn long enough by themselves.
    @inline(__always)
    func spoke(_ descriptor: Int32) {
        if speakers.count < 4, speakers.last != descriptor { speakers.append(descriptor) }
    }

    /// Posts what was gathered for the engine, and cuts the sockets of sessions that were given up.
    func endTurn() {
        repeat {
            postEvents()
            closeFinished()
            cutDoomed()
            // What the engine answered on this thread goes out without another round of the loop.
            if inbox.hasOwnPosts && batches.isEmpty { wakeUp() }
        } while !dirtyPorts.isEmpty || !doomed.isEmpty || !finished.isEmpty
    }

    private func tick() {
        clock.advance(to: settings.monotonicMilliseconds())
        judgeSilence()
        lookAtStalled()
        lookAtEventStreams()
        lookAtPolls()
        lookAtDeadlines()
        publishCounts()
    }

    private func publishCounts() {
        if sentBytes > 0 { settings.metrics.sentBytes.add(sentBytes) }
        if receivedBytes > 0 { settings.metrics.receivedBytes.add(receivedBytes) }
        if queuedBytes != publishedQueuedBytes {
            settings.metrics.sendQueueBytes.add(queuedBytes - publishedQueuedBytes)
            publishedQueuedBytes = queuedBytes
        }
        sentBytes = 0
        receivedBytes = 0
    }

    private func perform(_ command: LoopCommand) {
        switch command {
        case .listen(let sockets): acceptor = Acceptor(sockets, loop: self)
        case .stopAccepting:
            acceptor?.stop()
            acceptor = nil
        case .drain(let milliseconds): drain(over: milliseconds)
        case .reloadCertificate: reloadCertificate()
        case .longPoll(let command): perform(command)
        // What was posted before goes out first.
        case .end: endDelays = endDelays ?? Loop.longestEndDelay
        }
    }

    /// Ends when the clients that are sent a close frame have answered it, or after a while.
    private func endWhenTold() {
        guard let delays = endDelays, !isEnding else { return }
        guard delays > 0, isSayingGoodbye else { return end() }
        endDelays = delays - 1
        let step = Loop.endDelayMilliseconds
        uv_timer_start(drainTimer, { handle in Loop.of(handle?.pointee.data)?.endWhenTold() }, step, 0)
    }

    private var isSayingGoodbye: Bool {
        (0..<connections.highWater).contains { connections.at(slot: $0).pointee.phase == .closing }
    }

    private static let endDelayMilliseconds: UInt64 = 10
    /// In steps of `endDelayMilliseconds`: one second.
    private static let longestEndDelay = 100

    /// Cuts every connection and closes our handles, so that `uv_run` returns.
    private func end() {
        guard !isEnding else { return }
        isEnding = true
        inbox.setWake(nil)
        for socket in inbox.takeAll().sockets { Glibc.close(socket.descriptor) }
        acceptor?.stop()
        acceptor = nil
        for slot in 0..<connections.highWater {
            let connection = connections.at(slot: slot)
            finish(connection, .serverStopping)
            cut(connection)
        }
        postEvents()
        publishCounts()
        for handle in handles { uv_close(handle.assumingMemoryBound(to: uv_handle_t.self), nil) }
        uv_stop(uvLoop)
    }

    private var handles: [UnsafeMutableRawPointer] {
        [
            .init(wake), .init(tickTimer), .init(catchUpTimer), .init(drainTimer), .init(beforePoll), .init(afterPoll),
        ]
    }
}
