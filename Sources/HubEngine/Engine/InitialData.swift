import DataTree
import WireProtocol

/// What a new listener is sent before its `ok`.
enum InitialData {
    /// The data push, or the range merge, that brings a listener up to `result`; nil when its hash shows that it is.
    static func frame(for listen: Listen, result: Node) -> Frame? {
        guard !matches(listen.hash, result) else { return nil }
        if let compound = listen.compoundHash {
            let ranges = compound.differences(in: result)
            return ranges.isEmpty
                ? nil : ServerMessage.rangeMerge(path: listen.path, ranges: ranges, tag: listen.tag)
        }
        return ServerMessage.data(path: listen.path, node: result, tag: listen.tag)
    }

    /// Whether a client's hash is that of `node`. The iOS SDK hashes nodes whose children all have priorities in key order
    /// (`FChildrenNode.dataHash`); both forms are collision-safe, so either is accepted.
    static func matches(_ hash: String, _ node: Node) -> Bool {
        if node.isEmpty || hash.isEmpty { return node.isEmpty && hash.isEmpty }
        let expected = Text(hash)
        return Text(node.hash()) == expected || Text(node.hash(variant: .keyOrderWhenAllPrioritized)) == expected
    }
}
