import DataTree
import HubEngine

/// Listing, making and deleting namespaces.
extension Management {
    func namespaces(_ request: HTTPRequest, _ respond: HTTPResponder) throws(ManagementError) {
        switch request.method {
        case "GET":
            hub.describeNamespaces { reports in
                respond(
                    .json { writer in
                        writer.raw("{\"namespaces\":")
                        writer.list(reports) { writer, report in
                            writer.raw("{\"name\":")
                            writer.string(report.name)
                            writer.raw(",\"loaded\":")
                            writer.bool(report.isLoaded)
                            writer.raw(",\"leaves\":")
                            writer.integer(orNull: report.leaves)
                            writer.raw(",\"connections\":")
                            writer.integer(orNull: report.sessions)
                            writer.raw("}")
                        }
                        writer.raw("}")
                    })
            }
        case "POST":
            guard let name = request.object?.string("name") else {
                throw ManagementError(
                    400, "invalid_name", "The body names no namespace.", remedy: "Send {\"name\":\"NAME\"}.")
            }
            hub.createNamespace(name) { respond(Management.named(name, $0)) }
        default: throw .wrongMethod("GET or POST")
        }
    }

    func namespace(_ name: String, _ request: HTTPRequest, _ respond: HTTPResponder) throws(ManagementError) {
        try require(request, "DELETE")
        guard let confirmed = request.object?.string("confirm"), confirmed.utf8.elementsEqual(name.utf8) else {
            throw ManagementError(
                400, "not_confirmed", "Deleting a namespace deletes its data for good.",
                remedy: "Send {\"confirm\":\"\(name)\"} to confirm it.")
        }
        hub.deleteNamespace(name) { respond(Management.named(name, $0)) }
    }

    private static func named(_ name: String, _ failure: NamespaceFailure?) -> HTTPResponse {
        switch failure {
        case nil:
            .json { writer in
                writer.raw("{\"name\":")
                writer.string(name)
                writer.raw("}")
            }
        case .refused(let refusal): ManagementError(refusal).response
        case .exists: ManagementError(409, "exists", failure?.description ?? "").response
        case .unavailable: ManagementError(503, "unavailable", failure?.description ?? "").response
        }
    }
}
