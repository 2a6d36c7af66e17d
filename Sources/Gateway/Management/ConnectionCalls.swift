import DataTree
import HubEngine

/// Seeing and ending sessions.
extension Management {
    private static let usualLimit = 1000

    func connections(_ request: HTTPRequest, _ respond: HTTPResponder) throws(ManagementError) {
        try require(request, "GET")
        let limit = request.argument("limit").flatMap { Int($0) } ?? Management.usualLimit
        guard limit > 0 else {
            throw ManagementError(
                400, "invalid", "limit must be a number above 0.", remedy: "Leave it out, or send one.")
        }
        let filter = SessionFilter(uid: request.argument("uid"), namespace: request.argument("ns"))
        hub.sessions(filter) { reports in
            respond(
                .json { writer in
                    writer.raw("{\"total\":")
                    writer.integer(Int64(reports.count))
                    writer.raw(",\"connections\":")
                    writer.list(Array(reports.prefix(limit))) { $0.report($1) }
                    writer.raw("}")
                })
        }
    }

    func kick(_ request: HTTPRequest, _ respond: HTTPResponder) throws(ManagementError) {
        try require(request, "POST")
        let wanted = request.object
        let filter = SessionFilter(
            ids: wanted?.strings("ids").map(Set.init), uid: wanted?.string("uid"), namespace: wanted?.string("ns"))
        guard !filter.isEmpty else {
            throw ManagementError(
                400, "invalid", "The body says nobody.", remedy: "Send at least one of \"ids\", \"uid\" and \"ns\".")
        }
        let count: @Sendable (Int) -> Void = { count in
            respond(
                .json { writer in
                    writer.raw("{\"kicked\":")
                    writer.integer(Int64(count))
                    writer.raw("}")
                })
        }
        if wanted?["dryRun"].leaf == .bool(true) {
            hub.sessions(filter) { count($0.count) }
        } else {
            hub.kick(filter, count)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func report(_ report: SessionReport) {
        raw("{\"id\":")
        string(report.id)
        raw(",\"ns\":")
        string(report.namespace)
        raw(",\"transport\":")
        string(report.transport.rawValue)
        raw(",\"uid\":")
        string(orNull: report.uid)
        raw(",\"admin\":")
        bool(report.isAdministrator)
        raw(",\"since\":")
        integer(report.since)
        raw(",\"address\":")
        string(report.remoteAddress)
        raw(",\"agent\":")
        string(report.agent)
        raw(",\"listens\":")
        integer(Int64(report.listens))
        raw(",\"onDisconnect\":")
        integer(Int64(report.onDisconnectOperations))
        raw("}")
    }
}
