import DataTree
import HubEngine
import WireProtocol

/// What routes for administrators have in common.
struct Management: Sendable {
    let hub: Hub
    /// The version of the program.
    let version: String
    let isDevelopment: Bool

    /// Whether an administrator asks. Anybody else gets the refusal.
    func isAdministrator(_ request: HTTPRequest) -> Result<Void, CallRefusal> {
        do throws(CallRefusal) {
            let identity = try hub.authenticator.identity(
                of: request.access, now: hub.now, isAdministrative: request.isAdministrative)
            return identity.isAdministrator ? .success(()) : .failure(.denied)
        } catch {
            return .failure(error)
        }
    }
}

/// An error of `/.hub/v1`, as `{"error":{"code","text","remedy"}}`.
struct ManagementError: Error {
    var status: Int
    var code: String
    var text: String
    var remedy: String

    init(_ status: Int, _ code: String, _ text: String, remedy: String = "") {
        self.status = status
        self.code = code
        self.text = text
        self.remedy = remedy
    }

    /// A sentence whose remedy is in it already.
    init(_ refusal: NamespaceRefusal) {
        let code =
            switch refusal {
            case .invalidName: "invalid_name"
            case .unknown: "not_found"
            case .tooMany: "limit_exceeded"
            case .leaving, .stopping: "unavailable"
            }
        self.init(refusal.status, code, refusal.description)
    }

    static let unauthorized = ManagementError(
        401, "unauthorized", "This is for administrators.",
        remedy: "Send Authorization: Bearer and the content of the hub's admin.secret file.")
    static let noSuchCall = ManagementError(
        404, "not_found", "There is no such call under /.hub/v1.", remedy: "Compare with protocol/management.md.")
    static func wrongMethod(_ methods: String) -> ManagementError {
        ManagementError(405, "method", "This call is not made with that method.", remedy: "Use \(methods).")
    }

    var response: HTTPResponse {
        var writer = JSONWriter()
        writer.raw("{\"error\":{\"code\":")
        writer.string(code)
        writer.raw(",\"text\":")
        writer.string(text)
        writer.raw(",\"remedy\":")
        writer.string(remedy)
        writer.raw("}}\n")
        return HTTPResponse(status: status, contentType: HTTPResponse.json, body: .bytes(writer.bytes))
    }
}

extension HTTPResponse {
    /// JSON that a body of code writes.
    static func json(_ status: Int = 200, _ write: (inout JSONWriter) -> Void) -> HTTPResponse {
        var writer = JSONWriter()
        write(&writer)
        writer.raw("\n")
        return HTTPResponse(status: status, contentType: HTTPResponse.json, body: .bytes(writer.bytes))
    }
}

extension JSONWriter {
    mutating func string(orNull text: String?) {
        if let text { string(text) } else { null() }
    }

    mutating func integer(orNull number: Int?) {
        if let number { integer(Int64(number)) } else { null() }
    }

    /// The elements with commas between them, in brackets.
    mutating func list<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
        raw("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { raw(",") }
            write(&self, element)
        }
        raw("]")
    }
}

extension HTTPRequest {
    /// A small body that is a JSON object; nil for anything else.
    var object: Node? {
        guard case .bytes(let bytes) = body, bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return nil }
        return bytes.withUnsafeBytes { text in
            var cursor = JSONCursor(text, limits: JSONLimits(depth: 8, form: .received))
            guard let node = try? cursor.readNode(), (try? cursor.expectEnd()) != nil else { return nil }
            return node
        }
    }
}

extension Node {
    func string(_ name: String) -> String? {
        guard case .string(let text)? = self[Key(name)].leaf else { return nil }
        return text.string
    }

    func integer(_ name: String) -> Int64? {
        guard case .integer(let number)? = self[Key(name)].leaf else { return nil }
        return number
    }

    /// The texts of a list; nil when the member is missing.
    func strings(_ name: String) -> [String]? {
        let list = self[Key(name)]
        guard !list.isEmpty, !list.isLeaf else { return nil }
        var texts: [String] = []
        list.forEachChild { _, child in
            if case .string(let text)? = child.leaf { texts.append(text.string) }
            return true
        }
        return texts
    }
}
