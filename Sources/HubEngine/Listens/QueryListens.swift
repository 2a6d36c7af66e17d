import DataTree
import WireProtocol

/// The filtered listens at one place: each query's window is kept once, whoever listens; only the tag differs.
final class QueryListens {
    struct Listener {
        let session: Session
        let tag: Int?
    }

    /// A session whose listen waits for the query's index.
    struct Waiting {
        let session: Session
        let number: Int
        let listen: Listen
    }

    /// Tells it from others that were at the same place before.
    let identity: UInt64
    private(set) var group = QueryGroup()
    private var listeners: [Query: [Listener]] = [:]
    private var waiting: [Query: [Waiting]] = [:]
    /// How many sessions need each query, active or waiting.
    private var needed: [Query: Int] = [:]

    init(identity: UInt64) { self.identity = identity }

    /// Whether nobody needs anything kept here. Windows aside, a kept index counts.
    var isEmpty: Bool { needed.isEmpty && group.isEmpty }

    /// Makes sure that the query's window is kept, and tells its result; nil when it has to wait for an index. Every call is
    /// matched by one of `release`.
    func need(_ query: Query, node: Node) -> Node? {
        needed[query, default: 0] += 1
        return group.add(query, node: node)
    }

    func release(_ query: Query) {
        guard let count = needed[query] else { return }
        needed[query] = count > 1 ? count - 1 : nil
        if count == 1 { group.remove(query) }
    }

    func add(_ query: Query, session: Session, tag: Int?) {
        listeners[query, default: []].append(Listener(session: session, tag: tag))
    }

    func remove(_ query: Query, session: Session) {
        listeners[query]?.removeAll { $0.session === session }
        if listeners[query]?.isEmpty == true { listeners[query] = nil }
    }

    func wait(_ query: Query, _ waiting: Waiting) {
        self.waiting[query, default: []].append(waiting)
    }

    /// Forgets that a session waits for a query; whether it did.
    func stopWaiting(_ query: Query, _ session: Session) -> Bool {
        guard let index = waiting[query]?.firstIndex(where: { $0.session === session }) else { return false }
        waiting[query]?.remove(at: index)
        if waiting[query]?.isEmpty == true { waiting[query] = nil }
        return true
    }

    /// Those who waited for a query, in the order in which they came; they do no longer.
    func takeWaiting(_ query: Query) -> [Waiting] { waiting.removeValue(forKey: query) ?? [] }

    func result(of query: Query, node: Node) -> Node? { group.result(of: query, in: node) }

    /// The listeners of a query by tag, ascending, so that those with equal tags share the bytes sent.
    func listenersByTag(_ query: Query) -> [(tag: Int?, connections: [ConnectionID])] {
        var byTag: [Int: [ConnectionID]] = [:]
        for listener in listeners[query] ?? [] {
            byTag[listener.tag ?? -1, default: []].append(listener.session.connection)
        }
        return byTag.sorted { $0.key < $1.key }.map { ($0.key < 0 ? nil : $0.key, $0.value) }
    }

    // MARK: - Indexes that are kept

    /// Keeps an index although no query may use it, until `unpin`.
    func pin(_ index: Query.Index, node: Node) { group.pin(index, node: node) }

    func unpin(_ index: Query.Index) { group.unpin(index) }

    // MARK: - What a commit means for the windows

    func apply(node: Node, changes: [ChildChange]) -> [QueryGroup.Update] { group.apply(node: node, changes: changes) }

    func replace(old: Node, new: Node) -> [QueryGroup.Update] { group.replace(old: old, new: new) }

    /// Brings the windows up to a change that nobody is told of.
    func follow(_ change: NodeChange, at path: Path, old: Node, new: Node) {
        _ = group.follow([change], at: path, old: old, new: new)
    }

    func install(_ index: FinishedIndex, node: Node) -> [QueryGroup.Update] { group.install(index, node: node) }

    /// The indexes that have to be built away from the engine, each handed out once.
    func takeBuilds(node: Node) -> [IndexBuild] {
        group.unbuiltIndexes.compactMap { group.startBuilding($0, node: node) }
    }
}
