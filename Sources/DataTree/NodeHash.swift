/// Which order of children a node hash follows.
package enum HashVariant: Sendable {
    /// Priority order, then key order, as the JavaScript, Android and Java SDKs have it.
    case standard
    /// As `standard`, but plain key order where all children of a node have a priority, as the iOS SDK has it
    /// (`FChildrenNode.dataHash`).
    case keyOrderWhenAllPrioritized
}

extension Node {
    /// The hash that clients send to say what they believe is stored: base64 of a SHA-1, empty for an empty node.
    ///
    /// Cached in each object. After a change the hash of all siblings on the way is fed again, so a node with very many
    /// children takes long whatever is cached. Origin: `LeafNode.hash`, `ChildrenNode.hash` and `priorityHashText` in
    /// the JavaScript SDK's `packages/database/src/core/snap`.
    package func hash() -> String { hash(variant: .standard) }

    /// The hash in the child order of one family of SDKs.
    package func hash(variant: HashVariant) -> String {
        if isEmpty { return "" }
        var buffer: [UInt8] = []
        return digest(variant, &buffer).base64
    }

    /// Works at the end of the buffer and leaves there what was in front.
    private func digest(_ variant: HashVariant, _ buffer: inout [UInt8]) -> SHA1Digest {
        // Without priorities below there is but one order.
        let isCacheable = variant == .standard || totals.priorities == 0
        if isCacheable, let digest = cachedDigest { return digest }
        let start = buffer.count
        appendPreimage(to: &buffer, variant)
        let digest = SHA1.digest(&buffer, from: start)
        if isCacheable { cache(digest) }
        return digest
    }

    private var cachedDigest: SHA1Digest? {
        switch content {
        case .object(let page): page.digest.value
        case .prioritized(let box): box.digest.value
        default: nil
        }
    }

    private func cache(_ digest: SHA1Digest) {
        switch content {
        case .object(let page): page.digest.store(digest)
        case .prioritized(let box): box.digest.store(digest)
        default: break
        }
    }

    /// Appends the text that is hashed.
    private func appendPreimage(to message: inout [UInt8], _ variant: HashVariant) {
        appendHashText(of: priority, to: &message)
        if let leaf {
            appendHashText(of: leaf, to: &message)
            return
        }
        forEachChild(inHashOrder: variant) { key, child in
            message.append(UInt8(ascii: ":"))
            key.append(to: &message)
            message.append(UInt8(ascii: ":"))
            child.digest(variant, &message).appendBase64(to: &message)
        }
    }

    private func forEachChild(inHashOrder variant: HashVariant, _ body: (Key, Node) -> Void) {
        let prioritized = page?.prioritizedChildren ?? 0
        let isKeyOrder = prioritized == 0 || variant == .keyOrderWhenAllPrioritized && prioritized == childCount
        if isKeyOrder {
            forEachChild { key, child in
                body(key, child)
                return true
            }
            return
        }
        var children: [(key: Key, node: Node, priority: Priority)] = []
        children.reserveCapacity(childCount)
        forEachChild { key, child in
            children.append((key, child, child.priority))
            return true
        }
        children.sort { $0.priority != $1.priority ? $0.priority < $1.priority : $0.key < $1.key }
        for child in children { body(child.key, child.node) }
    }
}

/// Appends `priority:number:<hex>:` or `priority:string:<text>:`, or nothing. An unresolved priority counts as none.
private func appendHashText(of priority: Priority, to message: inout [UInt8]) {
    switch priority {
    case .none, .deferred: return
    case .number(let value):
        message.append(contentsOf: "priority:number:".utf8)
        appendHexadecimal(value, to: &message)
    case .string(let text):
        message.append(contentsOf: "priority:string:".utf8)
        text.append(to: &message)
    }
    message.append(UInt8(ascii: ":"))
}

/// Appends `number:<hex>`, `string:<text>`, `boolean:<word>`. Unresolved values are never hashed; they give nothing.
private func appendHashText(of leaf: Leaf, to message: inout [UInt8]) {
    switch leaf {
    case .bool(let value): message.append(contentsOf: (value ? "boolean:true" : "boolean:false").utf8)
    case .integer(let value):
        message.append(contentsOf: "number:".utf8)
        appendHexadecimal(Double(value), to: &message)
    case .double(let value):
        message.append(contentsOf: "number:".utf8)
        appendHexadecimal(value, to: &message)
    case .string(let text):
        message.append(contentsOf: "string:".utf8)
        text.append(to: &message)
    case .deferred: break
    }
}

/// Appends the sixteen digits of a double's bits, `-0` as `0`.
func appendHexadecimal(_ value: Double, to message: inout [UInt8]) {
    let bits = (value == 0 ? 0 : value).bitPattern
    for shift in stride(from: UInt64(60), through: 0, by: -4) {
        let digit = UInt8(bits >> shift & 0xF)
        message.append(digit < 10 ? digit + 0x30 : digit + 0x57)
    }
}
