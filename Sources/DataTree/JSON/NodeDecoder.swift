/// Turns JSON text that arrives in slices, cut anywhere, into a node.
///
/// ```swift
/// var decoder = NodeDecoder()
/// while let slice = try receive() { try decoder.feed(slice) }
/// let node = try decoder.finish()
/// ```
///
/// Gives the same nodes and the same errors as `JSONCursor.readNode` over the whole text. Beyond the tree it keeps a
/// few words for each level of nesting and the token that the last slice left unfinished. After an error it is of no
/// more use.
package struct NodeDecoder: ~Copyable {
    private var machine: NodeMachine
    /// How many bytes the earlier slices had.
    private var consumed = 0

    package init(limits: JSONLimits = JSONLimits()) {
        machine = NodeMachine(limits: limits)
    }

    package mutating func feed(_ slice: UnsafeRawBufferPointer) throws(JSONError) {
        guard let base = slice.baseAddress, !slice.isEmpty else { return }
        let bytes = base.assumingMemoryBound(to: UInt8.self)
        var index = 0
        if machine.state != .done {
            index = try machine.consume(bytes, from: 0, to: slice.count, offset: consumed, isFinal: false)
        }
        while index < slice.count {
            guard JSONText.isWhitespace(bytes[index]) else {
                throw JSONError(offset: consumed + index, reason: .trailingBytes)
            }
            index += 1
        }
        consumed += slice.count
    }

    /// The node, once all text was fed.
    package consuming func finish() throws(JSONError) -> Node {
        if machine.state != .done {
            // No byte is read: the slice is empty.
            var nothing: UInt8 = 0
            _ = try machine.consume(&nothing, from: 0, to: 0, offset: consumed, isFinal: true)
        }
        return machine.result
    }

    /// How many nodes the text has told of so far, without the outermost: what bounds the memory that it takes.
    package var nodeCount: Int { machine.pending.added }

    /// How many keys stand on the longest way down so far, as `JSONCursor.lastNodeDepth` counts them.
    package var depth: Int { machine.deepest }
}
