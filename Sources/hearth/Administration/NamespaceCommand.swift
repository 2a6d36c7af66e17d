import DataTree
import SecurityRules

/// `hearth namespace …`: the databases of a hub.
enum NamespaceCommand {
    static var group: CommandGroup {
        CommandGroup(
            name: "hearth namespace", brief: "list, create and delete namespaces",
            summary: "The namespaces of a running hub: databases with data and rules of their own.",
            commands: [list, create, delete])
    }

    private static let json = CommandSyntax.Option(name: "json", help: "print the hub's answer as it is")
    private static let target = HubTarget.options.filter { $0.name != "ns" }

    static let list = SubCommand(
        brief: "list them",
        syntax: CommandSyntax(
            name: "hearth namespace list", operands: [], options: [json] + target,
            summary: """
                Lists the namespaces of a hub. What is not in memory has no figures.
                """,
            epilogue: """
                For example:

                    hearth namespace list --auth @hearth-data/admin.secret
                """)
    ) { arguments, environment throws(CommandProblem) in
        let session = try HubSession(arguments, environment)
        let answer = try session.answer(session.target.hub("GET", "/namespaces"))
        guard !arguments.isOn("json"), let value = ReportValue(answer: answer) else {
            return CommandResult(answer: answer)
        }
        var table = TextTable([
            .init(title: "NAMESPACE"), .init(title: "LEAVES", isNumber: true),
            .init(title: "CONNECTIONS", isNumber: true), .init(title: "STATE"),
        ])
        for namespace in value["namespaces"]?.list ?? [] {
            table.rows.append([
                namespace["name"]?.text ?? "", namespace["leaves"]?.integer?.grouped ?? "-",
                namespace["connections"]?.integer?.grouped ?? "-",
                namespace["loaded"]?.flag == true ? "in memory" : "on disk",
            ])
        }
        return CommandResult(output: table.text(environment.style))
    }

    static let create = SubCommand(
        brief: "create one",
        syntax: CommandSyntax(
            name: "hearth namespace create", operands: ["NAME"], options: [json] + target,
            summary: """
                Creates a namespace. It is empty, and only the administrator can use it until it has
                security rules; see hearth rules set --help.
                """,
            epilogue: """
                For example:

                    hearth namespace create shop --auth @hearth-data/admin.secret
                """)
    ) { arguments, environment throws(CommandProblem) in
        let session = try HubSession(arguments, environment)
        let name = arguments.operands[0]
        try HubTarget.check(namespace: name)
        let answer = try session.answer(session.target.hub("POST", "/namespaces", body: body("name", name)))
        return arguments.isOn("json") ? CommandResult(answer: answer) : CommandResult(output: "created \(name)\n")
    }

    static let delete = SubCommand(
        brief: "delete one with all its data",
        syntax: CommandSyntax(
            name: "hearth namespace delete", operands: ["NAME"],
            options: [.init(name: "yes", help: "do not ask; needed where nobody can be asked"), json] + target,
            summary: """
                Deletes a namespace with its data, rules and history, and ends its connections.
                There is no way back but a backup.
                """,
            epilogue: """
                For example:

                    hearth namespace delete shop --yes --auth @hearth-data/admin.secret
                """)
    ) { arguments, environment throws(CommandProblem) in
        let session = try HubSession(arguments, environment)
        let name = arguments.operands[0]
        try HubTarget.check(namespace: name)
        try environment.confirm("Delete the namespace \(name) with all its data?", unless: arguments.isOn("yes"))
        let answer = try session.answer(
            session.target.hub("DELETE", "/namespaces/\(name)", body: body("confirm", name)))
        return arguments.isOn("json") ? CommandResult(answer: answer) : CommandResult(output: "deleted \(name)\n")
    }

    private static func body(_ member: String, _ text: String) -> HTTPBody {
        HTTPBody(source: ByteSource(ReportValue.object([.init(member, .text(text))]).json))
    }
}

extension CommandResult {
    /// A hub's short answer, as it came.
    init(answer: [UInt8]) {
        let text = String(decoding: answer, as: UTF8.self)
        self.init(output: text.hasSuffix("\n") ? text : text + "\n")
    }
}
