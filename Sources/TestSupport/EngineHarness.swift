import DataTree
import HubEngine
import Storage
import WireProtocol

/// An engine without threads, files or sockets: tests speak to it in the texts of the protocol and decide when something
/// becomes durable.
///
/// ```swift
/// let hub = EngineHarness()
/// let ada = hub.connect()
/// ada.send(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/x","d":1}}}"#)
/// #expect(ada.received.last == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#)
/// ```
package final class EngineHarness {
    /// What the log does with entries.
    package enum Durability {
        case atOnce
        /// Nothing becomes durable until `settle()`.
        case held
        case refusing(String)
    }

    package private(set) var engine: Engine
    package var configuration: EngineConfiguration
    /// Milliseconds since 1970.
    package var time: Int64 = 1_767_225_600_000
    package var durability = Durability.atOnce
    /// Entries that are in the log, in order.
    package private(set) var log: [[UInt8]] = []
    /// Whether work away from the engine is done as soon as it is asked for.
    package var worksAtOnce = true
    package private(set) var pendingWork: [EngineWork] = []

    /// What whoever watches the time was told of leases.
    package private(set) var leaseNews: [LeaseNews] = []

    private var image: DurableImage
    private struct HeldBatch {
        let position: UInt64
        let entry: [UInt8]?
        let outputs: [[LoopOutput]]
        let replies: [@Sendable () -> Void]
        /// What the database held when the batch was done.
        let content: HeldContent
    }

    private var held: [HeldBatch] = []
    private var devices: [ConnectionID: Device] = [:]
    private var answers: [ConnectionID: [CallAnswer]] = [:]
    private var lastCall = ConnectionID(loop: 0, slot: 0, generation: 0)
    private var lastSlot: UInt32 = 0
    private var lastRandom: UInt64 = 0

    package init(
        mode: Authenticator.Mode = .development, defaultRules: RulesInForce.Default = .open,
        rules: ConfiguredRules? = nil, secret: String? = nil, presence: String? = nil, limits: Limits = Limits(),
        image: DurableImage = DurableImage()
    ) {
        configuration = EngineConfiguration(
            namespace: "demo", authenticator: Authenticator(mode: mode, administratorSecret: secret),
            defaultRules: defaultRules, rules: rules, presencePath: presence.map { Path($0) },
            limits: limits)
        self.image = image
        engine = Engine(configuration: configuration, image: image)
        if rules != nil {
            engine.enactConfiguredRules(time: time)
            finishBatch()
        }
    }

    /// Uploads rules; the answer comes when it may leave.
    package func changeRules(_ text: String, author: String = "administrator") throws -> RulesAnswer {
        let answer = RulesAnswer()
        apply([.changeRules(try RulesChange(Array(text.utf8), author: author) { answer.set($0) })])
        return answer
    }

    /// All versions of the rules that are kept.
    package var rulesHistory: RulesHistory { engine.rulesHistory }

    /// The durable image: what a restart would find.
    package func durableImage() throws -> DurableImage {
        var image = image
        for entry in log { image.redo(try entry.withUnsafeBytes { try LogEntry(decoding: $0) }) }
        return image
    }

    /// Forgets everything in memory and starts again from what is durable, as after `kill -9`.
    package func crash() throws {
        var image = try durableImage()
        image.incarnation += 1
        held = []
        pendingWork = []
        for device in devices.values { device.isOpen = false }
        devices = [:]
        engine = Engine(configuration: configuration, image: image)
        engine.enactConfiguredRules(time: time)
        engine.endLeftOver(image.sessions, time: time)
        finishBatch()
    }

    /// Opens a connection; its hello is the first text that it receives.
    package func connect(
        host: String = "localhost:9000", lastSession: String? = nil, agent: String = "Firebase/5/test",
        transport: Transport = .webSocket, isAdministrative: Bool = false
    ) -> Device {
        lastSlot += 1
        let connection = ConnectionID(loop: UInt16(lastSlot % 2), slot: lastSlot, generation: 1)
        let device = Device(hub: self, connection: connection)
        devices[connection] = device
        let opening = SessionOpening(
            transport: transport, host: host, userAgent: agent, lastSession: lastSession,
            isAdministrative: isAdministrative)
        lastRandom += 1
        let id = SessionID(incarnation: engine.incarnation, random: (lastRandom, lastRandom &* 0x9E37_79B9_7F4A_7C15))
        apply([.open(connection, opening, id)])
        return device
    }

    /// Makes a request without a session and tells its answer, or nil while there is none.
    @discardableResult
    package func call(
        _ operation: Call.Operation, credential: CallCredential = CallCredential(bearer: "owner")
    ) -> CallAnswer? {
        lastSlot += 1
        lastCall = ConnectionID(loop: 0, slot: lastSlot, generation: 1)
        lastRandom += 1
        var operation = operation
        if case .lease(var request) = operation {
            request.random = (lastRandom, ~lastRandom)
            operation = .lease(request)
        }
        apply([
            .call(lastCall, Call(credential: credential, operation: operation), key: Key("-key\(lastRandom)"))
        ])
        return lastAnswer
    }

    /// The answer to the last call.
    package var lastAnswer: CallAnswer? { answers[lastCall]?.last }

    /// How often the last call was answered.
    package var lastAnswerCount: Int { answers[lastCall]?.count ?? 0 }

    /// Applies proposals as one batch.
    package func apply(_ kinds: [Proposal.Kind]) {
        for kind in kinds { engine.apply(Proposal(kind, time: time)) }
        finishBatch()
    }

    /// Ends every session, as at the end of the hub's life.
    package func endAll(_ reason: LeaveReason) {
        engine.endAll(reason, time: time)
        finishBatch()
    }

    /// Lets time pass, in milliseconds.
    package func advance(by milliseconds: Int64) {
        time += milliseconds
        apply([.tick])
    }

    /// How many batches wait to become durable, or wait behind one that does.
    package var heldCount: Int { held.count }

    /// Makes everything durable that waits for it, or the first `count` batches.
    package func settle(_ count: Int = .max) {
        let waiting = Array(held.prefix(count))
        held.removeFirst(waiting.count)
        for item in waiting {
            if let entry = item.entry { log.append(entry) }
            engine.settled(through: LogPosition(item.position))
            deliver(item)
        }
        if !held.isEmpty && held.allSatisfy({ $0.entry == nil }) { settle() }
    }

    /// Refuses everything that waits to become durable, as a full disk does.
    package func refuseHeld(_ reason: String = "no space left") {
        guard let first = held.first(where: { $0.entry != nil }) else { return }
        let kept = held.prefix { $0.position < first.position }
        held = []
        for item in kept { deliver(item) }
        engine.rollBack(from: LogPosition(first.position), reason: reason)
        finishBatch()
    }

    /// Does the work that the engine asked for: one piece a batch, in order.
    package func work() {
        let work = pendingWork
        pendingWork = []
        for work in work { apply([.answered(work.run())]) }
    }

    /// Does one piece of the work that the engine asked for, the oldest if nothing else is said.
    package func workOnce(at index: Int = 0) {
        guard pendingWork.indices.contains(index) else { return }
        apply([.answered(pendingWork.remove(at: index).run())])
    }

    /// Takes the work that the engine asked for, so that a test decides when its result comes.
    package func takeWork() -> [EngineWork] {
        defer { pendingWork = [] }
        return pendingWork
    }

    /// What the database holds now.
    package var content: HeldContent { HeldContent(engine, presencePath: configuration.presencePath) }

    fileprivate func close(_ device: Device, _ reason: LeaveReason) {
        guard devices.removeValue(forKey: device.connection) != nil else { return }
        device.isOpen = false
        apply([.end(device.connection, reason)])
    }

    private func finishBatch() {
        let finished = engine.takeBatch()
        let newest = held.last?.position ?? UInt64(log.count)
        let position = finished.entry == nil ? newest : newest + 1
        engine.submitted(at: finished.entry == nil ? nil : LogPosition(position))
        held.append(
            HeldBatch(
                position: position, entry: finished.entry, outputs: finished.outputs, replies: finished.replies,
                content: content))
        pendingWork += finished.work
        leaseNews += finished.leases
        switch durability {
        case .atOnce: settle()
        case .held: if held.allSatisfy({ $0.entry == nil }) { settle() }
        case .refusing(let reason):
            if held.contains(where: { $0.entry != nil }) { refuseHeld(reason) } else { settle() }
        }
        if worksAtOnce && !pendingWork.isEmpty { work() }
    }

    private func deliver(_ batch: HeldBatch) {
        let receivers = Array(devices.values)
        let counts = receivers.map(\.received.count)
        for output in batch.outputs.joined() {
            switch output {
            case .frame(let frame, let connection): devices[connection]?.receive(frame)
            case .fanOut(let frame, let list):
                for connection in list.connections { devices[connection]?.receive(frame) }
            case .stream(let stream, let connection):
                var bytes: [UInt8] = []
                while stream.next(upTo: 65_536, into: &bytes) {}
                devices[connection]?.receive(framed: bytes)
            case .close(let connection, let reason):
                devices[connection]?.isOpen = false
                devices[connection]?.closeReason = reason
                devices[connection] = nil
            case .answer(let answer, let connection):
                answers[connection, default: []].append(answer)
            }
        }
        for reply in batch.replies { reply() }
        for (device, count) in zip(receivers, counts) where device.received.count > count {
            device.contents[device.received.count - 1] = batch.content
        }
    }

    /// A client of an `EngineHarness`.
    package final class Device {
        package let connection: ConnectionID
        /// Every message received, in order, as JSON text.
        package private(set) var received: [String] = []
        /// For the last message of each batch that the device received something in, by its index: what the database held
        /// when the batch was done. The device must have heard of all of that.
        package fileprivate(set) var contents: [Int: HeldContent] = [:]
        package fileprivate(set) var isOpen = true
        package fileprivate(set) var closeReason: LeaveReason?
        private unowned let hub: EngineHarness
        private var lastNumber = 0
        private var read = 0

        fileprivate init(hub: EngineHarness, connection: ConnectionID) {
            self.hub = hub
            self.connection = connection
        }

        /// The session id from the hello.
        package var session: String {
            guard let hello = received.first, let node = try? Node(json: hello),
                case .string(let text)? = node.node(at: Path("d/d/s")).leaf
            else { return "" }
            return text.string
        }

        /// Sends messages, all in one batch.
        package func send(_ texts: String...) { send(texts) }

        package func send(_ texts: [String]) {
            var kinds: [Proposal.Kind] = []
            for text in texts {
                var text = text
                let message = text.withUTF8 { try? RequestDecoder.decode(UnsafeRawBufferPointer($0)) }
                switch message {
                case .request(let request): kinds.append(.request(connection, request))
                case .ping: kinds.append(.ping(connection))
                case .keepAlive, .control, .switchAcknowledged, .transmissionEnded: break
                case nil:
                    hub.close(self, .protocolError)
                    return
                }
            }
            hub.apply(kinds)
        }

        /// Sends one request with the next number: the action and its body as JSON text.
        package func request(_ action: String, _ body: String) {
            lastNumber += 1
            send(#"{"t":"d","d":{"r":\#(lastNumber),"a":"\#(action)","b":\#(body)}}"#)
        }

        /// What came since the last call, hellos left out.
        package func takeReceived() -> [String] {
            defer { read = received.count }
            return Array(received[read...]).filter { !$0.contains(#""t":"h""#) }
        }

        /// Ends the connection.
        package func close(_ reason: LeaveReason = .closedByClient) { hub.close(self, reason) }

        fileprivate func receive(_ frame: Frame) {
            received.append(String(decoding: frame.text, as: UTF8.self))
        }

        fileprivate func receive(framed bytes: [UInt8]) {
            let parts = WebSocketMessages.texts(in: bytes)
            received.append(parts.count > 1 ? parts[1...].joined() : parts.joined())
        }
    }
}

/// What became of rules that were uploaded.
package final class RulesAnswer: Sendable {
    private let answer = Monitor<Result<RulesVersion, RulesChangeFailure>?>(nil)

    package init() {}

    /// nil while there is none.
    package var result: Result<RulesVersion, RulesChangeFailure>? { answer.with { $0 } }

    /// The version that was accepted.
    package var version: UInt32? { try? result?.get().number }

    package func set(_ result: Result<RulesVersion, RulesChangeFailure>) { answer.update { $0 = result } }
}

/// What a database held at some moment.
package struct HeldContent: Sendable {
    package let tree: Node
    private let presence: Node
    private let presencePath: Path?

    fileprivate init(_ engine: Engine, presencePath: Path?) {
        self.presencePath = presencePath
        tree = engine.content(at: .root)
        presence = presencePath.map(engine.content) ?? .empty
    }

    /// What a reader at `path` sees.
    package subscript(path: Path) -> Node {
        if let presencePath, path.hasPrefix(presencePath) {
            return presence.node(at: path.dropFirst(presencePath.count))
        }
        return tree.node(at: path)
    }
}

/// Reads server-to-client WebSocket frames back.
enum WebSocketMessages {
    static func texts(in bytes: [UInt8]) -> [String] {
        var texts: [String] = []
        var position = 0
        while position + 2 <= bytes.count {
            var length = Int(bytes[position + 1] & 0x7F)
            var start = position + 2
            let extra = length == 126 ? 2 : length == 127 ? 8 : 0
            if extra > 0 {
                guard start + extra <= bytes.count else { break }
                length = bytes[start..<start + extra].reduce(0) { $0 << 8 | Int($1) }
                start += extra
            }
            guard start + length <= bytes.count else { break }
            texts.append(String(decoding: bytes[start..<start + length], as: UTF8.self))
            position = start + length
        }
        return texts
    }
}
