import DataTree
import Glibc

/// JSON: nodes from text and back, for messages and documents, whole and in slices.
enum JSONBench {
    static let runs = 7

    static let message =
        Array(
            #"{"name":"Ada Lovelace","age":36,"admin":true,"score":12.5,"at":1767225600123,"#
                .utf8)
        + Array(#""tags":{"math":true,"engines":true},"note":"first of the programmers","x":-17,"y":204}"#.utf8)

    static func run(_ names: [String]) {
        if names.isEmpty || names.contains("messages") { messages() }
        if names.isEmpty || names.contains("documents") { documents() }
        if names.isEmpty || names.contains("numbers") { numbers() }
    }

    // MARK: - Measurements

    static func messages() {
        var table = Table("JSON of \(message.count) bytes, CPU per message")
        let rounds = 200_000
        func measure(_ name: String, _ body: (UnsafeRawBufferPointer) -> Void) {
            let times = message.withUnsafeBytes { bytes in
                (0..<runs).map { _ in seconds { for _ in 0..<rounds { body(bytes) } } / Double(rounds) }
            }
            table.add(name, times) { "\(microseconds($0)), \(megabytesPerSecond(Double(message.count) / $0))" }
        }
        measure("read into a node, and free it") { bytes in
            var cursor = JSONCursor(bytes)
            blackHole(try? cursor.readNode())
        }
        measure("skip") { bytes in
            var cursor = JSONCursor(bytes)
            blackHole(try? cursor.skipValue())
        }
        measure("read in one slice") { bytes in blackHole(decode(bytes, sliceBytes: .max)) }
        let node = message.withUnsafeBytes { decode($0, sliceBytes: .max) }
        var writer = JSONWriter(reserving: 1024)
        measure("write") { _ in
            writer.bytes.removeAll(keepingCapacity: true)
            writer.node(node)
        }
    }

    static func documents() {
        for (name, node) in [("records of numbers", records()), ("records of texts", texts())] {
            var writer = JSONWriter()
            writer.node(node)
            let document = writer.bytes
            var table = Table("JSON of \(document.count / 1_000_000) MB, \(name)")
            for (slice, sliceName) in [(Int.max, "whole"), (16384, "16 KiB"), (1400, "1400 B"), (37, "37 B")] {
                let rates = document.withUnsafeBytes { bytes in
                    (0..<runs).map { _ in
                        var read = Node.empty
                        let time = seconds { read = decode(bytes, sliceBytes: slice) }
                        if read != node { print("  not what was written") }
                        return Double(bytes.count) / time
                    }
                }
                table.add("read, \(sliceName)", rates, megabytesPerSecond)
            }
            var copy = JSONWriter(reserving: document.count + 1024)
            let writes = (0..<runs).map { _ in
                copy.bytes.removeAll(keepingCapacity: true)
                return Double(document.count) / seconds { copy.node(node) }
            }
            table.add("write", writes, megabytesPerSecond)
            var slice: [UInt8] = []
            slice.reserveCapacity(80_000)
            let slices = (0..<runs).map { _ in
                Double(document.count)
                    / seconds {
                        var serializer = NodeSerializer(node)
                        while serializer.next(upTo: 65536, into: &slice) { slice.removeAll(keepingCapacity: true) }
                    }
            }
            table.add("write in slices of 64 KiB", slices, megabytesPerSecond)
        }
    }

    static func numbers() {
        var random = Random(seed: 5)
        let count = 100_000
        for (name, values) in [
            ("of 17 digits", (0..<count).map { _ in Double(random.below(1 << 53)) / 9.3e15 }),
            ("of 4 digits", (0..<count).map { _ in Double(random.below(10_000)) / 100 }),
            ("whole", (0..<count).map { _ in Double(random.below(1_000_000)) }),
        ] {
            var table = Table("numbers \(name), CPU each")
            var writer = JSONWriter(reserving: count * 24)
            let writes = (0..<runs).map { _ in
                writer.bytes.removeAll(keepingCapacity: true)
                return seconds {
                    for value in values {
                        writer.double(value)
                        writer.raw(",")
                    }
                } / Double(count)
            }
            table.add("write", writes) { "\(figure($0 * 1e9)) ns" }
            let text = Array("[".utf8) + writer.bytes.dropLast() + Array("]".utf8)
            let reads = text.withUnsafeBytes { bytes in
                (0..<runs).map { _ in
                    seconds {
                        var cursor = JSONCursor(bytes)
                        try? cursor.enterArray()
                        while (try? cursor.nextElement()) == true { blackHole(try? cursor.readNumber()) }
                    } / Double(count)
                }
            }
            table.add("read", reads) { "\(figure($0 * 1e9)) ns" }
        }
    }

    // MARK: - Data

    private static func decode(_ bytes: UnsafeRawBufferPointer, sliceBytes: Int) -> Node {
        var decoder = NodeDecoder()
        var start = 0
        do {
            while start < bytes.count {
                let end = start + min(sliceBytes, bytes.count - start)
                try decoder.feed(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                start = end
            }
            return try decoder.finish()
        } catch {
            print("  not read: \(error)")
            return .empty
        }
    }

    /// About 30 MB: 100,000 records of ten fields under push ids.
    private static func records() -> Node {
        TreeBench.object(100, { Key("room\($0)") }) { room in
            TreeBench.object(1000, { TreeBench.pushKey(($0 + 1000 * room) * 7919) }) { record in
                var children: [(Key, Node)] = (0..<10).map { (Key("field\($0)"), TreeBench.leaf($0 * record)) }
                children.append(("name", Node(leaf: .string(Text("device \(record) of room \(room)")))))
                children.append(("ratio", Node(leaf: .number(Double(record) / 64))))
                children.append(("on", Node(leaf: .bool(record % 2 == 0))))
                return Node(children: children)
            }
        }
    }

    /// Chat messages, some with quotes and letters beyond ASCII.
    private static func texts() -> Node {
        TreeBench.object(50_000, { TreeBench.pushKey($0 * 7919) }) { number in
            let text =
                number % 4 == 0
                ? "„Grüße“ aus Köln \u{1F600}, said \"number \(number)\"\nand went on with a rather long line of text"
                : "a message of usual length number \(number), in plain letters, as people write them all day long"
            return Node(children: [
                ("author", Node(leaf: .string(Text("user\(number % 100)")))), ("text", Node(leaf: .string(Text(text)))),
                ("at", Node(leaf: .integer(1_767_225_600_000 + Int64(number)))),
            ])
        }
    }
}
