import DataTree
import HubEngine

/// The versions of a namespace's rules.
extension Management {
    /// - Parameter rest: what follows `rules` in the path.
    func rules(
        _ namespace: String, _ rest: [String], _ request: HTTPRequest, _ respond: HTTPResponder
    ) throws(ManagementError) {
        do throws(NamespaceRefusal) {
            switch (rest.first, rest.count, request.method) {
            case ("versions", 1, "GET"):
                try hub.readRules(of: namespace) { respond(Management.list($0)) }
            case ("versions", 2, "GET"):
                let number = UInt32(rest[1])
                try hub.readRules(of: namespace) { history in
                    respond(number.flatMap { history[$0] }.map(Management.version) ?? Management.noVersion(rest[1]))
                }
            case ("rollback", 1, "POST"):
                guard let number = request.object?.integer("version").flatMap({ UInt32(exactly: $0) }) else {
                    return respond(
                        ManagementError(
                            400, "invalid", "The body names no version.", remedy: "Send {\"version\":NUMBER}."
                        )
                        .response)
                }
                try hub.rollBackRules(of: namespace, to: number, author: author(of: request)) { result in
                    switch result {
                    case .success(let version):
                        respond(
                            .json { writer in
                                writer.raw("{\"number\":")
                                writer.integer(Int64(version.number))
                                writer.raw("}")
                            })
                    case .failure(.unknownVersion): respond(Management.noVersion("\(number)"))
                    case .failure(let failure):
                        respond(ManagementError(503, "unavailable", failure.description).response)
                    }
                }
            default: respond(ManagementError.noSuchCall.response)
            }
        } catch {
            throw ManagementError(error)
        }
    }

    private static func noVersion(_ number: String) -> HTTPResponse {
        ManagementError(
            404, "not_found", "Version \(number.prefix(20)) of these rules is not kept.",
            remedy: "List the versions that are."
        ).response
    }

    private static func list(_ history: RulesHistory) -> HTTPResponse {
        .json { writer in
            writer.raw("{\"versions\":")
            writer.list(history.versions) { writer, version in
                writer.raw("{")
                describe(version, &writer)
                writer.raw(",\"bytes\":")
                writer.integer(Int64(version.text.utf8.count))
                writer.raw(",\"current\":")
                writer.bool(version.number == history.current?.number)
                writer.raw("}")
            }
            writer.raw("}")
        }
    }

    private static func version(_ version: RulesVersion) -> HTTPResponse {
        .json { writer in
            writer.raw("{")
            describe(version, &writer)
            writer.raw(",\"text\":")
            writer.string(version.text)
            writer.raw("}")
        }
    }

    /// What both say of a version.
    private static func describe(_ version: RulesVersion, _ writer: inout JSONWriter) {
        writer.raw("\"number\":")
        writer.integer(Int64(version.number))
        writer.raw(",\"time\":")
        writer.integer(version.time)
        writer.raw(",\"author\":")
        writer.string(version.author)
    }
}
