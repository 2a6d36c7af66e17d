import DataTree
import Storage
import TestSupport
import Testing

@testable import HubEngine

@Suite("Large values that were written as text beforehand")
struct PreparedTextTests {
    private let large = Node(children: (0..<50).map { (Key("k\($0)"), Node(leaf: .integer(Int64($0)))) })

    private func commit(_ mutations: [LogEntry.Mutation]) -> LogEntry {
        LogEntry(records: [
            .commit(LogEntry.Commit(time: 1, session: nil, author: nil, writeID: nil, mutations: mutations))
        ])
    }

    @Test("make the same entry", arguments: ["", "a", "a/b c/\"d\"/é"])
    func sameEntry(_ place: String) throws {
        var tree = Node.empty
        let change = tree.set(large, at: Path(place))
        let entry = commit([LogEntry.Mutation(path: change.path, node: change.new)])
        let prepared = try #require(PreparedText(large, above: 10))
        #expect(entry.encoded([prepared]) == entry.encoded())
    }

    @Test("change nothing where other values are written")
    func otherValues() throws {
        var tree = Node(children: [(Key("x"), Node(leaf: .bool(true)))])
        let change = tree.set(large, at: Path("y"))
        let entry = commit([
            LogEntry.Mutation(path: .root, node: tree), LogEntry.Mutation(path: change.path, node: change.new),
            LogEntry.Mutation(path: Path("z"), node: Node(leaf: .integer(1), priority: .number(1))),
        ])
        let prepared = try #require(PreparedText(large, above: 10))
        #expect(entry.encoded([prepared]) == entry.encoded())
    }

    @Test("are made of what is large and known")
    func whatIsPrepared() throws {
        #expect(PreparedText(large, above: 50) == nil)
        var deferred = large
        deferred.set(try Node(json: #"{".sv":"timestamp"}"#), at: Path("t"))
        #expect(PreparedText(deferred, above: 10) == nil)
        let call = Call(
            credential: CallCredential(bearer: "owner"),
            operation: .write(CallWrite(path: .root, change: .update([(Path("a"), large), (Path("b"), .empty)]))))
        guard case .write(let write)? = call.prepared(above: 10)?.operation else {
            Issue.record("nothing was prepared")
            return
        }
        #expect(write.prepared.count == 1)
        #expect(call.prepared(above: 50) == nil)
    }
}
