/// Writes JSON text: UTF-8, no white space, only what must be escaped is escaped.
///
/// Punctuation of surrounding messages goes through `raw`; the writer does not check nesting.
package struct JSONWriter: Sendable {
    package var bytes: [UInt8]

    package init(reserving capacity: Int = 0) {
        bytes = []
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    /// Writes text that is JSON already, such as `{"t":"d","d":`.
    package mutating func raw(_ text: StaticString) {
        // A literal of one scalar has no pointer; those go through its scalar.
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Writes bytes that are JSON already.
    package mutating func raw(_ json: [UInt8]) { bytes.append(contentsOf: json) }

    package mutating func null() { raw("null") }

    package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    package mutating func integer(_ value: Int64) { NumberText.append(value, to: &bytes) }

    /// Writes whole numbers that fit 64 bits without a fraction, others in the shortest form that reads back the same.
    package mutating func double(_ value: Double) { NumberText.append(value, to: &bytes) }

    /// Writes a quoted string.
    package mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { JSONEscape.appendQuoted(UnsafeRawBufferPointer($0), to: &bytes) }
    }

    /// Writes a quoted string.
    package mutating func text(_ value: Text) { value.withUTF8 { JSONEscape.appendQuoted($0, to: &bytes) } }

    /// Writes a key as a quoted string, without a colon.
    package mutating func key(_ key: Key) { JSONEscape.appendQuoted(key, to: &bytes) }

    /// Writes a path as a quoted string without a leading slash: `"a/b"`, `""` for the root.
    package mutating func path(_ path: Path) {
        bytes.append(0x22)
        appendKeys(of: path)
    }

    /// Writes a path as a quoted string with a leading slash: `"/a/b"`, `"/"` for the root.
    package mutating func rootedPath(_ path: Path) {
        bytes.append(0x22)
        bytes.append(0x2F)
        appendKeys(of: path)
    }

    /// Writes the keys with slashes between them, then the closing quote.
    private mutating func appendKeys(of path: Path) {
        for (index, key) in path.keys.enumerated() {
            if index > 0 { bytes.append(0x2F) }
            JSONEscape.append(key, to: &bytes)
        }
        bytes.append(0x22)
    }

    /// Writes a scalar, or `{".sv": …}` for a server value not yet resolved.
    package mutating func leaf(_ leaf: Leaf) {
        switch leaf {
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .double(let value): double(value)
        case .string(let value): text(value)
        case .deferred(let value): serverValue(value)
        }
    }

    package mutating func serverValue(_ value: ServerValue) {
        switch value {
        case .timestamp: raw(#"{".sv":"timestamp"}"#)
        case .increment(let delta):
            raw(#"{".sv":{"increment":"#)
            double(delta)
            raw("}}")
        }
    }

    package mutating func priority(_ priority: Priority) {
        switch priority {
        case .none: null()
        case .number(let value): double(value)
        case .string(let value): text(value)
        case .deferred(let value): serverValue(value)
        }
    }

    /// Writes a node in export form: scalars as such, a leaf with a priority as `{".value": …, ".priority": …}`, an
    /// object with its `.priority` first, nothing as `null`.
    package mutating func node(_ node: Node) {
        var serializer = NodeSerializer(node)
        while serializer.next(upTo: .max, into: &bytes) {}
    }
}
