import DataTree
import Testing
import WireProtocol

@Suite("A client that applies the events of a stream")
struct EventStreamMirrorTests {
    static let keys: [Key] = ["a", "b", "c"]

    private func randomPath(_ counts: ClosedRange<Int>, _ random: inout SplitMix) -> Path {
        Path(
            keys: (0..<Int.random(in: counts, using: &random)).map { _ in Self.keys.randomElement(using: &random) ?? "a"
            })
    }

    private func randomNode(_ depth: Int, _ random: inout SplitMix) -> Node {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .empty
        case 1 where depth > 0, 2 where depth > 0:
            return Node(children: Self.keys.map { ($0, randomNode(depth - 1, &random)) })
        default: return Node(leaf: .integer(Int64.random(in: 0..<5, using: &random)))
        }
    }

    /// Applies the events to what the client has.
    func apply(_ parts: [EventPart], to mirror: inout Node) throws {
        var bytes: [UInt8] = []
        for part in parts {
            switch part {
            case .bytes(let text): bytes += text
            case .large(let head, let node, let tail):
                var writer = JSONWriter()
                writer.rest(node)
                bytes += head + writer.bytes + tail
            }
        }
        for event in String(decoding: bytes, as: UTF8.self).split(separator: "\n\n") {
            let lines = event.split(separator: "\n")
            try #require(lines.count == 2)
            let message = try Node(json: String(lines[1].dropFirst("data: ".count)))
            guard case .string(let text)? = message["path"].leaf else { throw UpdateFailure() }
            let path = Path(text.string)
            if lines[0] == "event: put" {
                mirror.set(message["data"], at: path)
            } else {
                try #require(lines[0] == "event: patch")
                // A deleted child is not in the node any more; its name is in the text.
                for key in Self.keys where lines[1].contains("\"\(key)\":null") && message["data"][key].isEmpty {
                    mirror.set(.empty, at: path.appending(key))
                }
                message["data"].forEachChild { key, node in
                    mirror.set(node, at: path.appending(key))
                    return true
                }
            }
        }
    }

    struct UpdateFailure: Error {}

    @Test("has what the hub has, whatever was written where and whatever is large", arguments: [UInt64](1...40))
    func mirrors(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let root = randomPath(0...2, &random)
        let translator = EventStreamTranslator(root: root, largeBytes: seed % 2 == 0 ? 16 : 65_536)
        var tree = randomNode(4, &random)
        var mirror = Node.empty
        try apply(translator.events(for: .data(path: root, node: tree.node(at: root), updatedAt: nil)), to: &mirror)
        #expect(mirror == tree.node(at: root))
        for _ in 0..<50 {
            let place = randomPath(0...3, &random)
            let meeting = place.appending(randomPath(0...1, &random))
            var paths: [Path] = []
            for _ in 0..<3 {
                let path = randomPath(1...2, &random)
                if !paths.contains(where: { $0.hasPrefix(path) || path.hasPrefix($0) }) { paths.append(path) }
            }
            let changes = paths.map { ($0, randomNode(2, &random)) }
            for (path, node) in changes { tree.set(node, at: meeting.appending(path)) }
            let updatedAt = Bool.random(using: &random) ? place : nil
            let content: PushContent =
                if changes.count == 1, let (path, node) = changes.first {
                    .data(path: meeting.appending(path), node: node, updatedAt: updatedAt)
                } else {
                    .merge(path: meeting, changes: changes, updatedAt: updatedAt)
                }
            try apply(translator.events(for: content), to: &mirror)
            #expect(mirror == tree.node(at: root), "\(content)")
        }
    }
}

/// Random numbers that are the same on every run.
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
