import DataTree
import Glibc

/// The data tree: memory, writes with and without snapshots, wide nodes, deletion, snapshot, hash, JSON.
enum TreeBench {
    static let runs = 5

    /// Measures everything, or only the named parts.
    static func run(_ names: [String]) {
        let parts: [(name: String, measure: () -> Void)] = [
            ("memory", memory), ("writes", writes), ("wide", wideNode), ("delete", deletion), ("hash", hashes),
            ("json", json),
        ]
        for part in parts where names.isEmpty || names.contains(part.name) { part.measure() }
    }

    // MARK: - Trees

    /// A push id of the given number, as clients make them.
    static func pushKey(_ number: Int) -> Key {
        let alphabet = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
        var text = [UInt8](repeating: UInt8(ascii: "k"), count: 20)
        text[0] = UInt8(ascii: "-")
        text[1] = UInt8(ascii: "N")
        var rest = number
        for index in stride(from: 19, through: 8, by: -1) {
            text[index] = alphabet[rest & 63]
            rest >>= 6
        }
        return text.withUnsafeBytes { Key(utf8: $0) }
    }

    static func path(_ first: Int, _ second: Int, _ third: Int, _ fourth: Int) -> Path {
        Path(keys: [Key("area\(first)"), Key("room\(second)"), pushKey(third * 7919), Key("field\(fourth)")])
    }

    /// 10 x 100 x 100 records of 10 numbers: a million leaves at depth four, the third key a push id.
    static func records() -> Node {
        object(10, { Key("area\($0)") }) { _ in
            object(100, { Key("room\($0)") }) { _ in
                object(100, { pushKey($0 * 7919) }) { _ in object(10, { Key("field\($0)") }, leaf) }
            }
        }
    }

    static func leaf(_ number: Int) -> Node { Node(leaf: .integer(Int64(number) * 1_000_003)) }

    static func object(_ count: Int, _ key: (Int) -> Key, _ child: (Int) -> Node) -> Node {
        Node(children: (0..<count).map { (key($0), child($0)) })
    }

    static func randomPaths(_ count: Int, seed: UInt64) -> [Path] {
        var random = Random(seed: seed)
        return (0..<count).map { _ in path(random.below(10), random.below(100), random.below(100), random.below(10)) }
    }

    // MARK: - Measurements

    static func memory() {
        var table = Table("memory, resident bytes per leaf")
        func measure(_ name: String, leaves: Double, _ make: () -> Node) {
            let before = residentBytes()
            var node = make()
            table.add(name, [Double(residentBytes() - before) / leaves], bytes)
            node.removeDeeply()
        }
        measure("a million numbers in records of 10", leaves: 1e6, records)
        measure("a million numbers under push ids, built at once", leaves: 1e6) { object(1_000_000, pushKey, leaf) }
        measure("a million numbers under push ids, one by one", leaves: 1e6) {
            var node = Node.empty
            for number in 0..<1_000_000 { node.set(leaf(number), at: Path(keys: [pushKey(number)])) }
            return node
        }
        measure("a million numbers under push ids, in random order", leaves: 1e6) {
            var node = Node.empty
            var random = Random(seed: 3)
            for number in 0..<1_000_000 {
                node.set(leaf(number), at: Path(keys: [pushKey(Int(random.next() >> 20))]))
            }
            return node
        }
        measure("100,000 numbers under keys of 40 bytes", leaves: 1e5) {
            object(100_000, { Key("a key too long to be packed \(1_000_000_000_000 + $0)") }, leaf)
        }
        measure("300,000 numbers in records of 3", leaves: 3e5) {
            object(100_000, pushKey) { _ in object(3, { Key("field\($0)") }, leaf) }
        }
    }

