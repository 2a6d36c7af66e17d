import HubEngine
import SecurityRules
import WireProtocol

/// `/.settings/rules.json`: the rules of a namespace (`protocol/rest.md`, "Settings").
extension Management {
    static let rulesPath = "/.settings/rules.json"
    /// Bytes of rules: more than the checker takes, so that it is the one to say so.
    private static let bodyLimit = 1 << 20

    var rulesRoute: HTTPRoute {
        HTTPRoute(
            matches: { $0.utf8.elementsEqual(Management.rulesPath.utf8) },
            body: { method, _, _ in method == "PUT" ? .bytes(limit: Management.bodyLimit) : .discarded },
            answer: { request, respond in
                do throws(RestError) {
                    try requireAdministrator(request)
                    let namespace = try request.namespace.mapError(RestError.init).get()
                    switch request.method {
                    case "GET", "HEAD": try readRules(of: namespace, request, respond)
                    case "PUT": try writeRules(of: namespace, request, respond)
                    default: throw RestError(status: 405, text: "Rules are read with GET and written with PUT")
                    }
                } catch {
                    respond(HTTPResponse(error))
                }
            })
    }

    func requireAdministrator(_ request: HTTPRequest) throws(RestError) {
        if case .failure(let refusal) = isAdministrator(request) { throw RestError(refusal) }
    }

    private func readRules(
        of namespace: String, _ request: HTTPRequest, _ respond: HTTPResponder
    ) throws(RestError) {
        let isStrict = request.argument("format") == "strict"
        let standard = isDevelopment ? Management.openRules : Management.lockedRules
        do throws(NamespaceRefusal) {
            try hub.readRules(of: namespace) { history in
                let text = history.current?.text ?? standard
                var response = HTTPResponse(
                    status: 200, contentType: HTTPResponse.json,
                    body: isStrict ? StrictRulesText.make(from: text) : text)
                response.isShared = true
                respond(response)
            }
        } catch {
            throw RestError(error)
        }
    }

    private func writeRules(
        of namespace: String, _ request: HTTPRequest, _ respond: HTTPResponder
    ) throws(RestError) {
        let bytes: [UInt8]
        switch request.body {
        case .bytes(let body): bytes = body
        case .tooLarge: throw .payloadTooLarge
        case .undecodable(let reason): throw RestError(text: reason)
        default: bytes = []
        }
        let change: RulesChange
        do throws(RulesRefusal) {
            change = try RulesChange(bytes, author: author(of: request)) { result in
                switch result {
                case .success: respond(Management.accepted)
                case .failure(let failure): respond(HTTPResponse(RestError(status: 503, text: failure.description)))
                }
            }
        } catch {
            throw RestError(text: error.description)
        }
        if request.argument("dryRun") == "true" { return respond(Management.accepted) }
        do throws(NamespaceRefusal) {
            try hub.changeRules(of: namespace, change)
        } catch {
            throw RestError(error)
        }
    }

    /// Who is noted as the author of a change: administrators have no names yet, so their address helps.
    func author(of request: HTTPRequest) -> String { "administrator from \(request.remoteAddress)" }

    static var accepted: HTTPResponse {
        var response = HTTPResponse(status: 200, contentType: HTTPResponse.json, body: "{\"status\":\"ok\"}")
        response.isShared = true
        return response
    }

    /// What a namespace goes by that nobody has given rules, in the form that the emulator shows it in.
    private static let openRules = standardRules("true")
    private static let lockedRules = standardRules("false")

    private static func standardRules(_ value: String) -> String {
        "{\n    \"rules\": {\n        \".read\": \(value),\n        \".write\": \(value)\n    }\n}\n"
    }
}

extension RestError {
    init(_ refusal: NamespaceRefusal) {
        if case .invalidName = refusal {
            self = .invalidNamespace
        } else {
            self.init(status: refusal.status, text: refusal.description)
        }
    }
}
