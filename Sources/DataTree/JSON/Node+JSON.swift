extension Node {
    /// Reads a node from JSON text in export form, as strictly as a client's write.
    package init(json: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        self = try Array(json.utf8).withUnsafeBufferPointer { bytes throws(JSONError) in
            var cursor = JSONCursor(UnsafeRawBufferPointer(bytes), limits: limits)
            let node = try cursor.readNode()
            try cursor.expectEnd()
            return node
        }
    }

    /// The node in export form; `null` for the empty node.
    package var json: String {
        var writer = JSONWriter()
        writer.node(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
