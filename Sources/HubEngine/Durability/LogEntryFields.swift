import DataTree
import Storage

/// How the field types of log entries and state records lie in bytes.
extension ByteWriter {
    mutating func session(_ id: SessionID) {
        varint(UInt64(id.incarnation))
        uint64(id.high)
        uint64(id.low)
    }

    mutating func path(_ path: Path) {
        var text: [UInt8] = []
        path.append(to: &text)
        block(text)
    }

    mutating func node(_ node: Node) {
        nested { writer in
            var json = JSONWriter()
            swap(&json.bytes, &writer.bytes)
            json.node(node)
            swap(&json.bytes, &writer.bytes)
        }
    }

    mutating func optional<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
        byte(value == nil ? 0 : 1)
        if let value { write(&self, value) }
    }

    mutating func identity(_ identity: Identity) {
        switch identity {
        case .anonymous: byte(0)
        case .administrator: byte(1)
        case .user(let user):
            byte(2)
            string(user.uid)
            optional(user.provider) { $0.string($1) }
            node(user.claims)
            optional(user.expiry) { $0.signed($1) }
            optional(user.override) { $0.node($1) }
        }
    }

    mutating func rules(_ version: RulesVersion) {
        varint(UInt64(version.number))
        signed(version.time)
        string(version.author)
        string(version.text)
    }

    mutating func operations(_ tree: OnDisconnectTree) {
        varint(UInt64(tree.operationCount))
        tree.forEach { path, value in
            self.path(path)
            node(value)
        }
    }
}

extension ByteReader {
    mutating func incarnation() throws -> UInt32 {
        guard let number = UInt32(exactly: try varint()) else { throw LogEntryError.malformed("an incarnation") }
        return number
    }

    mutating func session() throws -> SessionID {
        SessionID(incarnation: try incarnation(), random: (try uint64(), try uint64()))
    }

    mutating func path() throws -> Path { Path(utf8: try block()) }

    /// - Parameter form: values are read as they were written, server values included; a token's claims as anything.
    mutating func node(form: ExportForm = .write) throws -> Node {
        let limits = JSONLimits(depth: 10_000, stringBytes: .max, keyBytes: .max, form: form)
        var text = try nested()
        var cursor = JSONCursor(try text.bytes(text.remaining), limits: limits)
        let node = try cursor.readNode()
        try cursor.expectEnd()
        return node
    }

    mutating func optional<Value>(_ read: (inout ByteReader) throws -> Value) throws -> Value? {
        try byte() == 0 ? nil : try read(&self)
    }

    mutating func identity() throws -> Identity {
        switch try byte() {
        case 0: return .anonymous
        case 1: return .administrator
        case 2:
            return .user(
                UserIdentity(
                    uid: try string(), provider: try optional { try $0.string() }, claims: try node(form: .received),
                    expiry: try optional { try $0.signed() }, override: try optional { try $0.node(form: .received) }))
        default: throw LogEntryError.malformed("an identity")
        }
    }

    mutating func rules() throws -> RulesVersion {
        guard let number = UInt32(exactly: try varint()) else { throw LogEntryError.malformed("a version of rules") }
        return RulesVersion(number: number, time: try signed(), author: try string(), text: try string())
    }

    mutating func operations() throws -> OnDisconnectTree {
        var tree = OnDisconnectTree()
        for _ in 0..<(try count()) {
            let path = try path()
            tree.set(try node(), at: path)
        }
        return tree
    }
}
