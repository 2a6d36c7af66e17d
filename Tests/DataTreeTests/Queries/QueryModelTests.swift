import DataTree
import Testing

/// A group of queries with two clients for each, driven through random commits.
private struct Scene {
    var random: SeededRandom
    let prioritized: Bool
    var node: Node
    var group: QueryGroup
    var clients: [Query: (naive: NaiveClient, filtering: FilteringClient)] = [:]
    var builds: [IndexBuild] = []

    init(seed: UInt64, inlineCount: Int) throws {
        random = SeededRandom(seed: seed)
        prioritized = random.chance(60)
        node = random.node(prioritized: prioritized)
        group = QueryGroup(inlineCount: inlineCount)
    }

    mutating func addQuery() throws {
        let query = try random.query()
        guard query.filters else { return }
        let isNew = !group.contains(query)
        if let result = group.add(query, node: node), isNew {
            clients[query] = (NaiveClient(result: result), FilteringClient(query: query, result: result))
        }
    }

    mutating func removeQuery() {
        guard !group.queries.isEmpty else { return }
        let query = random.pick(group.queries)
        group.remove(query)
        clients[query] = nil
    }

    mutating func commit() -> (old: Node, commit: SeededRandom.Commit) {
        let old = node
        let commit = random.commit(&node, prioritized: prioritized)
        switch commit {
        case .children(let changes): receive(group.apply(node: node, changes: changes))
        case .replacement: receive(group.replace(old: old, new: node))
        }
        return (old, commit)
    }

    /// Takes the last commit back, as the engine does when the log refuses it.
    mutating func undo(_ old: Node, _ commit: SeededRandom.Commit) {
        switch commit {
        case .children(let changes):
            receive(
                group.apply(
                    node: old, changes: changes.map { ChildChange(key: $0.key, old: $0.new, new: $0.old) }))
        case .replacement: receive(group.replace(old: node, new: old))
        }
        node = old
    }

    mutating func startBuilds() {
        for index in group.unbuiltIndexes {
            if let build = group.startBuilding(index, node: node) { builds.append(build) }
        }
    }

    mutating func finishBuild() {
        guard !builds.isEmpty else { return }
        let build = builds.remove(at: random.below(builds.count))
        receive(group.install(build.run(), node: node))
    }

    private mutating func receive(_ updates: [QueryGroup.Update]) {
        for (query, delta) in updates {
            #expect(!delta.isEmpty)
            if let client = clients[query] { expectExact(delta, after: client.naive.result) }
            if let replacement = delta.replacement, clients[query] == nil {
                clients[query] = (NaiveClient(result: replacement), FilteringClient(query: query, result: replacement))
            } else {
                clients[query]?.naive.receive(delta)
                clients[query]?.filtering.receive(delta)
            }
        }
    }

    /// Nobody leaves, comes or changes twice, or does what its place before does not allow.
    private func expectExact(_ delta: WindowDelta, after result: Node) {
        #expect(delta.removed.allSatisfy { !result[$0].isEmpty })
        #expect(delta.entered.allSatisfy { result[$0.key].isEmpty && !$0.node.isEmpty })
        #expect(delta.changed.allSatisfy { result[$0.key] == $0.old && !$0.new.isEmpty })
        let keys = delta.removed + delta.entered.map(\.key) + delta.changed.map(\.key)
        #expect(Set(keys).count == keys.count)
        if let replacement = delta.replacement { #expect(keys.isEmpty && replacement.priority == .none) }
    }

    func check(_ comment: String) {
        for query in group.queries {
            let reference = ReferenceQuery(query: query).result(in: node)
            #expect(query.apply(to: node) == reference, "\(comment): reading \(query)")
            guard let kept = group.result(of: query, in: node) else { continue }
            #expect(kept == reference, "\(comment): the window of \(query)")
            #expect(clients[query]?.naive.result == reference, "\(comment): a plain client of \(query)")
            #expect(clients[query]?.filtering.result == reference, "\(comment): a filtering client of \(query)")
        }
    }
}

@Suite("Query windows against a model")
struct QueryModelTests {
    @Test("windows, clients and a brute-force reading agree after each of many random commits", arguments: 1...30)
    func windowsFollowCommits(seed: Int) throws {
        var scene = try Scene(seed: UInt64(seed), inlineCount: .max)
        for step in 0..<120 {
            if scene.random.chance(20) || step < 6 { try scene.addQuery() }
            if scene.random.chance(8) { scene.removeQuery() }
            let (old, commit) = scene.commit()
            scene.check("seed \(seed), step \(step)")
            if scene.random.chance(10) {
                scene.undo(old, commit)
                scene.check("seed \(seed), step \(step) undone")
            }
        }
    }

    @Test("an index built elsewhere catches up with the commits made meanwhile", arguments: 1...20)
    func buildsCatchUp(seed: Int) throws {
        var scene = try Scene(seed: 1000 + UInt64(seed), inlineCount: 4)
        for step in 0..<120 {
            if scene.random.chance(25) || step < 6 { try scene.addQuery() }
            if scene.random.chance(10) { scene.removeQuery() }
            _ = scene.commit()
            if scene.random.chance(50) { scene.startBuilds() }
            if scene.random.chance(40) { scene.finishBuild() }
            scene.check("seed \(seed), step \(step)")
        }
        scene.startBuilds()
        while !scene.builds.isEmpty { scene.finishBuild() }
        #expect(scene.group.queries.allSatisfy { scene.group.result(of: $0, in: scene.node) != nil })
        scene.check("seed \(seed), all built")
    }
}
