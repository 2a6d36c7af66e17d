import DataTree
import HubEngine
import Storage
import WireProtocol

extension HTTPResponse {
    /// What a REST client is told (`protocol/rest.md`).
    init(_ answer: CallAnswer, to request: RestRequest) {
        switch answer {
        case .value(let node, let hash):
            self.init(value: node, emptyAs: "null", hash: hash, request)
        case .emptyWindow(let hash):
            self.init(value: .empty, emptyAs: "{}", hash: hash, request)
        case .written(let written, let hash):
            let body =
                switch written {
                case .node(let node): RestBody.body(of: node, form: request.output.form)
                case .changes(let changes): RestBody.body(of: changes, isPretty: request.output.isPretty)
                case .name(let key):
                    RestBody.body(
                        of: Node(children: [(Key("name"), Node(leaf: .string(Text(key.description))))]),
                        form: request.output.form)
                }
            self.init(request, status: 200, body: body, hash: hash)
        case .conflict(let node, let hash):
            self.init(request, status: 412, body: RestBody.body(of: node, form: request.output.form), hash: hash)
        case .lease, .leaseEnded, .noLease:
            // Nothing that REST asks is answered so.
            self.init(RestError(status: 500, text: "An internal error occurred"))
        case .refused(let refusal):
            self.init(RestError(refusal))
        }
    }

    private init(value node: Node, emptyAs text: String, hash: String?, _ request: RestRequest) {
        if let expected = request.conditions.ifNoneMatch, let hash, expected == HTTPResponse.tag(hash) {
            self.init(request, status: 304, body: .none, hash: hash)
            return
        }
        // Of a shallow read no array is made: its keys are what it is about.
        let form =
            request.shallow == nil
            ? request.output.form : RestForm(keepsPriorities: true, isPretty: request.output.isPretty)
        if node.isEmpty, text != "null" {
            let newline = request.output.isPretty ? "\n" : ""
            self.init(
                request, status: 200, body: RestBody.wrapped(Array((text + newline).utf8), request.output), hash: hash)
            return
        }
        self.init(
            request, status: 200, body: RestBody.body(of: node, form: form, around: request.output.wrapping), hash: hash
        )
    }

    private init(_ request: RestRequest, status: Int, body: Body, hash: String?) {
        let isSilent = request.output.isSilent && status == 200
        self.init(
            status: isSilent ? 204 : status, headers: [], contentType: request.output.contentType,
            body: isSilent ? .none : body)
        isShared = true
        if let disposition = request.output.contentDisposition, status == 200 {
            headers.append(Header("content-disposition", disposition))
        }
        if let hash, request.conditions.wantsETag {
            headers.append(Header("etag", HTTPResponse.tag(hash)))
            headers.append(Header("access-control-expose-headers", "ETag"))
        }
    }

    private static func tag(_ hash: String) -> String { hash.isEmpty ? RestETag.absent : hash }
}

extension RestError {
    init(_ refusal: CallRefusal) {
        switch refusal {
        case .unauthenticated(let text): self.init(status: 401, text: text)
        case .denied: self = .permissionDenied
        case .invalid(let text): self.init(text: text)
        case .tooMuch: self = .writeTooLarge
        case .unavailable(let text): self.init(status: 503, text: text)
        }
    }
}

/// Bodies of REST answers: small ones whole, large ones as streams.
enum RestBody {
    /// Bytes that are written at once.
    private static let wholeBytes = 65_536

    static func body(
        of node: Node, form: RestForm, around wrapping: (head: [UInt8], tail: [UInt8]) = ([], [])
    ) -> HTTPResponse.Body {
        var bytes = wrapping.head
        var serializer = RestSerializer(node, form: form)
        if serializer.next(upTo: wholeBytes, into: &bytes) {
            return .stream(RestBodyStream(begun: bytes, serializer, tail: wrapping.tail))
        }
        return .bytes(bytes + wrapping.tail)
    }

    static func wrapped(_ text: [UInt8], _ output: RestOutput) -> HTTPResponse.Body {
        let (head, tail) = output.wrapping
        return .bytes(head + text + tail)
    }

    /// The changes of an update under their names, removals as `null`.
    static func body(of changes: [(Path, Node)], isPretty: Bool) -> HTTPResponse.Body {
        var writer = JSONWriter()
        writer.raw("{")
        for (index, (path, node)) in changes.enumerated() {
            if index > 0 { writer.raw(",") }
            if isPretty { writer.raw("\n  ") }
            writer.path(path)
            if isPretty { writer.raw(" : ") } else { writer.raw(":") }
            writer.rest(node)
        }
        if isPretty { writer.raw("\n}\n") } else { writer.raw("}") }
        return .bytes(writer.bytes)
    }
}

/// A node that is written as its reader's socket drains.
final class RestBodyStream: BodyStream {
    private struct State {
        var begun: [UInt8]
        var serializer: RestSerializer
        var tail: [UInt8]
    }

    /// One loop's thread uses it; the lock only makes handing it over safe.
    private let state: Monitor<State?>

    init(begun: [UInt8], _ serializer: RestSerializer, tail: [UInt8]) {
        state = Monitor(State(begun: begun, serializer: serializer, tail: tail))
    }

    func next(upTo byteCount: Int, into bytes: inout [UInt8]) -> Bool {
        state.with { state in
            guard var current = state.take() else { return false }
            if !current.begun.isEmpty {
                bytes += current.begun
                current.begun = []
                state = current
                return true
            }
            if current.serializer.next(upTo: byteCount, into: &bytes) {
                state = current
                return true
            }
            bytes += current.tail
            return false
        }
    }
}
