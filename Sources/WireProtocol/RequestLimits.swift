import DataTree

/// What a request may hold; beyond it the request is answered with a refusal. The limit on whole messages is the
/// `SegmentAssembler`'s.
package struct RequestLimits: Sendable {
    /// Keys, depth and string leaves of what is written.
    package let write: WriteLimits
    /// How deep objects and arrays may be nested in the text, data that prunes to nothing included.
    package let nesting: Int
    /// The longest write id, in bytes.
    package let writeIDBytes: Int
    /// The limits of values as their decoder takes them.
    let json: JSONLimits

    package init(write: WriteLimits = WriteLimits(), nesting: Int = 1_000, writeIDBytes: Int = 128) {
        self.write = write
        self.nesting = nesting
        self.writeIDBytes = writeIDBytes
        json = JSONLimits(depth: nesting, stringBytes: write.stringBytes, keyBytes: write.keyBytes)
    }
}
