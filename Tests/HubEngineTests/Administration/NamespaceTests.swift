import Glibc
import HubEngine
import Storage
import TestSupport
import Testing
import WireProtocol

@Suite("Namespaces that are made and deleted", .blocking)
struct NamespaceTests {
    private let folder = TemporaryFolder()
    private let directory: DataDirectory
    private let lines = Monitor<[String]>([])
    private let outlet = RecordingOutlet()

    init() throws { directory = try DataDirectory(path: folder.path(of: "data")) }

    private func hub(
        _ mode: Authenticator.Mode = .production, namespaces: [String] = [], maxNamespaces: Int = 64,
        idleTime: UInt64 = 60_000_000_000
    ) throws -> Hub {
        var configuration = HubConfiguration(mode: mode, namespaces: namespaces, maxNamespaces: maxNamespaces)
        configuration.idleTime = idleTime
        let lines = lines
        let hub = Hub(
            configuration: configuration,
            storage: FileHubStorage(directory: directory),
            log: Logger(write: { line in lines.update { $0.append(line) } }), fail: { _ in })
        try hub.start()
        hub.attach(outlet, loop: 0)
        return hub
    }

    private func create(_ hub: Hub, _ name: String) throws -> NamespaceFailure? {
        let reply = AwaitedReply<NamespaceFailure?>()
        hub.createNamespace(name) { reply.set($0) }
        return try #require(reply.wait())
    }

    private func delete(_ hub: Hub, _ name: String) throws -> NamespaceFailure? {
        let reply = AwaitedReply<NamespaceFailure?>()
        hub.deleteNamespace(name) { reply.set($0) }
        let failure = try #require(reply.wait())
        #expect(reply.count == 1)
        return failure
    }

    private func list(_ hub: Hub) throws -> [NamespaceReport] {
        let reply = AwaitedReply<[NamespaceReport]>()
        hub.describeNamespaces { reply.set($0) }
        return try #require(reply.wait())
    }

    private func isStored(_ name: String) -> Bool {
        access(folder.path(of: "data/namespaces/\(name)/log"), F_OK) == 0
    }

    private func open(_ hub: Hub, _ name: String, slot: UInt32) throws -> ConnectionID {
        let connection = ConnectionID(loop: 0, slot: slot, generation: 1)
        try hub.route(namespace: name).get().post([
            .opened(connection, SessionOpening(transport: .webSocket, host: "x"))
        ])
        return connection
    }

    private func send(_ hub: Hub, _ name: String, _ connection: ConnectionID, _ text: String) throws {
        var text = text
        let message = try text.withUTF8 { try RequestDecoder.decode(UnsafeRawBufferPointer($0)) }
        try hub.route(namespace: name).get().post([.message(connection, message)])
    }

    @Test("one that is made is there at once, with its files, and after a restart")
    func created() throws {
        var hub = try hub()
        #expect(throws: NamespaceRefusal.unknown("shop")) { try hub.route(namespace: "shop").get() }
        #expect(try create(hub, "shop") == nil)
        #expect(isStored("shop"))
        _ = try hub.route(namespace: "shop").get()
        #expect(try list(hub) == [NamespaceReport(name: "shop", leaves: 0, sessions: 0)])
        #expect(lines.with { $0.contains { $0.contains("namespace.created") } })
        hub.stop()
        hub = try self.hub()
        #expect(hub.namespaces == ["shop"])
        hub.stop()
    }

    @Test("a name that is taken, is no name, or is one too many is refused")
    func refused() throws {
        let hub = try hub(namespaces: ["a"], maxNamespaces: 2)
        #expect(try create(hub, "a") == .exists("a"))
        #expect(try create(hub, "_a") == .refused(.invalidName("_a")))
        #expect(try create(hub, "") == .refused(.invalidName("")))
        #expect(try create(hub, "b") == nil)
        #expect(try create(hub, "c") == .refused(.tooMany(limit: 2)))
        #expect(try delete(hub, "c") == .refused(.unknown("c")))
        hub.stop()
        #expect(try create(hub, "d") == .refused(.stopping))
    }

