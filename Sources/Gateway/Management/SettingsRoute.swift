import DataTree
import HubEngine
import WireProtocol

/// `/.settings/NAME.json` beside the rules, and `/.inspect/databases.json`: what the Firebase command line and emulator
/// clients call (`protocol/rest.md`, "Settings").
extension Management {
    private static let prefix = "/.settings/"
    private static let inspection = "/.inspect/"
    /// Settings that are known: what is said to one that is not would be lost without a word.
    private static let names: Set<String> = ["defaultWriteSizeLimit", "strictTriggerValidation", "functionTriggers"]

    var settingsRoute: HTTPRoute {
        HTTPRoute(
            matches: { $0.hasPrefix(Management.prefix) || $0.hasPrefix(Management.inspection) },
            body: { method, _, _ in ["PUT", "POST"].contains(method) ? .bytes(limit: 65_536) : .discarded },
            answer: { request, respond in
                do throws(RestError) {
                    try requireAdministrator(request)
                    if request.path.hasPrefix(Management.inspection) { return try inspect(request, respond) }
                    try setting(request, respond)
                } catch {
                    respond(HTTPResponse(error))
                }
            })
    }

    private func inspect(_ request: HTTPRequest, _ respond: HTTPResponder) throws(RestError) {
        guard request.path.utf8.elementsEqual("/.inspect/databases.json".utf8) else {
            throw RestError(status: 404, text: "only /.inspect/databases.json is served here")
        }
        hub.describeNamespaces { reports in
            var response = HTTPResponse.json { writer in
                writer.list(reports) { writer, report in
                    writer.raw("{\"name\":")
                    writer.string(report.name)
                    writer.raw("}")
                }
            }
            response.isShared = true
            respond(response)
        }
    }

    private func setting(_ request: HTTPRequest, _ respond: HTTPResponder) throws(RestError) {
        let namespace = try request.namespace.mapError(RestError.init).get()
        let file = request.path.dropFirst(Management.prefix.count)
        let name = file.hasSuffix(".json") ? String(file.dropLast(5)) : ""
        guard Management.names.contains(name) else {
            let known = Management.names.sorted().joined(separator: ", ")
            throw RestError(status: 404, text: "no such setting; there are rules, \(known)")
        }
        do throws(NamespaceRefusal) {
            switch request.method {
            case "GET", "HEAD":
                try hub.readSetting(of: namespace, name: name) { text in
                    var response = HTTPResponse(
                        status: 200, contentType: HTTPResponse.json,
                        body: Management.shown(text ?? Management.standard(name), name))
                    response.isShared = true
                    respond(response)
                }
            case "PUT", "POST":
                guard case .bytes(let bytes) = request.body else {
                    return respond(HTTPResponse(RestError(text: "send the setting's value as JSON, at most 64 KB")))
                }
                let text = String(decoding: bytes, as: UTF8.self)
                try hub.changeSetting(of: namespace, name: name, text: text, author: author(of: request)) { failure in
                    respond(failure.map { HTTPResponse(RestError($0)) } ?? Management.echo(bytes))
                }
            default:
                respond(HTTPResponse(RestError(status: 405, text: "Settings are read with GET and written with PUT")))
            }
        } catch {
            throw RestError(error)
        }
    }

    private static func echo(_ bytes: [UInt8]) -> HTTPResponse {
        var response = HTTPResponse(status: 200, contentType: HTTPResponse.json, body: .bytes(bytes))
        response.isShared = true
        return response
    }

    /// The Firebase command line reads this one out of an object.
    private static func shown(_ text: String, _ name: String) -> String {
        name == "strictTriggerValidation" ? "{\"value\":\(text)}" : text
    }

    private static func standard(_ name: String) -> String {
        switch name {
        case "defaultWriteSizeLimit": "\"large\""
        case "strictTriggerValidation": "false"
        default: "null"
        }
    }
}

extension RestError {
    fileprivate init(_ failure: SettingFailure) {
        switch failure {
        case .invalid, .tooMany: self.init(text: failure.description)
        case .unavailable: self.init(status: 503, text: failure.description)
        }
    }
}
