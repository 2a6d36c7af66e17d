import DataTree

/// Turns the text of a message from a client into what it asks for.
///
/// Hot path: one pass over the bytes when the type stands before the payload and the action before the body, as the SDKs write
/// them; what comes too early is stepped over and read when it can be understood. Names and actions cost no allocation.
package enum RequestDecoder {
    /// - Parameter text: one complete message; not kept.
    /// - Throws: when the text is no message of the protocol; the connection must be closed. A request whose body is wrong
    ///   does not throw: it comes back as `Action.invalid`.
    package static func decode(
        _ text: UnsafeRawBufferPointer, limits: RequestLimits = RequestLimits()
    ) throws(MalformedMessage) -> ClientMessage {
        if text.count == 1, text[0] == UInt8(ascii: "0") { return .keepAlive }
        do {
            var parser = MessageParser(text, limits)
            let message = try parser.message()
            try parser.cursor.expectEnd()
            return message
        } catch let error as MalformedMessage {
            throw error
        } catch let error as JSONError {
            throw .notJSON(error)
        } catch {
            throw .member("t", expected: "\"c\" or \"d\"")
        }
    }

    /// The answer to a message that was too long to be kept, from its first bytes: a request with its number and a refusal. Nil
    /// when the number is not among them.
    package static func oversized(head: [UInt8], byteCount: Int) -> Request? {
        head.withUnsafeBytes { bytes in
            var parser = MessageParser(bytes, RequestLimits())
            // The text ends in the middle, so this always ends with an error; what was seen until then counts.
            _ = try? parser.message()
            guard let number = parser.number else { return nil }
            let reason = "The message has \(byteCount) bytes, more than this hub takes; write in smaller parts"
            return Request(number: number, action: .invalid(status: .tooBig, reason: reason))
        }
    }
}

/// Reads one envelope: `{"t":…,"d":…}` and within it `{"r":…,"a":…,"b":…}`, members in any order.
private struct MessageParser: ~Copyable {
    private enum MessageType { case control, data, other }

    var cursor: JSONCursor
    /// The request's number as soon as it was read.
    private(set) var number: Int?
    private let text: UnsafeRawBufferPointer
    private let limits: RequestLimits

    init(_ text: UnsafeRawBufferPointer, _ limits: RequestLimits) {
        cursor = JSONCursor(text, limits: limits.json)
        self.text = text
        self.limits = limits
    }

    mutating func message() throws -> ClientMessage {
        var type: MessageType?
        var payload: Range<Int>?
        var message: ClientMessage?
        guard cursor.peek() == .object else { throw try wrong("t", "\"c\" or \"d\"") }
        try cursor.enterObject()
        while let name = try cursor.nextName() {
            if name == "t" {
                guard cursor.peek() == .string else { throw try wrong("t", "\"c\" or \"d\"") }
                type = try cursor.readText { bytes in
                    guard bytes.count == 1 else { return MessageType.other }
                    return bytes[0] == UInt8(ascii: "d") ? .data : bytes[0] == UInt8(ascii: "c") ? .control : .other
                }
            } else if name == "d" {
                switch type {
                case .data: message = .request(try request())
                case .control: message = try control()
                case .other, nil: payload = try cursor.skipValue()
                }
            } else {
                _ = try cursor.skipValue()
            }
        }
        if let message { return message }
        guard let type, type != .other else { throw MalformedMessage.member("t", expected: "\"c\" or \"d\"") }
        guard let payload else { throw MalformedMessage.member("d", expected: "an object") }
        var inner = MessageParser(UnsafeRawBufferPointer(rebasing: text[payload]), limits)
        return type == .data ? .request(try inner.request()) : try inner.control()
    }

    private mutating func control() throws -> ClientMessage {
        guard cursor.peek() == .object else { throw try wrong("d", "an object") }
        var kind: UInt8?
        try cursor.enterObject()
        while let name = try cursor.nextName() {
            if name == "t", cursor.peek() == .string {
                kind = try cursor.readText { $0.count == 1 ? $0[0] : nil }
            } else {
                _ = try cursor.skipValue()
            }
        }
        switch kind {
        case UInt8(ascii: "p"): return .ping
        case UInt8(ascii: "a"): return .switchAcknowledged
        case UInt8(ascii: "n"): return .transmissionEnded
        default: return .control
        }
    }

    private mutating func request() throws -> Request {
        guard cursor.peek() == .object else { throw try wrong("d", "an object") }
        var name: ActionName?
        var bodyRange: Range<Int>?
        var action: Action?
        try cursor.enterObject()
        while let member = try cursor.nextName() {
            if member == "r" {
                guard cursor.peek() == .number, case .integer(let value) = try cursor.readNumber() else {
                    throw try wrong("r", "an integer")
                }
                number = Int(value)
            } else if member == "a" {
                guard cursor.peek() == .string else { throw try wrong("a", "a text") }
                name = try cursor.readText { ActionName(utf8: $0) }
            } else if member == "b" {
                if let name {
                    action = try body(of: name)
                } else {
                    bodyRange = try cursor.skipValue()
                }
            } else {
                _ = try cursor.skipValue()
            }
        }
        guard let number else { throw MalformedMessage.member("r", expected: "an integer") }
        guard let name else { throw MalformedMessage.member("a", expected: "a text") }
        if action == nil {
            // The body came before the action, or there is none.
            let range = bodyRange ?? 0..<0
            var inner = MessageParser(UnsafeRawBufferPointer(rebasing: text[range]), limits)
            action = try inner.body(of: name)
        }
        return Request(number: number, action: action ?? .unknown(""))
    }

    private mutating func body(of name: ActionName) throws -> Action {
        var body = RequestBody(action: name, limits: limits)
        try body.read(&cursor, text)
        return body.decoded()
    }

    /// What to throw for a member of the wrong kind: the text's own error if what stands there is no JSON at all.
    private mutating func wrong(_ member: String, _ expected: String) throws -> MalformedMessage {
        _ = try cursor.skipValue()
        return .member(member, expected: expected)
    }
}
