import DataTree

/// Queries: building an index, and what a commit costs the windows at its path. Time of the tree itself is left out.
enum QueryBench {
    static func run() {
        for count in [100_000, 1_000_000] {
            var node = TreeBench.object(count, TreeBench.pushKey) { message($0, of: count) }
            build(node)
            windows(node)
            node.removeDeeply()
        }
        manyQueries()
    }

    /// A chat message; its time is spread over the keys, so that index order is not key order.
    private static func message(_ number: Int, of count: Int) -> Node {
        let time = Int64(number) * 7919 % Int64(count)
        return Node(children: [
            ("owner", Node(leaf: .string(Text("user\(number % 10_000)")))),
            ("time", Node(leaf: .integer(time))),
        ])
    }

    // MARK: - Index build

    private static func build(_ node: Node) {
        var table = Table("index of \(node.childCount) children")
        for (name, index) in [("a number, scattered", "time"), ("a string, 10,000 different", "owner")] {
            let index = Query.Index.path(Path(index))
            let before = residentBytes()
            var built: ChildIndex? = ChildIndex(of: node, by: index)
            table.add("\(name): memory per child", [Double(residentBytes() - before) / Double(node.childCount)], bytes)
            built = nil
            blackHole(built)
            let times = (0..<3).map { _ in seconds { blackHole(ChildIndex(of: node, by: index)) } }
            table.add("\(name): time", times, milliseconds)
        }
    }

    // MARK: - Commits

    private static func windows(_ original: Node) {
        var table = Table("commit under \(original.childCount) children, limitToLast(50)")
        let count = original.childCount
        for (name, index) in [("child value", Query.Index.path("time")), ("key", .key)] {
            guard let query = try? Query(index: index, limit: .init(count: 50, anchor: .last)) else { continue }
            var random = Random(seed: 5)
            table.add(
                "by \(name): a new last child",
                measure(original, query) { step, _ in
                    (Path(keys: [TreeBench.pushKey(count + step)]), message(0, time: count + step))
                }, microseconds)
            table.add(
                "by \(name): the last child goes",
                measure(original, query) { step, _ in
                    // Numbers of which the times, as `message` spreads them, are the greatest.
                    let last = index == .key ? count - 1 - step : inverse(count - 1 - step, of: count)
                    return (Path(keys: [TreeBench.pushKey(last)]), .empty)
                }, microseconds)
            table.add(
                "by \(name): any child moves",
                measure(original, query) { _, _ in
                    let number = random.below(count)
                    return (
                        Path(keys: [TreeBench.pushKey(number), "time"]),
                        Node(leaf: .integer(Int64(random.below(count))))
                    )
                }, microseconds)
            table.add(
                "by \(name): any child changes elsewhere",
                measure(original, query) { step, _ in
                    (Path(keys: [TreeBench.pushKey(random.below(count)), "text"]), TreeBench.leaf(step))
                }, microseconds)
        }
    }

    private static func message(_ number: Int, time: Int) -> Node {
        message(number, of: 10_000).replacing("time", Node(leaf: .integer(Int64(time))))
    }

    /// The number of which `message` makes this time: 7919 is prime, and its inverse modulo a power of ten exists.
    private static func inverse(_ time: Int, of count: Int) -> Int {
        // Right modulo ten; each round doubles the decimal digits that are right (Newton).
        var inverse = 9
        for _ in 0..<6 {
            let product = 7919 * inverse % count
            if product == 1 { break }
            inverse = inverse * ((2 + count - product) % count) % count
        }
        return time * inverse % count
    }

    /// Seconds per commit that the group takes, for five runs of `commits` commits each.
    private static func measure(
        _ original: Node, _ query: Query, commits: Int = 2000, _ commit: (Int, Node) -> (Path, Node)
    ) -> [Double] {
        (0..<5).map { _ in
            var node = original
            var group = QueryGroup(inlineCount: .max)
            blackHole(group.add(query, node: node))
            var total = 0.0
            for step in 0..<commits {
                let old = node
                let (path, value) = commit(step, node)
                let change = node.set(value, at: path)
                total += seconds { blackHole(group.follow([change], at: .root, old: old, new: node)) }
            }
            return total / Double(commits) - clockSeconds
        }
    }

    /// What reading the clock twice costs.
    private static let clockSeconds = (0..<10_000).reduce(0.0) { sum, _ in sum + seconds {} } / 10_000

    // MARK: - Many queries at one path

    private static func manyQueries() {
        let count = 10_000
        var table = Table("commit under \(count) children with 10,000 queries")
        let node = TreeBench.object(count, TreeBench.pushKey) { message($0, of: count) }
        measure("equalTo, each its own user", &table, node) { number in
            let user = ValueOrder.string(Text("user\(number)"))
            return try Query(
                index: .path("owner"), start: QueryBound(value: user, key: .least),
                end: QueryBound(value: user, key: .greatest))
        }
        measure("startAt, each its own time, all past the change", &table, node) { number in
            let time = ValueOrder.number(Double(20_000 + number))
            return try Query(index: .path("time"), start: QueryBound(value: time, key: .least))
        }
    }

    private static func measure(
        _ name: String, _ table: inout Table, _ node: Node, _ query: (Int) throws -> Query
    ) {
        var group = QueryGroup(inlineCount: .max)
        for number in 0..<10_000 {
            guard let query = try? query(number) else { continue }
            blackHole(group.add(query, node: node))
        }
        var node = node
        var random = Random(seed: 6)
        let times = (0..<200).map { step in
            let old = node
            let path = Path(keys: [TreeBench.pushKey(random.below(10_000)), "text"])
            let change = node.set(TreeBench.leaf(step), at: path)
            return seconds { blackHole(group.follow([change], at: .root, old: old, new: node)) }
        }
        table.add(name, times, microseconds)
    }
}

extension Node {
    fileprivate func replacing(_ key: Key, _ child: Node) -> Node {
        var node = self
        node.set(child, at: Path(keys: [key]))
        return node
    }
}