    @Test("deleting ends sessions as kicked, runs nothing, and leaves nothing behind")
    func deleted() throws {
        let hub = try hub(.development)
        let ada = try open(hub, "shop", slot: 1)
        try send(hub, "shop", ada, #"{"t":"d","d":{"r":1,"a":"o","b":{"p":"/x","d":1}}}"#)
        #expect(outlet.wait(for: 2, ada).count == 2)
        #expect(try list(hub) == [NamespaceReport(name: "shop", leaves: 0, sessions: 1)])
        let sink = try hub.route(namespace: "shop").get()
        #expect(try delete(hub, "shop") == nil)
        #expect(outlet.wait(for: 3, ada).last == "close: kicked")
        #expect(!isStored("shop"))
        #expect(hub.namespaces.isEmpty)
        #expect(try list(hub).isEmpty)
        // Who had found it before and comes only now is sent away too.
        let late = ConnectionID(loop: 0, slot: 2, generation: 1)
        sink.post([.opened(late, SessionOpening(transport: .webSocket, host: "x"))])
        #expect(outlet.wait(for: 1, late) == ["close: kicked"])
        // In --dev who comes back finds a fresh one.
        let bob = try open(hub, "shop", slot: 3)
        try send(hub, "shop", bob, #"{"t":"d","d":{"r":1,"a":"g","b":{"p":"/","q":{}}}}"#)
        #expect(outlet.wait(for: 2, bob).last == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":null}}}"#)
        hub.stop()
    }

    @Test("one that is not in memory is deleted too, and unknown afterwards")
    func deletedUnloaded() throws {
        let hub = try hub(namespaces: ["a", "b"], idleTime: 10_000_000)
        let deadline = monotonicNanoseconds() + 20_000_000_000
        while !hub.loadedNames.isEmpty && monotonicNanoseconds() < deadline {
            sleepUntil(monotonicNanoseconds() + 1_000_000)
        }
        #expect(try list(hub) == [NamespaceReport(name: "a"), NamespaceReport(name: "b")])
        #expect(try delete(hub, "a") == nil)
        #expect(!isStored("a"))
        #expect(throws: NamespaceRefusal.unknown("a")) { try hub.route(namespace: "a").get() }
        #expect(try list(hub) == [NamespaceReport(name: "b")])
        #expect(try create(hub, "a") == nil)
        #expect(isStored("a"))
        hub.stop()
    }

    @Test("one that cannot be made is not there")
    func notMade() throws {
        let hub = try hub()
        // A file where the directory should be.
        folder.write("x", to: "data/namespaces/shop")
        guard case .unavailable? = try create(hub, "shop") else {
            Issue.record("it was made")
            return
        }
        #expect(hub.namespaces.isEmpty)
        #expect(throws: NamespaceRefusal.unknown("shop")) { try hub.route(namespace: "shop").get() }
        hub.stop()
    }

    @Test("many who make and delete the same one at once each get one answer")
    func storm() throws {
        let hub = try hub(.development)
        let made = Monitor(0)
        let answered = Monitor(0)
        for _ in 0..<4 {
            _ = startThread {
                for _ in 0..<10 {
                    hub.createNamespace("shop") { failure in
                        if failure == nil { made.update { $0 += 1 } }
                        answered.update { $0 += 1 }
                    }
                    hub.deleteNamespace("shop") { _ in answered.update { $0 += 1 } }
                }
            }
        }
        let all = answered.wait(until: monotonicNanoseconds() + 30_000_000_000) { $0 == 80 ? true : nil }
        #expect(all == true)
        #expect(made.with { $0 } > 0)
        hub.stop()
        #expect(answered.with { $0 } == 80)
    }
}
