/// `hearth watch`: what happens at a place, a line an event, for as long as somebody looks.
enum Watch {
    static let command = SubCommand(brief: "follow data live, a line an event", syntax: syntax, run: run)

    static let syntax = CommandSyntax(
        name: "hearth watch", operands: ["PATH"], options: HubTarget.options,
        summary: """
            Prints the data at PATH, and then every change of it, one JSON object a line:

                {"event":"put","path":"/name","data":"Ada"}

            put replaces what is at "path", which counts from PATH; patch replaces the children
            that "data" names. After a lost connection it comes back by itself, says so on
            standard error, and begins with a put of everything. Ctrl-C ends it.
            """,
        epilogue: """
            For example:

                hearth watch /messages --ns demo
                hearth watch /online --auth @token | jq -c .data

            Exit codes: 0 interrupted, 1 refused or ended by the hub, 2 bad usage.
            """)

    static func run(
        _ arguments: CommandArguments, _ environment: CommandEnvironment
    ) throws(CommandProblem) -> CommandResult {
        let session = try HubSession(arguments, environment)
        let path = try DataPath(arguments.operands[0])
        Interruption.expect()
        var request = session.target.rest("GET", path)
        request.headers.append(("Accept", "text/event-stream"))
        // The hub sends something every 25 s at the latest.
        request.silenceLimit = 75
        var random = SystemRandomNumberGenerator()
        var backoff = Backoff()
        var wasConnected = false
        while true {
            let stream = WatchStream(environment)
            let end = stream.follow(request)
            if stream.hasEvents {
                wasConnected = true
                backoff.reset()
            }
            let reason: String
            switch end {
            case .interrupted, .readerGone: return CommandResult()
            case .ended(let problem): throw problem
            case .refused(let answer):
                let refusal = Refusal(answer)
                // A hub that starts again, or a proxy in front of it, may refuse for a while.
                guard wasConnected, answer.status >= 500 || answer.status == 429 else {
                    throw refusal.problem(session.target)
                }
                reason = shown(refusal.text)
            case .lost(let text):
                guard wasConnected else { throw .failure(text) }
                // Of the sentence the part before the remedy, which is about to be tried.
                reason = String(text.prefix { $0 != ";" })
            }
            let pause = backoff.pause(using: &random)
            environment.note("\(syntax.name): \(reason); connecting again in \(pause.secondsText)\n")
            guard environment.sleep(pause) else { return CommandResult() }
        }
    }
}