    static func writes() {
        var table = Table("set of a number at depth 4, a million leaves")
        var node = records()
        func measure(_ name: String, writes: Int, snapshotEvery interval: Int?) {
            var rates: [Double] = []
            for run in 0..<runs {
                let paths = randomPaths(writes, seed: UInt64(run + 10))
                var snapshot = Node.empty
                let time = seconds {
                    for (index, path) in paths.enumerated() {
                        if let interval, index % interval == 0 { snapshot = node }
                        node.set(Node(leaf: .integer(Int64(index + run))), at: path)
                    }
                }
                blackHole(snapshot)
                rates.append(Double(writes) / time)
            }
            table.add(name, rates, perSecond)
        }
        measure("no snapshot", writes: 200_000, snapshotEvery: nil)
        measure("a snapshot every 1,000 writes", writes: 200_000, snapshotEvery: 1000)
        measure("a snapshot before each write", writes: 20_000, snapshotEvery: 1)
        var reads: [Double] = []
        for run in 0..<runs {
            let paths = randomPaths(100_000, seed: UInt64(run + 50))
            reads.append(100_000 / seconds { for path in paths { blackHole(node.node(at: path)) } })
        }
        table.add("read", reads, perSecond)
        var differences: [Double] = []
        for run in 0..<runs {
            let before = node
            for path in randomPaths(1000, seed: UInt64(run + 90)) {
                node.set(Node(leaf: .integer(Int64(run))), at: path)
            }
            differences.append(seconds { Node.difference(from: before, to: node) { path, _, _ in blackHole(path) } })
        }
        table.add("difference after 1,000 writes", differences, milliseconds)
        node.removeDeeply()
    }

    static func wideNode() {
        var table = Table("insert into one node, push ids in random order")
        for size in [1000, 10_000, 100_000, 1_000_000] {
            var node = object(size, { pushKey($0 << 16) }, leaf)
            var random = Random(seed: 5)
            var times: [Double] = []
            for _ in 0..<runs {
                let count = max(size / 100, 200)
                let paths = (0..<count).map { _ in Path(keys: [pushKey(random.below(size << 16))]) }
                let time = seconds { for path in paths { node.set(leaf(1), at: path) } }
                times.append(time / Double(count))
            }
            table.add("\(size) children", times, microseconds)
            if size == 1_000_000 {
                times = (0..<runs).map { _ in
                    let keys = (0..<10_000).map { _ in pushKey(random.below(size << 16)) }
                    return seconds { for key in keys { blackHole(node.rank(of: key)) } } / 10_000
                }
                table.add("rank in a million children", times, microseconds)
                times = (0..<runs).map { _ in
                    seconds {
                        node.forEachChild { key, child in
                            blackHole(child)
                            return true
                        }
                    } / 1e6
                }
                table.add("walk over a million children, each", times, microseconds)
            }
            node.removeDeeply()
        }
    }

    static func deletion() {
        var table = Table("delete of a million leaves, snapshot")
        var steps: [Double] = []
        var frees: [Double] = []
        for _ in 0..<runs {
            var node: Node = object(1, { _ in Key("other") }, leaf)
            node.set(records(), at: Path("data"))
            var garbage = Node.empty
            steps.append(seconds { garbage = node.set(.empty, at: Path("data")).old })
            frees.append(seconds { garbage.removeDeeply() })
            blackHole(node)
        }
        table.add("delete, one step", steps, microseconds)
        table.add("freeing what went", frees, milliseconds)
        let node = records()
        var copies: [Node] = []
        copies.reserveCapacity(100_000 * runs)
        let times = (0..<runs).map { _ in seconds { for _ in 0..<100_000 { copies.append(node) } } / 100_000 }
        table.add("snapshot", times, microseconds)
    }

    static func hashes() {
        var table = Table("node hash")
        var node = records()
        table.add("a million leaves in records, first", [seconds { blackHole(node.hash()) }], milliseconds)
        var times: [Double] = []
        for (index, path) in randomPaths(100, seed: 77).enumerated() {
            node.set(Node(leaf: .integer(Int64(-index))), at: path)
            times.append(seconds { blackHole(node.hash()) })
        }
        table.add("again after one write", times, microseconds)
        node.removeDeeply()
        let wide = object(1_000_000, pushKey, leaf)
        table.add("a million leaves in one node", [seconds { blackHole(wide.hash()) }], milliseconds)
    }

    static func json() {
        var table = Table("JSON")
        let node = records()
        var text = ""
        let write = seconds { text = node.json }
        let count = Double(text.utf8.count)
        table.add("write \(Int(count / 1e6)) MB", [count / write], megabytesPerSecond)
        let read = seconds { if let node = try? Node(json: text) { blackHole(node) } }
        table.add("read \(Int(count / 1e6)) MB, and free", [count / read], megabytesPerSecond)
    }
}
