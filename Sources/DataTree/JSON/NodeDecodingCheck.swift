/// How the readers and writers of nodes disagree over `bytes`, or nil if they agree.
///
/// The cursor and the decoder, whatever its slices, must give the same node or the same error; a node must be written
/// as the same text in one piece and in slices, and read back equal.
package func nodeDecodingDisagreement(_ bytes: UnsafeRawBufferPointer) -> String? {
    let all: [JSONLimits] = [
        JSONLimits(), JSONLimits(form: .received), JSONLimits(depth: 4, stringBytes: 16, keyBytes: 8),
    ]
    for limits in all {
        let whole = decodeWhole(bytes, limits: limits)
        // Slices of one byte, of the whole, and of lengths that depend on the bytes.
        var seed = bytes.reduce(UInt64(bytes.count)) { $0 &* 31 &+ UInt64($1) }
        let cuts: [() -> Int] = [
            { 1 }, { bytes.count },
            {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(seed >> 33) % 13 + 1
            },
        ]
        for (index, cut) in cuts.enumerated() {
            let sliced = decodeSliced(bytes, limits: limits, cut: cut)
            if sliced != whole { return "cut \(index): \(sliced), whole: \(whole)" }
            if let disagreement = updateDisagreement(bytes, limits: limits, cut: cut) {
                return "update, cut \(index): \(disagreement)"
            }
        }
        var cursor = JSONCursor(bytes, limits: limits)
        switch (whole, Result { () throws(JSONError) in try cursor.skipValue() }) {
        case (.success, .failure(let error)): return "skipping what can be read: \(error)"
        case (.failure(let error), .success(let range)) where error.isSyntax && error.reason != .trailingBytes:
            return "skipped \(range) in spite of: \(error)"
        default: break
        }
        if case .success(let node) = whole, let disagreement = writingDisagreement(node) { return disagreement }
    }
    return nil
}

private func decodeWhole(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits) -> Result<Node, JSONError> {
    Result { () throws(JSONError) in
        var cursor = JSONCursor(bytes, limits: limits)
        let node = try cursor.decodeNode()
        try cursor.expectEnd()
        return node
    }
}

private func decodeSliced(
    _ bytes: UnsafeRawBufferPointer, limits: JSONLimits, cut: () -> Int
) -> Result<Node, JSONError> {
    Result { () throws(JSONError) in
        var decoder = NodeDecoder(limits: limits)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + max(cut(), 1))
            try decoder.feed(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            start = end
        }
        return try decoder.finish()
    }
}

private func writingDisagreement(_ node: Node) -> String? {
    var writer = JSONWriter()
    writer.node(node)
    var sliced: [UInt8] = []
    var serializer = NodeSerializer(node)
    while serializer.next(upTo: 7, into: &sliced) {}
    if sliced != writer.bytes { return "sliced: \(sliced), whole: \(writer.bytes)" }
    // Nodes of the received form may hold keys that no write could.
    let limits = JSONLimits(depth: .max, stringBytes: .max / 8, form: .received)
    let again = writer.bytes.withUnsafeBytes { decodeWhole($0, limits: limits) }
    if again != .success(node) { return "read again: \(again), was: \(node)" }
    return nil
}
