import Glibc
import HubEngine
import Storage
import TestSupport
import WireProtocol

/// A hub with its threads and without sockets, on a log that the test decides on.
final class ScriptedHub: Sendable {
    let log: ScriptedLog
    let hub: Hub
    let outlet = RecordingOutlet()
    let failures = Monitor<[StorageError]>([])

    init(log: ScriptedLog = ScriptedLog(isHolding: false)) throws {
        self.log = log
        let failures = failures
        hub = Hub(
            configuration: HubConfiguration(mode: .development), storage: ScriptedStorage(log: log), log: .silent,
            fail: { error in failures.update { $0.append(error) } })
        try hub.start()
        for loop: UInt16 in 0...1 { hub.attach(outlet, loop: loop) }
    }

    func post(_ events: [SessionEvent]) throws { try hub.route(namespace: "demo").get().post(events) }

    func open(_ connection: ConnectionID, lastSession: String? = nil) throws {
        try post([.opened(connection, SessionOpening(transport: .webSocket, host: "x", lastSession: lastSession))])
    }

    func send(_ connection: ConnectionID, _ texts: [String]) throws {
        try post(
            try texts.map { text in
                var text = text
                return .message(
                    connection, try text.withUTF8 { try RequestDecoder.decode(UnsafeRawBufferPointer($0)) })
            })
    }
}

/// What a hub sends, by connection. The test waits for it.
final class RecordingOutlet: LoopOutlet {
    private let texts = Monitor<[ConnectionID: [String]]>([:])

    func post(_ outputs: [LoopOutput]) {
        texts.update { texts in
            for output in outputs {
                switch output {
                case .frame(let frame, let connection): texts[connection, default: []].append(Self.text(frame))
                case .fanOut(let frame, let list):
                    for connection in list.connections { texts[connection, default: []].append(Self.text(frame)) }
                case .stream, .answer: break
                case .close(let connection, let reason): texts[connection, default: []].append("close: \(reason)")
                }
            }
        }
    }

    private static func text(_ frame: Frame) -> String { String(decoding: frame.text, as: UTF8.self) }

    /// All that a connection has received.
    func received(_ connection: ConnectionID) -> [String] { texts.with { $0[connection] ?? [] } }

    /// Waits until a connection has received so many messages; what it has after ten seconds otherwise.
    func wait(for count: Int, _ connection: ConnectionID) -> [String] {
        texts.wait(until: monotonicNanoseconds() + 10_000_000_000) { texts in
            let received = texts[connection] ?? []
            return received.count >= count ? received : nil
        } ?? received(connection)
    }
}

private struct ScriptedStorage: HubStorage, NamespaceStorage {
    let log: ScriptedLog

    func existing() throws -> [String] { ["demo"] }
    func namespace(_ name: String) -> any NamespaceStorage { self }
    var isPersistent: Bool { true }
    var exists: Bool { true }
    func remove() {}
    func open() throws -> (any CommitLog, any StateStore) { (log, MemoryState()) }
}
