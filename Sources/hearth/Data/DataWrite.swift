import SecurityRules

/// `hearth set`, `update`, `push` and `remove`: writes to a hub.
enum DataWrite {
    static let set = SubCommand(
        brief: "replace data",
        syntax: syntax(
            "set", ["PATH", "[VALUE]"], DataOutput.options,
            """
            Replaces the data at PATH by VALUE, which is JSON, @FILE, or - for standard input;
            null removes it. Prints what was stored.
            """,
            """
                hearth set /users/ada '{"name": "Ada"}'
                hearth set /users/ada/seen '{".sv": "timestamp"}'
                hearth set /menu @menu.json --quiet
            """)
    ) { arguments, environment throws(CommandProblem) in
        let body = try DataValue.body(arguments.value, environment)
        return try write("PUT", body, mayEndInPriority: true, arguments, environment)
    }

    static let update = SubCommand(
        brief: "change some children, leave the others",
        syntax: syntax(
            "update", ["PATH", "[VALUE]"], DataOutput.options,
            """
            Replaces the children that VALUE names and leaves the others, all in one step. VALUE
            is a JSON object, @FILE, or - for standard input; its keys may be paths such as
            "ada/name", and null removes. Prints what was sent.
            """,
            """
                hearth update /users/ada '{"name": "Ada", "draft": null}'
                hearth update / '{"users/ada/team": "blue", "teams/blue/ada": true}'
            """)
    ) { arguments, environment throws(CommandProblem) in
        let body = try DataValue.body(arguments.value, mustBeObject: true, environment)
        return try write("PATCH", body, arguments, environment)
    }

    static let push = SubCommand(
        brief: "add a child under a new key",
        syntax: syntax(
            "push", ["PATH", "[VALUE]"], [.init(name: "json", help: "print the hub's answer, {\"name\": KEY}")],
            """
            Adds VALUE under a new key that sorts behind all earlier ones, and prints the key.
            VALUE is JSON, @FILE, or - for standard input.
            """,
            """
                hearth push /messages '{"from": "ada", "text": "hello"}'
            """)
    ) { arguments, environment throws(CommandProblem) in
        let session = try HubSession(arguments, environment)
        let path = try DataPath(arguments.operands[0])
        let body = try DataValue.body(arguments.value, environment)
        let answer = try session.answer(session.target.rest("POST", path, body: body))
        guard !arguments.isOn("json") else {
            return CommandResult(output: String(decoding: answer, as: UTF8.self) + "\n")
        }
        guard let key = ReportValue(answer: answer)?["name"]?.text else {
            throw .failure("the hub did not say which key it made; check --url")
        }
        return CommandResult(output: key + "\n")
    }

    static let remove = SubCommand(
        brief: "remove data",
        syntax: syntax(
            "remove", ["PATH"], [.init(name: "yes", help: "do not ask before everything is removed")],
            """
            Removes the data at PATH and everything below it. Prints nothing.
            """,
            """
                hearth remove /users/ada
            """)
    ) { arguments, environment throws(CommandProblem) in
        let session = try HubSession(arguments, environment)
        let path = try DataPath(arguments.operands[0], mayEndInPriority: true)
        if path.path.isRoot {
            let name = session.target.namespace.map { "the namespace \($0)" } ?? "the namespace"
            try environment.confirm("Remove all data of \(name)?", unless: arguments.isOn("yes"))
        }
        _ = try session.answer(session.target.rest("DELETE", path))
        return CommandResult()
    }

    private static func syntax(
        _ name: String, _ operands: [String], _ options: [CommandSyntax.Option], _ summary: String, _ examples: String
    ) -> CommandSyntax {
        let quiet = CommandSyntax.Option(name: "quiet", help: "print nothing")
        let hasQuiet = name == "set" || name == "update"
        return CommandSyntax(
            name: "hearth \(name)", operands: operands,
            options: (hasQuiet ? [quiet] : []) + options + HubTarget.options, summary: summary,
            epilogue: """
                For example:

                \(examples)

                Exit codes: 0 success, 1 refused or failed, 2 bad usage.
                """)
    }

    private static func write(
        _ method: String, _ body: HTTPBody, mayEndInPriority: Bool = false, _ arguments: CommandArguments,
        _ environment: CommandEnvironment
    ) throws(CommandProblem) -> CommandResult {
        let session = try HubSession(arguments, environment)
        let path = try DataPath(arguments.operands[0], mayEndInPriority: mayEndInPriority)
        if arguments.isOn("quiet") {
            _ = try session.answer(session.target.rest(method, path, [("print", "silent")], body: body))
        } else {
            let output = try DataOutput(arguments, environment)
            try output.pass(session.target.rest(method, path, output.parameters, body: body), session)
        }
        return CommandResult()
    }
}

extension CommandArguments {
    /// The VALUE behind a PATH.
    fileprivate var value: String? { operands.count > 1 ? operands[1] : nil }
}
