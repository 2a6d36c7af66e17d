import DataTree
import SecurityRules

/// `hearth rules simulate`: what rules say to one operation, and how they come to it.
enum RulesSimulate {
    static let syntax = CommandSyntax(
        name: "hearth rules simulate", operands: ["FILE", "OPERATION", "PATH", "[VALUE]"],
        options: [
            .init(
                name: "as", argument: "AUTH",
                help:
                    "who asks: a user id, or the auth variable as a JSON object or\n@FILE; nobody is signed in without"),
            .init(name: "data", argument: "JSON", help: "the tree before the operation, or @FILE; empty without"),
            .init(name: "query", argument: "JSON", help: "the query of a read, such as {\"limitToFirst\": 9}"),
            .init(name: "now", argument: "MS", help: "the time in milliseconds since 1970; that of the clock without"),
            .init(name: "json", help: "print the decision and its trace as JSON"),
        ],
        summary: """
            Asks the security rules in FILE about one operation, without a hub, and prints every
            rule that was asked, what it came to, and why. OPERATION is read, set or update. VALUE
            is JSON, @FILE, or - for standard input: what is set (null removes), or an object of
            paths and values to update.
            """,
        epilogue: """
            For example:

                hearth rules simulate rules.json set /notes/ada '"tea"' --as ada

            Exit codes: 0 the operation is allowed, 1 it is denied, or the rules have a problem,
            2 bad usage.
            """)

    static func run(
        _ arguments: CommandArguments, _ environment: CommandEnvironment
    ) throws(CommandProblem) -> CommandResult {
        let file = try RulesFile(arguments.operands[0], in: environment)
        let ruleCase = try ruleCase(arguments, environment)
        guard let rules = file.rules else {
            return file.refusal(asJSON: arguments.isOn("json"), environment)
        }
        let explanation: Explanation
        do {
            explanation = try RuleOperation(ruleCase, now: environment.now).explain(rules, revealing: true)
        } catch {
            throw .failure(error.description)
        }
        let exit: ExitCode = explanation.decision.isAllowed ? .success : .failure
        guard !arguments.isOn("json") else {
            return CommandResult(output: explanation.report(in: rules).json + "\n", exit: exit)
        }
        let style = environment.style
        var lines: [String] = []
        for entry in explanation.entries {
            lines.append(TraceText.heading(entry, style))
            lines += TraceText.decisiveLines(entry, file.source, style, indent: "  ")
        }
        if explanation.isTruncated { lines.append("and more rules") }
        var result = CommandResult(exit: exit)
        if let grant = explanation.decision.grant {
            lines.append("\(style.tinted("allowed", .good)) by \(shown("\(rules.location(of: grant))"))")
        } else if explanation.decision.isAllowed {
            lines.append(style.tinted("allowed", .good))
        }
        result.output = lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
        result.error = explanation.reasons.map { "\(environment.errorStyle.tinted("denied", .bad)): \(shown($0))\n" }
            .joined()
        return result
    }

    // MARK: The operation

    /// The operation as a case of a file that is made here, so that both are read and refused alike.
    private static func ruleCase(
        _ arguments: CommandArguments, _ environment: CommandEnvironment
    ) throws(CommandProblem) -> RuleCase {
        let operation = arguments.operands[1]
        guard ["read", "set", "update"].contains(operation) else {
            throw .usage("there is no operation '\(operation)'; give read, set or update")
        }
        var writer = JSONWriter()
        writer.raw("{\"cases\":[{\"expect\":\"allow\",")
        writer.string(operation)
        writer.raw(":")
        writer.string(arguments.operands[2])
        func add(_ member: String, _ json: [UInt8]) {
            writer.raw(",")
            writer.string(member)
            writer.raw(":")
            writer.raw(json)
        }
        if arguments.operands.count > 3 {
            guard operation != "read" else { throw .usage("a read takes no VALUE; leave it out") }
            add(operation == "set" ? "value" : "values", try json(arguments.operands[3], of: "VALUE", environment))
        } else if operation != "read" {
            throw .usage("VALUE is missing; give JSON, @FILE or -")
        }
        if let auth = arguments["as"] { add("as", try self.auth(auth, environment)) }
        if let data = arguments["data"] { add("data", try json(data, of: "--data", environment)) }
        if let query = arguments["query"] { add("query", try json(query, of: "--query", environment)) }
        if let text = arguments["now"] {
            guard let now = Int64(text) else {
                throw .usage("--now cannot be '\(text)'; give milliseconds since 1970")
            }
            add("now", Array("\(now)".utf8))
        }
        writer.raw("}]}")
        do throws(RuleCaseProblem) {
            let cases = try RuleCase.all(in: writer.bytes)
            guard let ruleCase = cases.first else {
                throw RuleCaseProblem(position: .init(line: 1, column: 1), message: "")
            }
            return ruleCase
        } catch {
            throw .usage(error.message)
        }
    }

    private static func auth(_ text: String, _ environment: CommandEnvironment) throws(CommandProblem) -> [UInt8] {
        let isJSON = text == "null" || ["{", "@", "-"].contains(text.prefix(1))
        guard !isJSON else { return try json(text, of: "--as", environment) }
        var writer = JSONWriter()
        writer.raw("{\"uid\":")
        writer.string(text)
        writer.raw("}")
        return writer.bytes
    }

    /// JSON as it was given, in a file or in the argument itself.
    private static func json(
        _ text: String, of name: String, _ environment: CommandEnvironment
    ) throws(CommandProblem) -> [UInt8] {
        var bytes = Array(text.utf8)
        if text == "-" || text.hasPrefix("@") {
            bytes = try environment.read(text == "-" ? "-" : String(text.dropFirst()))
        }
        do throws(JSONError) {
            try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
                var cursor = JSONCursor(UnsafeRawBufferPointer(bytes))
                _ = try cursor.skipValue()
                try cursor.expectEnd()
            }
        } catch {
            throw .usage("\(name) is not JSON: \(error)")
        }
        return bytes
    }
}
