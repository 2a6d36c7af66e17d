import DataTree
import HubEngine
import Storage
import TestSupport
import Testing
import WireProtocol

@Suite("A hub without files", .blocking)
struct MemoryHubTests {
    @Test("keeps what is written although nobody has been connected for a while")
    func keepsData() throws {
        var configuration = HubConfiguration(mode: .development)
        configuration.idleTime = 1_000_000
        let lines = Monitor<[String]>([])
        let hub = Hub(
            configuration: configuration, storage: MemoryHubStorage(),
            log: Logger(write: { line in lines.update { $0.append(line) } }), fail: { _ in })
        try hub.start()
        let outlet = RecordingOutlet()
        hub.attach(outlet, loop: 0)
        let connection = ConnectionID(loop: 0, slot: 1, generation: 1)
        let sink = try hub.route(namespace: "demo").get()
        sink.post([.opened(connection, SessionOpening(transport: .webSocket, host: "x"))])
        var write = #"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/x","d":7}}}"#
        let message = try write.withUTF8 { try RequestDecoder.decode(UnsafeRawBufferPointer($0)) }
        sink.post([.message(connection, message), .closed(connection, .closedByClient)])
        #expect(outlet.wait(for: 2, connection).count == 2)
        // One that nothing was written to leaves memory, and begins to be idle later than the other.
        try hub.route(namespace: "other").get().post([.closed(connection, .closedByClient)])
        let deadline = monotonicNanoseconds() + 20_000_000_000
        while hub.loadedNames != ["demo"] && monotonicNanoseconds() < deadline {
            sleepUntil(monotonicNanoseconds() + 1_000_000)
        }
        #expect(hub.loadedNames == ["demo"])
        let tree = AwaitedReply<Node>()
        try hub.ask("demo", otherwise: .empty, { tree.set($0) }) { $0.content(at: .root) }
        #expect(tree.wait()?.json == #"{"x":7}"#)
        hub.stop()
    }
}
