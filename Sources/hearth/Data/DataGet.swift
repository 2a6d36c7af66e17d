/// `hearth get`: data of a hub on standard output.
enum DataGet {
    static let command = SubCommand(brief: "print data", syntax: syntax, run: run)

    static let syntax = CommandSyntax(
        name: "hearth get", operands: ["PATH"],
        options: [
            .init(name: "shallow", help: "only the keys: each child is true"),
            .init(name: "export", help: "with priorities, as .priority and .value"),
        ] + DataQuery.options + DataOutput.options + HubTarget.options,
        summary: """
            Prints the data at PATH as JSON, or null where there is none.
            """,
        epilogue: """
            \(DataQuery.note)

            For example:

                hearth get /users/ada
                hearth get / --shallow
                hearth get /scores --order-by '$value' --limit-to-last 3 --ns demo

            Exit codes: 0 success, 1 refused or failed, 2 bad usage.
            """)

    static func run(
        _ arguments: CommandArguments, _ environment: CommandEnvironment
    ) throws(CommandProblem) -> CommandResult {
        let session = try HubSession(arguments, environment)
        let path = try DataPath(arguments.operands[0], mayEndInPriority: true)
        let output = try DataOutput(arguments, environment)
        var parameters = try DataQuery.parameters(arguments)
        if arguments.isOn("shallow") {
            guard !arguments.isOn("export") else {
                throw .usage("--shallow shows no values, and so no priorities; leave out --export")
            }
            guard parameters.allSatisfy({ $0.name == "limitToFirst" }) else {
                throw .usage("--shallow takes no query but --limit-to-first; leave the other options out")
            }
            parameters.append(("shallow", "true"))
        }
        if arguments.isOn("export") { parameters.append(("format", "export")) }
        try output.pass(session.target.rest("GET", path, parameters + output.parameters), session)
        return CommandResult()
    }
}
