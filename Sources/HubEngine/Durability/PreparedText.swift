import DataTree
import Storage

/// The text of a large value as the log holds it, written before the engine has to do with it: that takes a while, in which
/// nobody else would be served.
package struct PreparedText: Sendable {
    let node: Node
    let text: [UInt8]

    /// Nil for a value that is small, or that is not known before it is written.
    init?(_ node: Node, above leaves: Int) {
        guard node.leafCount > leaves, !node.containsDeferred else { return nil }
        var writer = JSONWriter()
        writer.node(node)
        self.node = node
        text = writer.bytes
    }
}

extension ByteWriter {
    /// A value of which a part may be there as text already: itself, or what stands at the end of a chain of only children, as
    /// where a write has made the nodes above it.
    mutating func node(_ node: Node, _ prepared: [PreparedText]) {
        var keys: [Key] = []
        var inner = node
        while !prepared.isEmpty {
            if let found = prepared.first(where: { $0.node.isIdentical(to: inner) }) {
                return splice(found.text, below: keys)
            }
            guard inner.childCount == 1, inner.priority == .none else { break }
            inner.forEachChild { key, child in
                keys.append(key)
                inner = child
                return false
            }
        }
        self.node(node)
    }

    private mutating func splice(_ text: [UInt8], below keys: [Key]) {
        bytes.reserveCapacity(bytes.count + text.count + 1024)
        nested { writer in
            var json = JSONWriter()
            for key in keys {
                json.raw("{")
                json.key(key)
                json.raw(":")
            }
            writer.bytes += json.bytes
            writer.bytes += text
            writer.bytes += repeatElement(UInt8(ascii: "}"), count: keys.count)
        }
    }
}

extension Call {
    /// The same call with its large values prepared; nil when it has none.
    func prepared(above leaves: Int) -> Call? {
        guard case .write(var write) = operation, needsPreparation(above: leaves) else { return nil }
        let values: [Node] =
            switch write.change {
            case .put(let node), .push(let node): [node]
            case .update(let changes): changes.map(\.1)
            }
        write.prepared = values.compactMap { PreparedText($0, above: leaves) }
        var call = self
        call.operation = .write(write)
        return call
    }

    /// Whether `prepared` would have something to do.
    func needsPreparation(above leaves: Int) -> Bool {
        guard case .write(let write) = operation, write.prepared.isEmpty else { return false }
        switch write.change {
        case .put(let node), .push(let node): return node.leafCount > leaves && !node.containsDeferred
        case .update(let changes): return changes.contains { $0.1.leafCount > leaves && !$0.1.containsDeferred }
        }
    }
}

extension SessionEvent {
    /// Whether it carries a large value that can be prepared.
    func needsPreparation(above leaves: Int) -> Bool {
        if case .call(_, let call) = self { return call.needsPreparation(above: leaves) }
        return false
    }
}
