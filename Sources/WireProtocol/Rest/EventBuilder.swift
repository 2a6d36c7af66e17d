import DataTree

/// Part of one or several events. Parts go out in order, with nothing between them.
package enum EventPart: Sendable {
    case bytes([UInt8])
    /// `node` in plain REST form (`RestSerializer`) between two texts, to be written as fast as the socket drains.
    case large(head: [UInt8], node: Node, tail: [UInt8])
}

/// Puts events together; values that are large are left to be written later.
struct EventBuilder {
    /// Values of more bytes, and all values behind so many, are not written at once.
    private let largeBytes: Int
    private var writer = JSONWriter()
    private var parts: [EventPart] = []
    /// The bytes of the values written so far.
    private var valueBytes = 0

    init(largeBytes: Int) { self.largeBytes = largeBytes }

    /// What was written since the last large value.
    var bytes: [UInt8] { writer.bytes }

    mutating func put(_ path: Path, _ node: Node) {
        begin("event: put\ndata: {\"path\":", path)
        value(node)
        writer.raw("}\n\n")
    }

    mutating func patch(_ path: Path, _ changes: [(Key, Node)]) {
        begin("event: patch\ndata: {\"path\":", path)
        for (index, (key, node)) in changes.enumerated() {
            writer.raw(index == 0 ? "{" : ",")
            writer.key(key)
            writer.raw(":")
            value(node)
        }
        writer.raw(changes.isEmpty ? "{}}\n\n" : "}}\n\n")
    }

    mutating func append(_ event: [UInt8]) { writer.raw(event) }

    /// All parts; the builder is empty afterwards.
    mutating func finish() -> [EventPart] {
        var parts: [EventPart] = []
        swap(&parts, &self.parts)
        let bytes = takeBytes()
        if case .large(let head, let node, _)? = parts.last {
            parts[parts.count - 1] = .large(head: head, node: node, tail: bytes)
        } else if !bytes.isEmpty {
            parts.append(.bytes(bytes))
        }
        return parts
    }

    private mutating func begin(_ opening: StaticString, _ path: Path) {
        writer.raw(opening)
        writer.rootedPath(path)
        writer.raw(",\"data\":")
    }

    private mutating func value(_ node: Node) {
        let start = writer.bytes.count
        if largeBytes == .max {
            writer.rest(node)
            return
        }
        // A leaf takes at least two bytes, with its comma.
        if node.leafCount <= largeBytes / 2, valueBytes <= largeBytes {
            var serializer = RestSerializer(node)
            guard serializer.next(upTo: largeBytes, into: &writer.bytes) else {
                valueBytes += writer.bytes.count - start
                return
            }
            writer.bytes.removeLast(writer.bytes.count - start)
        }
        // A copy of its own length: what was tried above has left room for a large value.
        parts.append(.large(head: Array(takeBytes()[...]), node: node, tail: []))
    }

    private mutating func takeBytes() -> [UInt8] {
        var bytes: [UInt8] = []
        swap(&bytes, &writer.bytes)
        return bytes
    }
}
