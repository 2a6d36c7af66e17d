import DataTree
import HubEngine
import WireProtocol

/// A REST request on its way: what its head asks for, and what becomes of its body.
struct RestExchange {
    let request: RestRequest
    let credential: CallCredential

    /// - Throws: what is wrong with the request, as far as its head tells.
    init(_ head: HTTPHead) throws(RestError) {
        let rest = RestHead(
            method: head.method.rawValue, path: head.path, arguments: head.arguments, accept: head.accept,
            authorization: head.authorization, ifMatch: head.ifMatch, ifNoneMatch: head.ifNoneMatch,
            firebaseETag: head.firebaseETag, methodOverride: head.methodOverride)
        credential = try CallCredential(RestCredential(rest))
        request = try RestRequest(rest)
    }

    var bodyForm: BodyForm {
        switch request.operation {
        case .get, .delete: .discarded
        case .put, .post: .data
        case .patch: .update
        }
    }

    /// What to ask of the engine.
    /// - Parameter bytes: the length of the body.
    func call(_ body: ReceivedBody, bytes: Int, isAdministrative: Bool) throws(RestError) -> Call {
        Call(
            credential: credential, isAdministrative: isAdministrative,
            operation: request.operation == .get ? .read(read) : .write(try write(body, bytes: bytes)))
    }

    private var read: CallRead {
        CallRead(
            path: request.path, query: request.query ?? .default, shallow: request.shallow,
            wantsHash: request.conditions.wantsETag)
    }

    private func write(_ body: ReceivedBody, bytes: Int) throws(RestError) -> CallWrite {
        CallWrite(
            path: request.path, change: try change(body),
            expectedHash: request.conditions.ifMatch.map { $0 == RestETag.absent ? "" : $0 },
            wantsHash: request.conditions.wantsETag, sizeLimit: request.writeSizeLimit, bodyBytes: bytes)
    }

    private func change(_ body: ReceivedBody) throws(RestError) -> CallWrite.Change {
        if request.operation == .delete { return .put(.empty) }
        switch body {
        case .data(let node, let depth):
            try check(node, depth: depth)
            return request.operation == .post ? .push(node) : .put(node)
        case .update(.null, _):
            return .put(.empty)
        case .update(.changes(let changes), let depth):
            return .update(try RestUpdate.changes(changes, at: request.path, depth: depth))
        case .malformed(let error, let position):
            throw RestError(body: error, at: position)
        case .tooLarge: throw .payloadTooLarge
        case .tooManyNodes: throw .writeTooLarge
        case .undecodable(let reason): throw RestError(text: reason)
        case .none, .bytes, .export:
            throw RestError(text: "Error: No data supplied.")
        }
    }

    private func check(_ node: Node, depth: Int) throws(RestError) {
        do throws(WriteError) {
            if request.path.last == .priority {
                guard WritePath.priority(from: node) != nil else { throw .notAPriority(request.path) }
                return
            }
            let place = request.operation == .post ? depth + 1 : depth
            try WriteValidation().validate(depth: place, at: request.path)
        } catch {
            throw RestError(error)
        }
    }
}

extension CallCredential {
    /// - Throws: an override that is no JSON.
    init(_ credential: RestCredential) throws(RestError) {
        self.init(token: credential.auth, bearer: credential.accessToken ?? credential.bearer)
        guard let text = credential.authVariableOverride else { return }
        let bytes = Array(text.utf8)
        let isObject = bytes.first { $0 > 0x20 } == UInt8(ascii: "{")
        do {
            var decoder = NodeDecoder(limits: JSONLimits(depth: 32, form: .received))
            // The claims in it may have names that keys of the tree cannot have.
            try bytes.withUnsafeBytes { try decoder.feed($0) }
            let node = try decoder.finish()
            guard isObject || node.isEmpty else {
                throw JSONError(offset: 0, reason: .unexpectedKind(expected: .object))
            }
            override = isObject ? .variable(node) : .nobody
        } catch {
            throw RestError(text: "auth_variable_override must be a JSON object or null")
        }
    }
}
