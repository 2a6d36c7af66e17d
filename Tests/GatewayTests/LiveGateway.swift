import HubEngine
import Storage
import Synchronization
import TestSupport
import Testing
import WireProtocol

@testable import Gateway

/// Everything that needs sockets and real time: one after the other, so that no test starves another of its thread.
@Suite("A live gateway", .blocking, .serialized)
enum LiveTests {}

/// A namespace that keeps what the gateway tells it.
final class RecordingSink: SessionEventSink {
    private let state = Monitor<[SessionEvent]>([])
    private let reportedBacklog = Atomic<Int>(0)
    private let answer: @Sendable (SessionEvent) -> Void

    init(answer: @escaping @Sendable (SessionEvent) -> Void = { _ in }) { self.answer = answer }

    func post(_ events: [SessionEvent]) {
        state.with { $0 += events }
        for event in events { answer(event) }
    }

    var backlog: Int { reportedBacklog.load(ordering: .relaxed) }
    func report(backlog: Int) { reportedBacklog.store(backlog, ordering: .relaxed) }

    var events: [SessionEvent] { state.with { $0 } }

    var openings: [(id: ConnectionID, opening: SessionOpening)] {
        events.compactMap { if case .opened(let id, let opening) = $0 { (id, opening) } else { nil } }
    }

    var ends: [(id: ConnectionID, reason: LeaveReason)] {
        events.compactMap { if case .closed(let id, let reason) = $0 { (id, reason) } else { nil } }
    }

    /// The texts that came in; tests decode messages to echoes of their text.
    var texts: [String] {
        events.compactMap { if case .message(_, let message) = $0 { TestMessage.text(message) } else { nil } }
    }
}

/// Messages that carry their text, so that tests see what the gateway put together.
enum TestMessage {
    static let decoder = MessageDecoder { text in
        if text.count == 3, String(decoding: text, as: UTF8.self) == "bad" { throw Malformed() }
        return .request(Request(number: 0, action: .unknown(String(decoding: text, as: UTF8.self))))
    }

    static func text(_ message: ClientMessage) -> String? {
        if case .request(let request) = message, case .unknown(let text) = request.action { text } else { nil }
    }

    struct Malformed: Error, CustomStringConvertible { let description = "the message is malformed" }
}

/// A gateway on a free port, with namespaces that record.
final class LiveGateway: SessionRouter {
    let gateway: Gateway
    let metrics = Metrics()
    private let outlets: [any LoopOutlet]
    /// Names that are refused.
    static let unknownName = "nowhere"

    private final class Router: SessionRouter {
        let table = Monitor<[String: RecordingSink]>([:])

        func route(namespace: String) -> Result<any SessionEventSink, NamespaceRefusal> {
            if namespace == LiveGateway.unknownName { return .failure(.unknown(namespace)) }
            return .success(
                table.with { table in
                    let sink = table[namespace] ?? RecordingSink()
                    table[namespace] = sink
                    return sink
                })
        }
    }

    private let router = Router()

    init(
        decode: MessageDecoder = TestMessage.decoder, routes: [HTTPRoute] = [], clock: PushedClock = PushedClock(),
        _ change: (inout GatewayConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = GatewayConfiguration()
        configuration.endpoint.port = 0
        change(&configuration)
        var outlets: [any LoopOutlet] = []
        gateway = try Gateway(
            configuration, router: router, metrics: metrics, logger: .silent, routes: routes, decode: decode,
            monotonicMilliseconds: { clock.milliseconds }
        ) { _, outlet in outlets.append(outlet) }
        self.outlets = outlets
        gateway.start()
    }

    deinit { gateway.stop() }

    var port: Int { gateway.port }

    func route(namespace: String) -> Result<any SessionEventSink, NamespaceRefusal> {
        router.route(namespace: namespace)
    }

    func sink(_ name: String = "demo") -> RecordingSink {
        router.table.with { table in
            let sink = table[name] ?? RecordingSink()
            table[name] = sink
            return sink
        }
    }

    func post(_ outputs: LoopOutput..., loop: UInt16 = 0) { outlets[Int(loop)].post(outputs) }
    func post(all outputs: [LoopOutput], loop: UInt16 = 0) { outlets[Int(loop)].post(outputs) }

    /// A connected client and its identifier.
    func connect(
        path: String = "/.ws?v=5&ns=demo", headers: [(String, String)] = [], receiveBuffer: Int? = nil,
        namespace: String = "demo"
    ) async throws -> (client: RawWebSocketClient, id: ConnectionID) {
        let before = sink(namespace).openings.count
        let client = try RawWebSocketClient(port: port, path: path, headers: headers, receiveBuffer: receiveBuffer)
        try await eventually("the session opens") { self.sink(namespace).openings.count > before }
        return (client, sink(namespace).openings[before].id)
    }
}

/// Waits until a condition holds, with a deadline.
func eventually(
    _ what: String, within: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + within
    while try !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("not within \(within): \(what)", sourceLocation: sourceLocation)
            throw RawSocketError.timedOut(what)
        }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// A clock that runs like the system's, and can be pushed.
final class PushedClock: Sendable {
    private let start = ContinuousClock.now
    private let pushed = Atomic<Int64>(0)

    var milliseconds: Int64 { (ContinuousClock.now - start).milliseconds + pushed.load(ordering: .relaxed) }

    func push(milliseconds: Int64) { pushed.wrappingAdd(milliseconds, ordering: .relaxed) }
}

extension Frame {
    convenience init(_ text: String) { self.init(text: Array(text.utf8)) }
}
