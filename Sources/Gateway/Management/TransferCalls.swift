import DataTree
import HubEngine
import SecurityRules
import Storage
import WireProtocol

/// Taking data out and bringing it in, and backups.
extension Management {
    func export(_ namespace: String, _ request: HTTPRequest, _ respond: HTTPResponder) throws(ManagementError) {
        try require(request, "GET")
        let path = try path(of: request)
        do throws(NamespaceRefusal) {
            try hub.export(namespace, path: path) { export in
                guard let export else {
                    return respond(
                        ManagementError(503, "unavailable", "The namespace cannot be reached now. Try again.").response)
                }
                respond(
                    HTTPResponse(
                        status: 200, contentType: Management.exportType,
                        body: .stream(DataStream(head: Management.head(export), export.node))))
            }
        } catch {
            throw ManagementError(error)
        }
    }

    private static func head(_ export: NamespaceExport) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw("{\"hearth\":1,\"namespace\":")
        writer.string(export.namespace)
        writer.raw(",\"path\":")
        writer.string("/\(export.path)")
        writer.raw(",\"time\":")
        writer.integer(export.time)
        writer.raw(",\"leaves\":")
        writer.integer(Int64(export.node.leafCount))
        writer.raw(",\"rules\":")
        writer.string(orNull: export.rules)
        writer.raw("}\n")
        return writer.bytes
    }

    func importData(_ namespace: String, _ request: HTTPRequest, _ respond: HTTPResponder) throws(ManagementError) {
        try require(request, "POST")
        let path = try path(of: request)
        guard let mode = DataImport.Mode(rawValue: request.argument("mode") ?? "empty") else {
            throw ManagementError(400, "invalid", "There is no such mode.", remedy: "Send mode=empty or mode=replace.")
        }
        let (node, rules, bytes) = try content(of: request, at: path)
        // Before there is somebody to answer for a namespace that goes away.
        if case .failure(let refusal) = hub.route(namespace: namespace) { throw ManagementError(refusal) }
        let last = OneReply<Result<ImportReport, ImportFailure>>(otherwise: .failure(.gone)) { result in
            switch result {
            case .success(let report): respond(Management.report(report, bytes: bytes))
            case .failure(let failure): respond(ManagementError(failure).response)
            }
        }
        do throws(NamespaceRefusal) {
            try hub.importData(
                DataImport(
                    path: path, node: node, rules: rules, mode: mode, author: author(of: request), reply: last),
                into: namespace)
        } catch {
            throw ManagementError(error)
        }
    }

    private func content(
        of request: HTTPRequest, at path: Path
    ) throws(ManagementError) -> (Node, ConfiguredRules?, bytes: Int) {
        let (node, depth, head): (Node, Int, [UInt8]?)
        switch request.body {
        case .data(let data, let levels): (node, depth, head) = (data, levels, nil)
        case .export(let line, let data, let levels): (node, depth, head) = (data, levels, line)
        case .malformed(let error, let position):
            let place = position.map { "\($0): " } ?? ""
            throw ManagementError(400, "invalid_data", "\(place)\(error.reason).")
        case .tooLarge(let limit):
            throw ManagementError(
                413, "too_large", "An import has at most \(limit >> 20) MiB.", remedy: "Import it in parts, by path.")
        case .undecodable(let reason): throw ManagementError(400, "invalid_data", reason)
        case .none, .bytes, .update, .tooManyNodes:
            throw ManagementError(400, "invalid_data", "There is no data in the body.", remedy: "Send JSON.")
        }
        do throws(WriteError) {
            try WriteValidation().validate(depth: depth, at: path)
        } catch {
            throw ManagementError(400, "invalid_data", "\(error)")
        }
        guard let head else { return (node, nil, request.bodyBytes) }
        return (node, try rules(inHead: head, request), request.bodyBytes)
    }

    /// The rules that the first line of an export brings.
    private func rules(inHead line: [UInt8], _ request: HTTPRequest) throws(ManagementError) -> ConfiguredRules? {
        let head = line.withUnsafeBytes { text -> Node? in
            var cursor = JSONCursor(text, limits: JSONLimits(depth: 4, form: .received))
            guard let node = try? cursor.readNode(), (try? cursor.expectEnd()) != nil else { return nil }
            return node
        }
        guard let head, head.integer("hearth") == 1 else {
            throw ManagementError(
                400, "invalid_data", "The first line is not that of an export of this version.",
                remedy: "Send an export as it came, or the data alone as application/json.")
        }
        guard let text = head.string("rules") else { return nil }
        do throws(RulesRefusal) {
            return try ConfiguredRules(Array(text.utf8), author: author(of: request))
        } catch {
            throw ManagementError(400, "invalid_rules", error.description)
        }
    }

    private static func report(_ report: ImportReport, bytes: Int) -> HTTPResponse {
        .json { writer in
            writer.raw("{\"children\":")
            writer.integer(Int64(report.children))
            writer.raw(",\"leaves\":")
            writer.integer(Int64(report.leaves))
            writer.raw(",\"bytes\":")
            writer.integer(Int64(bytes))
            writer.raw(",\"rules\":")
            writer.integer(orNull: report.rules.map(Int.init))
            writer.raw("}")
        }
    }

    private func path(of request: HTTPRequest) throws(ManagementError) -> Path {
        let path = Path(request.argument("path") ?? "")
        do throws(WriteError) {
            try WriteValidation().validate(path: path)
        } catch {
            throw ManagementError(400, "invalid_path", "\(error)")
        }
        return path
    }

    func backup(_ request: HTTPRequest, _ respond: HTTPResponder) throws(ManagementError) {
        try require(request, "GET")
        let (hub, version) = (hub, version)
        hub.backup { backups in
            guard let backups else {
                return respond(
                    ManagementError(503, "unavailable", "A namespace cannot be reached now. Try again.").response)
            }
            let writer = BackupWriter(time: hub.now, version: version, backups)
            respond(
                HTTPResponse(
                    status: 200, contentType: "application/x-hearth-backup", body: .stream(BackupStream(writer))))
        }
    }
}

extension ManagementError {
    fileprivate init(_ failure: ImportFailure) {
        switch failure {
        case .notEmpty, .hasRules: self.init(409, "not_empty", failure.description)
        case .invalid: self.init(400, "invalid_data", failure.description)
        case .unavailable: self.init(503, "unavailable", failure.description)
        }
    }
}

/// A line, and a node in export form behind it.
final class DataStream: BodyStream {
    private struct State {
        var head: [UInt8]
        var serializer: NodeSerializer
    }

    private let state: Monitor<State>

    init(head: [UInt8], _ node: Node) { state = Monitor(State(head: head, serializer: NodeSerializer(node))) }

    func next(upTo byteCount: Int, into bytes: inout [UInt8]) -> Bool {
        state.with { state in
            if !state.head.isEmpty {
                bytes += state.head
                state.head = []
                return true
            }
            return state.serializer.next(upTo: byteCount, into: &bytes)
        }
    }
}

/// A backup on its way out.
final class BackupStream: BodyStream {
    private let writer: Monitor<BackupWriter>

    init(_ writer: BackupWriter) { self.writer = Monitor(writer) }

    func next(upTo byteCount: Int, into bytes: inout [UInt8]) -> Bool {
        writer.with { $0.next(upTo: byteCount, into: &bytes) }
    }
}
