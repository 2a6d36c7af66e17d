/// How JSON of a hub is shown: indented for a person at a terminal, in one line otherwise.
struct DataOutput {
    let isPretty: Bool

    static let options: [CommandSyntax.Option] = [
        .init(name: "pretty", help: "indent the output, as in a terminal"),
        .init(name: "json", help: "print it in one line, as outside a terminal"),
    ]

    init(_ arguments: CommandArguments, _ environment: CommandEnvironment) throws(CommandProblem) {
        guard !arguments.isOn("pretty") || !arguments.isOn("json") else {
            throw .usage("--pretty and --json contradict each other; give one of them")
        }
        isPretty = arguments.isOn("pretty") || (environment.style.isRich && !arguments.isOn("json"))
    }

    /// What the hub is asked for.
    var parameters: [(name: String, value: String)] { isPretty ? [("print", "pretty")] : [] }

    /// Passes the hub's answer on to standard output as it comes, with one end of line behind it.
    func pass(_ request: HTTPRequest, _ session: HubSession) throws(CommandProblem) {
        var last: UInt8?
        try session.receive(request) { bytes throws(CommandProblem) in
            last = bytes.last ?? last
            try session.environment.write(bytes)
        }
        if last != UInt8(ascii: "\n") { try session.environment.write(text: "\n") }
    }
}

extension CommandEnvironment {
    func write(text: String) throws(CommandProblem) { try write(bytes: Array(text.utf8)) }

    func write(bytes: [UInt8]) throws(CommandProblem) {
        // The closure of withUnsafeBytes cannot say what it throws.
        let problem: CommandProblem? = bytes.withUnsafeBytes { buffer in
            do throws(CommandProblem) {
                try write(buffer)
                return nil
            } catch {
                return error
            }
        }
        if let problem { throw problem }
    }
}
