import DataTree
import Testing
import WireProtocol

@Suite("From pushes to events of a stream")
struct EventStreamTranslatorTests {
    /// The events, a line each, as `put /path data`.
    func events(_ content: PushContent, root: Path = "s", largeBytes: Int = 65_536) -> [String] {
        var text = ""
        for part in EventStreamTranslator(root: root, largeBytes: largeBytes).events(for: content) {
            switch part {
            case .bytes(let bytes): text += String(decoding: bytes, as: UTF8.self)
            case .large(let head, let node, let tail):
                var writer = JSONWriter()
                writer.rest(node)
                text += String(decoding: head + writer.bytes + tail, as: UTF8.self)
            }
        }
        return text.split(separator: "\n").reduce(into: []) { events, line in
            if line.hasPrefix("event: ") {
                events.append(String(line.dropFirst(7)))
            } else {
                events[events.count - 1] += " " + line.dropFirst(6)
            }
        }
    }

    @Test("104 and 105, a set at or below the stream is a put at its place; arrays and holes as in reads")
    func sets() throws {
        let node = try Node(json: #"{"0":1,"1":{".value":2,".priority":3}}"#)
        #expect(events(.data(path: "s", node: node, updatedAt: nil)) == [#"put {"path":"/","data":[1,2]}"#])
        #expect(events(.data(path: "s/a/b", node: 5, updatedAt: nil)) == [#"put {"path":"/a/b","data":5}"#])
        #expect(events(.data(path: "s/a", node: .empty, updatedAt: nil)) == [#"put {"path":"/a","data":null}"#])
        #expect(events(.data(path: "a", node: 1, updatedAt: nil), root: .root) == [#"put {"path":"/a","data":1}"#])
    }

    @Test("107, what happens above the stream is shown as what it means for its root, what happens beside it not")
    func above() throws {
        let node = try Node(json: #"{"t":{"x":1},"u":2}"#)
        #expect(
            events(.data(path: "s", node: node, updatedAt: nil), root: "s/t") == [#"put {"path":"/","data":{"x":1}}"#])
        #expect(
            events(.data(path: .root, node: .empty, updatedAt: nil), root: "s/t") == [#"put {"path":"/","data":null}"#])
        #expect(events(.data(path: "s2", node: node, updatedAt: nil)).isEmpty)
        #expect(
            events(
                .merge(
                    path: .root, changes: [(Path("s"), node), (Path("other"), Node(leaf: .integer(1)))],
                    updatedAt: .root), root: "s/t")
                == [#"put {"path":"/","data":{"x":1}}"#])
        #expect(events(.merge(path: .root, changes: [("o", 1), ("p", 2)], updatedAt: .root)).isEmpty)
    }

    @Test("priorities are not shown")
    func priorities() {
        #expect(events(.data(path: "s/a/.priority", node: 1, updatedAt: nil)).isEmpty)
        #expect(events(.data(path: "s/.priority", node: 1, updatedAt: "s")).isEmpty)
        #expect(
            events(.merge(path: "s", changes: [("a/.priority", 1), ("b", 2)], updatedAt: nil))
                == [#"patch {"path":"/","data":{"b":2}}"#])
    }

    @Test("106, an update with names of one level is one patch where it was sent, also of one effective change")
    func updates() {
        #expect(
            events(.merge(path: "s/a", changes: [("b", 1), ("c", .empty)], updatedAt: "s/a"))
                == [#"patch {"path":"/a","data":{"b":1,"c":null}}"#])
        #expect(events(.data(path: "s/a/b", node: 1, updatedAt: "s/a")) == [#"patch {"path":"/a","data":{"b":1}}"#])
        #expect(events(.data(path: "s/a", node: 1, updatedAt: "s")) == [#"patch {"path":"/","data":{"a":1}}"#])
        #expect(
            events(.merge(path: "s/a", changes: [("b", 1), ("c", 2)], updatedAt: nil))
                == [#"patch {"path":"/a","data":{"b":1,"c":2}}"#])
    }

    @Test("deep names are puts of their own, unless the changes meet in one place")
    func deepNames() {
        #expect(events(.data(path: "s/a/b", node: 1, updatedAt: "s")) == [#"put {"path":"/a/b","data":1}"#])
        #expect(
            events(.merge(path: "s", changes: [("a/b", 1), ("c/d", 2), ("e", 3)], updatedAt: "s"))
                == [
                    #"patch {"path":"/","data":{"e":3}}"#, #"put {"path":"/a/b","data":1}"#,
                    #"put {"path":"/c/d","data":2}"#,
                ])
        #expect(
            events(.merge(path: "s/a", changes: [("b", 1), ("c", 2)], updatedAt: "s"))
                == [#"patch {"path":"/a","data":{"b":1,"c":2}}"#])
    }

    @Test("an update sent above the stream is one at its root, as far as it reaches")
    func updatesAbove() {
        #expect(
            events(.merge(path: .root, changes: [("s/a", 1), ("s/b", 2), ("o", 3)], updatedAt: .root))
                == [#"patch {"path":"/","data":{"a":1,"b":2}}"#])
        #expect(
            events(.merge(path: .root, changes: [("s/a/x", 1), ("o", 3)], updatedAt: .root))
                == [#"put {"path":"/a/x","data":1}"#])
        #expect(events(.data(path: "s/a", node: 1, updatedAt: .root)) == [#"put {"path":"/a","data":1}"#])
        #expect(events(.data(path: "s", node: 1, updatedAt: .root)) == [#"put {"path":"/","data":1}"#])
    }

    @Test("110, revocations end the stream with their reason; answers are no events")
    func ends() {
        #expect(events(.listenRevoked) == ["cancel Permission denied."])
        #expect(events(.authRevoked(.expiredToken)) == ["auth_revoked credential is no longer valid"])
        #expect(events(.response(number: 1, status: .ok, reason: nil)).isEmpty)
    }

    @Test("large values are left to be written later, and the parts make the same events")
    func large() throws {
        let node = Node(children: (0..<200).map { (Key("k\($0)"), Node(leaf: .integer(Int64($0)))) })
        let long = Node(leaf: .string(Text(String(repeating: "é", count: 20_000))))
        let one = Node(leaf: .integer(1))
        let mixed: [(Path, Node)] = [("a", one), ("b", node), ("c", one), ("d", long), ("e", one)]
        let deep: [(Path, Node)] = [("a/b", node), ("c/d", node), ("e/f", .empty)]
        let contents: [PushContent] = [
            .data(path: "s/a", node: node, updatedAt: nil), .data(path: "s", node: long, updatedAt: nil),
            .merge(path: "s", changes: mixed, updatedAt: "s"),
            .merge(path: "s", changes: deep, updatedAt: "s"),
        ]
        for content in contents {
            let parts = EventStreamTranslator(root: "s", largeBytes: 500).events(for: content)
            #expect(parts.contains { if case .large = $0 { true } else { false } })
            for part in parts {
                switch part {
                case .bytes(let bytes): #expect(bytes.count < 1200)
                case .large(let head, _, let tail): #expect(head.count + tail.count < 1200)
                }
            }
            #expect(events(content, largeBytes: 500) == events(content))
        }
        let small = EventStreamTranslator(root: "s").events(for: contents[2])
        #expect(small.count == 1)
    }

    @Test("many values that are not large by themselves are not all written at once")
    func many() {
        let text = Node(leaf: .string(Text(String(repeating: "x", count: 400))))
        let changes = (0..<100).map { (Path("k\($0)"), text) }
        let content = PushContent.merge(path: "s", changes: changes, updatedAt: "s")
        let parts = EventStreamTranslator(root: "s", largeBytes: 500).events(for: content)
        // Two make it full.
        #expect(parts.count == 98)
        #expect(events(content, largeBytes: 500) == events(content))
    }
}
