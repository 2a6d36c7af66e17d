import HubEngine

/// `/.hub/v1/…`: what the command line and the console stand on (`protocol/management.md`).
extension Management {
    private static let prefix = "/.hub/v1/"

    var hubRoute: HTTPRoute {
        HTTPRoute(
            matches: { $0.hasPrefix(Management.prefix) },
            body: { method, path, contentType in
                guard ["PUT", "POST", "DELETE", "PATCH"].contains(method) else { return .discarded }
                guard path.hasSuffix("/import") else { return .bytes(limit: 1 << 20) }
                return contentType?.hasPrefix(Management.exportType) == true ? .export : .data
            },
            answer: { request, respond in
                do throws(ManagementError) {
                    try answer(request, respond)
                } catch {
                    respond(error.response)
                }
            })
    }

    static let exportType = "application/x-hearth-export"

    private func answer(_ request: HTTPRequest, _ respond: HTTPResponder) throws(ManagementError) {
        let parts = request.path.dropFirst(Management.prefix.count).split(separator: "/").map(String.init)
        if parts == ["hello"] { return respond(hello) }
        if case .failure(let refusal) = isAdministrator(request) {
            guard case .denied = refusal else { throw .unauthorized }
            throw .unauthorized
        }
        switch (parts.first, parts.count) {
        case ("namespaces", 1): try namespaces(request, respond)
        case ("namespaces", 2): try namespace(parts[1], request, respond)
        case ("connections", 1): try connections(request, respond)
        case ("connections", 2) where parts[1] == "kick": try kick(request, respond)
        case ("backup", 1): try backup(request, respond)
        case ("ns", 3) where parts[2] == "export": try export(parts[1], request, respond)
        case ("ns", 3) where parts[2] == "import": try importData(parts[1], request, respond)
        case ("ns", 4...5) where parts[2] == "rules": try rules(parts[1], Array(parts[3...]), request, respond)
        default: throw .noSuchCall
        }
    }

    private var hello: HTTPResponse {
        HTTPResponse.json { writer in
            writer.raw("{\"name\":\"hearth\",\"version\":")
            writer.string(version)
            writer.raw(",\"mode\":")
            writer.string(isDevelopment ? "dev" : "production")
            writer.raw(",\"now\":")
            writer.integer(hub.now)
            writer.raw(",\"features\":")
            writer.list(["rest", "sse", "longpoll", "lease", "rules", "export", "backup"]) { $0.string($1) }
            writer.raw("}")
        }
    }

    func require(_ request: HTTPRequest, _ method: String) throws(ManagementError) {
        guard request.method == method else { throw .wrongMethod(method) }
    }
}
