import DataTree
import HubEngine
import WireProtocol

/// A request at `/.lease/PATH.json` (`protocol/leases.md`).
struct LeaseExchange {
    static let prefix = "/.lease/"
    private static let members: Set<String> = ["ttl", "online", "onDisconnect"]

    let credential: CallCredential
    private let operation: RestRequest.Operation
    private let path: Path
    private let secondsArgument: String?
    private let agent: String
    private let remoteAddress: String

    /// - Throws: what is wrong with the request, as far as its head tells.
    init(_ head: HTTPHead) throws(RestError) {
        let rest = RestHead(
            method: head.method.rawValue, path: String(head.path.dropFirst(Self.prefix.count - 1)),
            arguments: head.arguments, authorization: head.authorization, methodOverride: head.methodOverride)
        credential = try CallCredential(RestCredential(rest))
        let request = try RestRequest(rest)
        guard [.get, .put, .delete].contains(request.operation) else {
            throw RestError(status: 405, text: "A lease is held with PUT, looked at with GET and ended with DELETE")
        }
        operation = request.operation
        path = request.path
        secondsArgument = head.argument("ttl")
        agent = head.userAgent
        remoteAddress = head.remoteAddress
    }

    var bodyForm: BodyForm { operation == .put ? .data : .discarded }

    /// What to ask of the engine.
    func call(_ body: ReceivedBody, isAdministrative: Bool) throws(RestError) -> Call {
        let kind: LeaseRequest.Kind =
            switch operation {
            case .put: .hold(try terms(body))
            case .delete: .end
            default: .look
            }
        return Call(
            credential: credential, isAdministrative: isAdministrative,
            operation: .lease(
                LeaseRequest(path: path, kind: kind, agent: agent, remoteAddress: remoteAddress)))
    }

    private func terms(_ body: ReceivedBody) throws(RestError) -> LeaseRequest.Terms {
        let node: Node
        switch body {
        case .data(let data, let depth):
            node = data
            // One level of the body is not data.
            do throws(WriteError) {
                try WriteValidation().validate(depth: max(0, depth - 1), at: path)
            } catch {
                throw RestError(error)
            }
        case .none: node = .empty
        case .malformed(let error, let position): throw RestError(body: error, at: position)
        case .tooLarge: throw .payloadTooLarge
        case .tooManyNodes: throw .writeTooLarge
        case .undecodable(let reason): throw RestError(text: reason)
        case .bytes, .update, .export: throw .invalidJSON
        }
        guard !node.isLeaf else { throw RestError(text: Self.shape) }
        var unknown: String?
        node.forEachChild { key, _ in
            if !Self.members.contains(key.description) { unknown = key.description }
            return unknown == nil
        }
        if let unknown { throw RestError(text: "A lease has no member \"\(unknown)\". \(Self.shape)") }
        let online = node[Key("online")]
        return LeaseRequest.Terms(
            timeToLive: try milliseconds(node[Key("ttl")]), online: online.isEmpty ? nil : online,
            onDisconnect: node[Key("onDisconnect")])
    }

    private static let shape =
        "Send {\"ttl\":SECONDS,\"online\":VALUE,\"onDisconnect\":VALUE}; without onDisconnect the node is removed"

    private func milliseconds(_ node: Node) throws(RestError) -> Int64 {
        let seconds: Double?
        switch node.leaf {
        case .integer(let number)?: seconds = Double(number)
        case .double(let number)?: seconds = number
        case nil where node.isEmpty:
            let digits = secondsArgument.flatMap { text in
                text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? text : nil
            }
            seconds = digits.flatMap { Double($0) }
        default: seconds = nil
        }
        guard let seconds, seconds > 0, seconds < 1e9 else {
            throw RestError(text: "A lease needs its time to live in seconds. \(Self.shape)")
        }
        return Int64(seconds * 1000)
    }
}

extension HTTPResponse {
    /// What the holder of a lease is told.
    init(lease answer: CallAnswer) {
        switch answer {
        case .lease(let expires, let timeToLive, let isNew):
            self = .json { writer in
                writer.raw("{\"expires\":")
                writer.integer(expires)
                writer.raw(",\"ttl\":")
                writer.double(Double(timeToLive) / 1000)
                // Two thirds: late by half as much again, a renewal still comes in time.
                writer.raw(",\"renew\":")
                writer.double(Double(timeToLive * 2 / 3) / 1000)
                writer.raw(",\"new\":")
                writer.bool(isNew)
                writer.raw("}")
            }
        case .leaseEnded: self.init(status: 200, contentType: HTTPResponse.json, body: "null")
        case .noLease:
            self.init(RestError(status: 404, text: "There is no lease of yours here. Hold one with PUT"))
        case .refused(let refusal): self.init(RestError(refusal))
        case .value, .emptyWindow, .written, .conflict: self.init(.internalError)
        }
        isShared = true
    }
}
