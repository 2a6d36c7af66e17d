/// The text of one range: `("a":("b":(string:"x"),"c":(number:3ff0000000000000)))`.
struct RangeText {
    private var bytes: [UInt8] = []
    /// The keys of the leaf appended last.
    private(set) var lastKeys: [Key] = []

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count }

    mutating func append(_ leaf: RangeLeaf) {
        var shared = 0
        if bytes.isEmpty {
            bytes.append(UInt8(ascii: "("))
        } else {
            while shared < min(lastKeys.count, leaf.keys.count), lastKeys[shared] == leaf.keys[shared] { shared += 1 }
            close(lastKeys.count - shared)
            bytes.append(UInt8(ascii: ","))
        }
        for key in leaf.keys[shared...] {
            bytes.append(UInt8(ascii: "\""))
            appendEscaped(from: bytes.count) { key.append(to: &$0) }
            bytes.append(contentsOf: "\":(".utf8)
        }
        if leaf.priority != .none {
            bytes.append(contentsOf: "priority:".utf8)
            append(leaf.priority)
            bytes.append(UInt8(ascii: ":"))
        }
        append(leaf.value)
        lastKeys = leaf.keys
    }

    /// The hash of the text, which is empty afterwards.
    mutating func finish() -> String {
        close(lastKeys.count + 1)
        let digest = bytes.withUnsafeBytes { SHA1.digest(of: $0) }
        bytes.removeAll(keepingCapacity: true)
        return digest.base64
    }

    private mutating func close(_ levels: Int) {
        for _ in 0..<levels { bytes.append(UInt8(ascii: ")")) }
    }

    private mutating func append(_ priority: Priority) {
        switch priority {
        case .number(let value): append(Leaf.double(value))
        case .string(let text): append(Leaf.string(text))
        case .none, .deferred: break
        }
    }

    private mutating func append(_ leaf: Leaf) {
        switch leaf {
        case .bool(let value): bytes.append(contentsOf: (value ? "boolean:true" : "boolean:false").utf8)
        case .integer(let value): append(Leaf.double(Double(value)))
        case .double(let value):
            bytes.append(contentsOf: "number:".utf8)
            appendHexadecimal(value, to: &bytes)
        case .string(let text):
            bytes.append(contentsOf: "string:\"".utf8)
            appendEscaped(from: bytes.count) { text.append(to: &$0) }
            bytes.append(UInt8(ascii: "\""))
        // Unresolved values are never hashed.
        case .deferred: break
        }
    }

    /// Appends text with a backslash before each quote and backslash.
    private mutating func appendEscaped(from start: Int, _ append: (inout [UInt8]) -> Void) {
        append(&bytes)
        guard bytes[start...].contains(where: { $0 == 0x22 || $0 == 0x5C }) else { return }
        let plain = Array(bytes[start...])
        bytes.removeLast(plain.count)
        for byte in plain {
            if byte == 0x22 || byte == 0x5C { bytes.append(0x5C) }
            bytes.append(byte)
        }
    }
}
