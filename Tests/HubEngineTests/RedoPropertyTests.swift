import DataTree
import HubEngine
import Storage
import TestSupport
import Testing

/// Starting again: whatever was half written when the hub died, redoing the log gives what was acknowledged.
@Suite("Redo")
struct RedoPropertyTests {
    @Test("redoing the log repairs a state that a crash left half written", arguments: 1...6)
    func halfWrittenState(seed: Int) throws {
        let hub = EngineHarness()
        let traffic = RandomTraffic(hub: hub, seed: UInt64(seed) + 300)
        for _ in 0..<200 { try traffic.step() }
        let entries = try hub.log.map { try $0.withUnsafeBytes { try LogEntry(decoding: $0) } }
        let whole = try hub.durableImage()
        let folder = TemporaryFolder()
        for round in 0..<8 {
            let noted = traffic.values.number(0...entries.count)
            let reached = traffic.values.number(noted...entries.count)
            let loaded = try Self.crashedPass(
                file: folder.path(of: "state\(round)"), from: Self.image(entries[..<noted]).tree,
                to: Self.image(entries[..<reached]).tree, transactions: traffic.values.number(1...12))
            var image = try DurableImage(loaded)
            for entry in entries[noted...] { image.redo(entry) }
            #expect(image.tree == whole.tree, "from \(noted), a pass to \(reached) died, of \(entries.count) entries")
        }
    }

    @Test("a priority outlives all children that its node had when the state was noted")
    func priorityWithoutRows() throws {
        let hub = EngineHarness()
        let ada = hub.connect()
        ada.request("p", #"{"p":"/a","d":{".priority":7,"x":1,"y":1}}"#)
        let noted = hub.log.count
        ada.request("p", #"{"p":"/a/x","d":null}"#)
        ada.request("p", #"{"p":"/a/z","d":1}"#)
        ada.request("p", #"{"p":"/a/y","d":null}"#)
        let entries = try hub.log.map { try $0.withUnsafeBytes { try LogEntry(decoding: $0) } }
        let folder = TemporaryFolder()
        for transactions in 1...3 {
            let loaded = try Self.crashedPass(
                file: folder.path(of: "state\(transactions)"), from: Self.image(entries[..<noted]).tree,
                to: hub.content.tree, transactions: transactions)
            var image = try DurableImage(loaded)
            for entry in entries[noted...] { image.redo(entry) }
            #expect(image.tree.json == #"{"a":{".priority":7,"z":1}}"#)
        }
    }

    @Test("what open sessions had registered runs once when a hub that died starts again", arguments: 1...6)
    func crash(seed: Int) throws {
        let hub = EngineHarness(presence: seed % 2 == 0 ? "online" : nil)
        hub.durability = .held
        let traffic = RandomTraffic(hub: hub, seed: UInt64(seed) + 400)
        traffic.signsIn = true
        traffic.isAdministered = true
        traffic.batchesAreCommits = false
        for _ in 0..<200 {
            try traffic.step()
            if traffic.values.chance(20) { hub.settle(traffic.values.number(1...6)) }
        }
        let image = try hub.durableImage()
        let expected = try Self.afterEnds(of: image, time: hub.time)
        hub.durability = .atOnce
        try hub.crash()
        #expect(hub.content.tree == expected)
        #expect(try hub.durableImage().sessions.isEmpty)
        #expect(try hub.durableImage().tree == expected)
        #expect(hub.engine.settings == image.settings)
        #expect(hub.rulesHistory == image.rules)
        try expectEachEndsOnce(hub.log)
        try hub.crash()
        #expect(hub.content.tree == expected)
        try expectEachEndsOnce(hub.log)
    }

    // MARK: -

    private static func image(_ entries: ArraySlice<LogEntry>) -> DurableImage {
        var image = DurableImage()
        for entry in entries { image.redo(entry) }
        return image
    }

    /// What a start finds after a pass from one tree to another that ended after some of its transactions.
    private static func crashedPass(
        file: String, from: Node, to: Node, transactions: Int
    ) throws -> LoadedState {
        struct PowerLoss: Error {}
        let first = try SQLiteState(file: file)
        _ = try first.load()
        try first.advance(from: .empty, to: from, records: [], position: LogPosition(1))
        first.close()
        let left = Counter(transactions)
        var slices = StateSlices()
        slices.rows = 1
        slices.afterTransaction = { () throws(StorageError) in
            if left.takeOne() == false { throw .diskFull(file: "the test's disk") }
        }
        let second = try SQLiteState(file: file, slices: slices)
        _ = try second.load()
        // A pass that was complete has noted its position; then there is nothing to repair.
        try? second.advance(from: from, to: to, records: [], position: LogPosition(1))
        second.close()
        return try SQLiteState(file: file).load()
    }

    private static func afterEnds(of image: DurableImage, time: Int64) throws -> Node {
        var tree = image.tree
        let left = image.sessions.sorted { ($0.value.since, $0.key.description) < ($1.value.since, $1.key.description) }
        for (_, session) in left {
            session.onDisconnect.forEach { path, value in
                let place = path.last == .priority ? path.parent ?? .root : path
                let resolved = try? value.resolved(
                    ServerValueContext(timestamp: time), existing: tree.node(at: place))
                tree.write(resolved ?? value, at: path)
            }
        }
        return tree
    }

    private func expectEachEndsOnce(_ log: [[UInt8]]) throws {
        var open: Set<SessionID> = []
        for entry in log {
            for record in try entry.withUnsafeBytes({ try LogEntry(decoding: $0) }).records {
                switch record {
                case .sessionStarted(let id, _, _, _): #expect(open.insert(id).inserted)
                case .sessionEnded(let id, _): #expect(open.remove(id) != nil)
                default: break
                }
            }
        }
        #expect(open.isEmpty)
    }
}

/// Counts down, on whatever thread.
private final class Counter: @unchecked Sendable {
    // Unchecked: a state store does its work on the caller's thread.
    private var left: Int

    init(_ count: Int) { left = count }

    func takeOne() -> Bool {
        left -= 1
        return left >= 0
    }
}
