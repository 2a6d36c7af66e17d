import DataTree

/// One logical message from a hub, taken apart as far as every message has the same shape (`protocol/`, messages).
package enum DeviceMessage: Equatable, Sendable {
    case hello(DeviceHello)
    case pong
    /// Another control message: its kind and its body as JSON.
    case control(String, String)
    case response(DeviceResponse)
    case push(DevicePush)

    /// - Throws: `DeviceError.malformed` for anything that a hub must not send.
    package init(_ text: String) throws {
        let envelope = try JSONFields(text)
        let body = try JSONFields(envelope.json("d"))
        switch try envelope.string("t") {
        case "c":
            switch try body.string("t") {
            case "h": self = .hello(try DeviceHello(JSONFields(body.json("d"))))
            case "o":
                _ = try body.json("d")
                self = .pong
            case let kind: self = .control(kind, try body.json("d"))
            }
        case "d":
            if let number = try body.integer("r") {
                let answer = try JSONFields(body.json("b"))
                self = .response(
                    DeviceResponse(number: number, status: try answer.string("s"), payload: try answer.json("d")))
            } else {
                let push = try JSONFields(body.json("b"))
                self = .push(
                    DevicePush(
                        action: try body.string("a"), path: try push.optionalString("p"), data: push.optionalJSON("d"),
                        tag: try push.integer("t"), body: try body.json("b")))
            }
        default: throw DeviceError.malformed(text)
        }
    }
}

/// What a hub says first.
package struct DeviceHello: Equatable, Sendable {
    package var timestamp: Int
    package var version: String
    package var host: String
    package var session: String
    /// The whole body as JSON.
    package var body: String

    fileprivate init(_ fields: JSONFields) throws {
        timestamp = try fields.integer("ts") ?? 0
        version = try fields.string("v")
        host = try fields.string("h")
        session = try fields.string("s")
        body = fields.text
    }
}

/// The answer to a request.
package struct DeviceResponse: Equatable, Sendable {
    package var number: Int
    /// `ok` or an error status.
    package var status: String
    /// The payload as JSON; the text of an error stands in quotes.
    package var payload: String

    /// Whether the payload means the same as `json`.
    package func carries(_ json: String) -> Bool { JSONFields.same(payload, json) }
}

/// A message that answers no request.
package struct DevicePush: Equatable, Sendable {
    /// `d`, `m`, `rm`, `c`, `ac`, …
    package var action: String
    package var path: String?
    /// The value as JSON; nil when there is no `d`, which is something else than `null`.
    package var data: String?
    package var tag: Int?
    /// The whole body as JSON.
    package var body: String

    /// Whether it is this action on this path with data that means the same as `json`.
    package func says(_ action: String, _ path: String, _ json: String, tag: Int? = nil) -> Bool {
        self.action == action && self.tag == tag && (self.path.map { Path($0) }) == Path(path)
            && (data.map { JSONFields.same($0, json) } ?? false)
    }
}

/// Why a device could not do what a test asked of it.
package enum DeviceError: Error, CustomStringConvertible {
    case malformed(String)
    /// The hub answered, but not as the test expected.
    case answered(DeviceResponse, to: String)
    /// What came was something else; or nothing came in time.
    case missing(String)

    package var description: String {
        switch self {
        case .malformed(let text): "the hub sent what no hub may send: \(text.prefix(400))"
        case .answered(let response, let request):
            "\(request) was answered \(response.status) \(response.payload.prefix(400))"
        case .missing(let what): what
        }
    }
}

/// The members of a JSON object, each as the JSON text that it is.
struct JSONFields {
    let text: String
    /// In the order of the text. No dictionary: it would take two keys for one that are only canonically equal.
    private(set) var members: [(name: String, json: String)] = []

    init(_ text: String) throws {
        self.text = text
        let bytes = Array(text.utf8)
        members = try bytes.withUnsafeBytes { buffer in
            var members: [(name: String, json: String)] = []
            var cursor = JSONCursor(buffer)
            try cursor.enterObject()
            while let key = try cursor.nextKey() {
                let range = try cursor.skipValue()
                members.append((key, String(decoding: buffer[range], as: UTF8.self)))
            }
            try cursor.expectEnd()
            return members
        }
    }

    func optionalJSON(_ name: String) -> String? {
        members.first { $0.name.utf8.elementsEqual(name.utf8) }?.json
    }

    func json(_ name: String) throws -> String {
        guard let value = optionalJSON(name) else { throw DeviceError.malformed(text) }
        return value
    }

    func integer(_ name: String) throws -> Int? {
        guard let value = optionalJSON(name) else { return nil }
        guard let number = Int(value) else { throw DeviceError.malformed(text) }
        return number
    }

    func optionalString(_ name: String) throws -> String? {
        guard let value = optionalJSON(name) else { return nil }
        let bytes = Array(value.utf8)
        return try bytes.withUnsafeBytes { buffer in
            var cursor = JSONCursor(buffer)
            return try cursor.readString()
        }
    }

    func string(_ name: String) throws -> String {
        guard let value = try optionalString(name) else { throw DeviceError.malformed(text) }
        return value
    }

    /// Whether two JSON texts mean the same database value; other JSON is compared as text.
    static func same(_ left: String, _ right: String) -> Bool {
        if left.utf8.elementsEqual(right.utf8) { return true }
        guard let left = try? Node(json: left), let right = try? Node(json: right) else { return false }
        return left == right
    }

    /// A text as a JSON string.
    static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
