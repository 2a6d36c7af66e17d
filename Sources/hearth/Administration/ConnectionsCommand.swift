import SecurityRules

/// `hearth connections …`: who is connected to a hub.
enum ConnectionsCommand {
    static var group: CommandGroup {
        CommandGroup(
            name: "hearth connections", brief: "list connections and end them",
            summary: "The connections of a running hub.", commands: [list, kick])
    }

    private static let json = CommandSyntax.Option(name: "json", help: "print the hub's answer as it is")
    private static let user = CommandSyntax.Option(name: "uid", argument: "UID", help: "only those of this user")

    static let list = SubCommand(
        brief: "list them",
        syntax: CommandSyntax(
            name: "hearth connections list", operands: [],
            options: [user, .init(name: "limit", argument: "N", help: "at most so many"), json] + HubTarget.options,
            summary: """
                Lists who is connected: to one namespace with --ns, to the whole hub without.
                LISTENS are places that it listens to, LEAVING what is registered for its end.
                """,
            epilogue: """
                For example:

                    hearth connections list --auth @hearth-data/admin.secret
                    hearth connections list --ns shop --uid ada --auth owner
                """)
    ) { arguments, environment throws(CommandProblem) in
        let session = try HubSession(arguments, environment)
        var parameters: [(name: String, value: String)] = []
        if let namespace = session.target.namespace { parameters.append(("ns", namespace)) }
        if let uid = arguments["uid"] { parameters.append(("uid", uid)) }
        if let limit = arguments["limit"] {
            guard let count = Int32(limit), count > 0 else {
                throw .usage("--limit cannot be '\(shown(limit))'; give a whole number above 0")
            }
            parameters.append(("limit", "\(count)"))
        }
        let answer = try session.answer(session.target.hub("GET", "/connections", parameters))
        guard !arguments.isOn("json"), let value = ReportValue(answer: answer) else {
            return CommandResult(answer: answer)
        }
        return CommandResult(output: text(value, environment))
    }

    static let kick = SubCommand(
        brief: "end some",
        syntax: CommandSyntax(
            name: "hearth connections kick", operands: ["[ID...]"],
            options: [
                .init(name: "uid", argument: "UID", help: "all of this user"),
                .init(name: "dry-run", help: "only count them"), json,
            ] + HubTarget.options,
            summary: """
                Ends the connections with these IDs, as the list shows them, or all of a user. What
                they registered for their end is done. Clients may come back at once.
                """,
            epilogue: """
                For example:

                    hearth connections kick 0.12.3 0.13.1 --auth @hearth-data/admin.secret
                    hearth connections kick --uid ada --ns shop --auth owner
                """)
    ) { arguments, environment throws(CommandProblem) in
        let session = try HubSession(arguments, environment)
        var members: [ReportValue.Member] = []
        if !arguments.operands.isEmpty { members.append(.init("ids", .list(arguments.operands.map(ReportValue.text)))) }
        if let uid = arguments["uid"] { members.append(.init("uid", .text(uid))) }
        guard !members.isEmpty else {
            throw .usage("nothing says which; give IDs as hearth connections list shows them, or --uid UID")
        }
        if let namespace = session.target.namespace { members.append(.init("ns", .text(namespace))) }
        let isTrial = arguments.isOn("dry-run")
        if isTrial { members.append(.init("dryRun", .bool(true))) }
        let body = HTTPBody(source: ByteSource(ReportValue.object(members).json))
        let answer = try session.answer(session.target.hub("POST", "/connections/kick", body: body))
        guard !arguments.isOn("json") else { return CommandResult(answer: answer) }
        let count = ReportValue(answer: answer)?["kicked"]?.integer ?? 0
        return CommandResult(
            output: "\(isTrial ? "would end" : "ended") \(counted(count, "connection"))\n")
    }

    private static func text(_ value: ReportValue, _ environment: CommandEnvironment) -> String {
        let connections = value["connections"]?.list ?? []
        let total = value["total"]?.integer ?? connections.count
        guard !connections.isEmpty else { return "no connections\n" }
        var table = TextTable([
            .init(title: "ID"), .init(title: "NAMESPACE"), .init(title: "USER"), .init(title: "TRANSPORT"),
            .init(title: "SINCE", isNumber: true), .init(title: "LISTENS", isNumber: true),
            .init(title: "LEAVING", isNumber: true), .init(title: "ADDRESS"), .init(title: "AGENT"),
        ])
        for connection in connections {
            let user = connection["admin"]?.flag == true ? "(administrator)" : connection["uid"]?.text ?? "-"
            let since = connection["since"]?.integer.map { (Int(environment.now) - $0).spanText } ?? "-"
            table.rows.append([
                connection["id"]?.text ?? "", connection["ns"]?.text ?? "", user, connection["transport"]?.text ?? "",
                since, connection["listens"]?.integer?.grouped ?? "-",
                connection["onDisconnect"]?.integer?.grouped ?? "-", connection["address"]?.text ?? "-",
                connection["agent"]?.text ?? "-",
            ])
        }
        let rest = total > connections.count ? "\(connections.count) of \(counted(total, "connection"))\n" : ""
        return table.text(environment.style) + rest
    }
}
