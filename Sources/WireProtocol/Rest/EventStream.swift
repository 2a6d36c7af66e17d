import DataTree

/// Server-sent events as the REST interface writes them (`protocol/rest.md`, "Event streams"): one `event` line, one
/// `data` line, an empty line; JSON without raw newlines.
///
/// An event is to be handed to the socket in one piece, because some clients forget its name between two.
package enum EventStream {
    /// The media type of the response. Without the charset some clients read Latin-1.
    package static let contentType = "text/event-stream; charset=utf-8"

    /// What keeps the connection from looking idle.
    package static let keepAlive = Array("event: keep-alive\ndata: null\n\n".utf8)

    /// The credential expired or was taken back; the stream ends.
    package static let authRevoked = Array("event: auth_revoked\ndata: credential is no longer valid\n\n".utf8)

    /// The rules no longer allow the read; the stream ends.
    package static let permissionDenied = cancel("Permission denied.")

    /// The value does not fit into an event; the stream ends.
    package static let tooLarge = cancel(
        "The specified payload is too large, please request a location with less data.")

    /// The stream ends for a reason, one line of text.
    package static func cancel(_ reason: String) -> [UInt8] {
        var bytes = Array("event: cancel\ndata: ".utf8)
        for byte in reason.utf8 { bytes.append(byte < 0x20 ? 0x20 : byte) }
        bytes.append(contentsOf: [0x0A, 0x0A])
        return bytes
    }

    /// The node at `path`, relative to the stream, is now `node`.
    package static func put(path: Path, node: Node) -> [UInt8] {
        var builder = EventBuilder(largeBytes: .max)
        builder.put(path, node)
        return builder.bytes
    }

    /// The named children of `path` are now these.
    package static func patch(path: Path, changes: [(Key, Node)]) -> [UInt8] {
        var builder = EventBuilder(largeBytes: .max)
        builder.patch(path, changes)
        return builder.bytes
    }
}
