import DataTree

/// What a hub says, encoded and framed (`protocol/websocket.md`).
///
/// The members come in the order of the examples in that page; tools look for `"a":"d"` within the first 32 bytes of a push.
/// Values are handed over either as nodes or as JSON text in export form, so that a value that goes out under several tags is
/// written once.
package enum ServerMessage {
    // MARK: Control

    /// The greeting, the first message on a connection.
    /// - Parameters:
    ///   - timestamp: the hub's clock in milliseconds, read when the greeting is sent.
    ///   - host: where the client shall connect next time, with the port.
    ///   - session: the id of the session.
    ///   - writeIDs: whether the hub knows write ids.
    package static func hello(timestamp: Int64, host: String, session: String, writeIDs: Bool = true) -> Frame {
        var writer = message(#"{"t":"c","d":{"t":"h","d":{"ts":"#)
        writer.integer(timestamp)
        writer.raw(#","v":"5","h":"#)
        writer.string(host)
        writer.raw(#","s":"#)
        writer.string(session)
        if writeIDs { writer.raw(#","w":1"#) }
        writer.raw("}}}")
        return frame(&writer, .greeting(session: session))
    }

    /// The answer to a control ping. The inner `d` must be there (JavaScript SDK, `Connection.onControl_`).
    package static func pong() -> Frame { pongFrame }

    private static let pongFrame = Frame(text: Array(#"{"t":"c","d":{"t":"o","d":{}}}"#.utf8))

    /// The hub knows the session that a second transport is to go on with.
    package static func switchAccepted() -> Frame { switchAcceptedFrame }

    private static let switchAcceptedFrame = Frame(text: Array(#"{"t":"c","d":{"t":"a","d":{}}}"#.utf8))

    /// The last message on a transport that another one goes on for.
    package static func transmissionEnded() -> Frame { transmissionEndedFrame }

    private static let transmissionEndedFrame = Frame(text: Array(#"{"t":"c","d":{"t":"n","d":{}}}"#.utf8))

    // MARK: Answers

    /// `ok` with an empty text: the answer to everything that has nothing to say.
    package static func ok(_ number: Int) -> Frame {
        var writer = response(number, .ok)
        writer.raw(#""""#)
        return end(&writer, .response(number: number, status: .ok, reason: nil))
    }

    /// `ok` with a payload in JSON.
    package static func ok(_ number: Int, payload: [UInt8]) -> Frame {
        var writer = response(number, .ok)
        writer.bytes.append(contentsOf: payload)
        return end(&writer, .response(number: number, status: .ok, reason: nil))
    }

    /// `ok` with a node: the answer to a get or an echo.
    package static func ok(_ number: Int, node: Node) -> Frame {
        var writer = response(number, .ok)
        writer.node(node)
        return end(&writer, .response(number: number, status: .ok, reason: nil))
    }

    /// `ok` to a listen: always an object (Android SDK, `PersistentConnectionImpl.sendListen`).
    /// - Parameter withoutIndex: the query ran over an index that the rules do not declare.
    package static func listening(_ number: Int, withoutIndex: Bool = false) -> Frame {
        var writer = response(number, .ok)
        writer.raw(withoutIndex ? #"{"w":["no_index"]}"# : "{}")
        return end(&writer, .response(number: number, status: .ok, reason: nil))
    }

    /// `ok` to a sign-in.
    /// - Parameters:
    ///   - identity: the identity as JSON, nil for an administrator.
    ///   - expires: when the token expires, in seconds since 1970; nil when it does not.
    package static func authenticated(_ number: Int, identity: [UInt8]?, expires: Int64?) -> Frame {
        var writer = response(number, .ok)
        writer.raw(#"{"auth":"#)
        if let identity { writer.bytes.append(contentsOf: identity) } else { writer.raw("null") }
        if let expires {
            writer.raw(#","expires":"#)
            writer.integer(expires)
        }
        writer.raw("}")
        return end(&writer, .response(number: number, status: .ok, reason: nil))
    }

    /// A refusal with a text; without one the catalogue's.
    package static func refusal(_ number: Int, _ status: Status, reason: String? = nil) -> Frame {
        var writer = response(number, status)
        let reason = reason ?? status.text
        writer.string(reason)
        return end(&writer, .response(number: number, status: status, reason: reason))
    }

    // MARK: Pushes

    /// The node at `path` is now `value`, JSON in export form (`null` for a deletion).
    package static func data(path: Path, value: [UInt8], tag: Int? = nil) -> Frame {
        var writer = push(#"{"t":"d","d":{"a":"d","b":{"p":"#, path)
        writer.bytes.append(contentsOf: value)
        return end(&writer, tag: tag)
    }

    /// The node at `path` is now `node`.
    /// - Parameters:
    ///   - updatedAt: see `PushContent.data`; it does not travel.
    ///   - isPriorityAlone: nothing but the node's priority has changed. The node travels whole all the same; the content
    ///     tells the priority alone.
    package static func data(
        path: Path, node: Node, tag: Int? = nil, updatedAt: Path? = nil, isPriorityAlone: Bool = false
    ) -> Frame {
        var writer = push(#"{"t":"d","d":{"a":"d","b":{"p":"#, path)
        writer.node(node)
        let content =
            isPriorityAlone
            ? PushContent.priority(of: node, at: path, updatedAt: updatedAt)
            : .data(path: path, node: node, updatedAt: updatedAt)
        return end(&writer, tag: tag, content)
    }

    /// The named nodes below `path` are now these, all at once and in this order. Not for an empty list: clients ignore such a
    /// message or stumble over it.
    package static func merge(path: Path, changes: [(Path, [UInt8])], tag: Int? = nil) -> Frame {
        merge(path: path, changes, tag: tag, content: nil) { $0.bytes.append(contentsOf: $1) }
    }

    /// The named nodes below `path` are now these, all at once and in this order.
    /// - Parameter updatedAt: see `PushContent.merge`; it does not travel.
    package static func merge(
        path: Path, changes: [(Path, Node)], tag: Int? = nil, updatedAt: Path? = nil
    ) -> Frame {
        let content = PushContent.merge(path: path, changes: changes, updatedAt: updatedAt)
        return merge(path: path, changes, tag: tag, content: content) { $0.node($1) }
    }

    /// The ranges in which the client's copy differs; only in answer to a listen with range hashes.
    package static func rangeMerge(path: Path, ranges: [RangeMerge], tag: Int? = nil) -> Frame {
        var writer = push(#"{"t":"d","d":{"a":"rm","b":{"p":"#, path)
        writer.raw("[")
        for (index, range) in ranges.enumerated() {
            writer.raw(index == 0 ? "{" : ",{")
            if let start = range.start {
                writer.raw(#""s":"#)
                writer.path(start)
                writer.raw(",")
            }
            if let last = range.end {
                writer.raw(#""e":"#)
                writer.path(last)
                writer.raw(",")
            }
            writer.raw(#""m":"#)
            writer.node(range.node)
            writer.raw("}")
        }
        writer.raw("]")
        return end(&writer, tag: tag)
    }

    /// The listen at `path` is no longer permitted.
    /// - Parameter query: the query object as the client wrote it (`Listen.queryText`) for a tagged listen; nil for a whole node.
    package static func listenRevoked(path: Path, query: [UInt8]? = nil) -> Frame {
        var writer = message(#"{"t":"d","d":{"a":"c","b":{"p":"#)
        writer.path(path)
        if let query {
            // A list, because the JavaScript SDK maps over it (`PersistentConnection.onListenRevoked_`).
            writer.raw(#","q":["#)
            writer.bytes.append(contentsOf: query)
            writer.raw("]")
        }
        writer.raw("}}}")
        return frame(&writer, .listenRevoked)
    }

    /// The identity is taken back.
    package static func authRevoked(_ status: Status, reason: String? = nil) -> Frame {
        var writer = message(#"{"t":"d","d":{"a":"ac","b":{"s":"#)
        writer.string(status.rawValue)
        writer.raw(#","d":"#)
        writer.string(reason ?? status.text)
        writer.raw("}}}")
        return frame(&writer, .authRevoked(status))
    }

    /// A text that clients print for the developer.
    package static func securityDebug(_ text: String) -> Frame {
        var writer = message(#"{"t":"d","d":{"a":"sd","b":{"msg":"#)
        writer.string(text)
        writer.raw("}}}")
        return frame(&writer)
    }

    // MARK: Parts

    /// A writer that leaves room for the frame's header and has written `opening`.
    static func message(_ opening: StaticString) -> JSONWriter {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(Frame.headerRoom + 160)
        writer.bytes.append(contentsOf: repeatElement(0, count: Frame.headerRoom))
        writer.raw(opening)
        return writer
    }

    /// Frames what was written; takes the bytes out of the writer so that the header is put in without copying them.
    static func frame(_ writer: inout JSONWriter, _ content: PushContent? = nil) -> Frame {
        var bytes: [UInt8] = []
        swap(&bytes, &writer.bytes)
        return Frame(textAfterHeaderRoom: bytes, content: content)
    }

    /// Everything before the payload of an answer.
    static func response(_ number: Int, _ status: Status) -> JSONWriter {
        var writer = message(#"{"t":"d","d":{"r":"#)
        writer.integer(Int64(number))
        if status == .ok {
            writer.raw(#","b":{"s":"ok","d":"#)
        } else {
            writer.raw(#","b":{"s":"#)
            writer.string(status.rawValue)
            writer.raw(#","d":"#)
        }
        return writer
    }

    /// Everything before the value of a push.
    static func push(_ opening: StaticString, _ path: Path) -> JSONWriter {
        var writer = message(opening)
        writer.path(path)
        writer.raw(#","d":"#)
        return writer
    }

    /// Everything after the value of a push or the payload of an answer. A tag is left out, never null (iOS SDK,
    /// `FPersistentConnection onDataPushWithAction:`).
    static func close(_ writer: inout JSONWriter, tag: Int?) {
        if let tag {
            writer.raw(#","t":"#)
            writer.integer(Int64(tag))
        }
        writer.raw("}}}")
    }

    private static func end(_ writer: inout JSONWriter, tag: Int? = nil, _ content: PushContent? = nil) -> Frame {
        close(&writer, tag: tag)
        return frame(&writer, content)
    }

    private static func merge<Value>(
        path: Path, _ changes: [(Path, Value)], tag: Int?, content: PushContent?,
        write: (inout JSONWriter, Value) -> Void
    ) -> Frame {
        var writer = push(#"{"t":"d","d":{"a":"m","b":{"p":"#, path)
        writer.raw("{")
        for (index, (place, value)) in changes.enumerated() {
            if index > 0 { writer.raw(",") }
            writer.path(place)
            writer.raw(":")
            write(&writer, value)
        }
        writer.raw("}")
        return end(&writer, tag: tag, content)
    }
}
