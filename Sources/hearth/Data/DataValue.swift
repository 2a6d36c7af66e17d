import DataTree

/// A VALUE of the command line: JSON as it was typed, `@FILE`, or `-` for standard input.
enum DataValue {
    /// The body of a write. What was typed is checked here, because shells eat quotes; files are the hub's to judge.
    static func body(
        _ text: String?, mustBeObject: Bool = false, _ environment: CommandEnvironment
    ) throws(CommandProblem) -> HTTPBody {
        guard let text else { throw .usage("VALUE is missing; give JSON, @FILE or -") }
        if text == "-" { return HTTPBody(source: try environment.open("-")) }
        if text.hasPrefix("@") { return HTTPBody(source: try environment.open(String(text.dropFirst()))) }
        let bytes = Array(text.utf8)
        let problem: JSONError? = bytes.withUnsafeBytes { buffer in
            var cursor = JSONCursor(buffer)
            do throws(JSONError) {
                if mustBeObject, cursor.peek() != .object {
                    _ = try cursor.skipValue()
                    throw JSONError(offset: 0, reason: .unexpectedKind(expected: .object))
                }
                _ = try cursor.skipValue()
                try cursor.expectEnd()
                return nil
            } catch {
                return error
            }
        }
        guard let problem else { return HTTPBody(source: ByteSource(bytes)) }
        guard problem.isSyntax else {
            throw .usage("VALUE names no children to change; give an object, such as '{\"name\": \"Ada\"}'")
        }
        let first = bytes.first { $0 != UInt8(ascii: " ") }
        let looksLikeText = first.map { $0 >= UInt8(ascii: "A") && $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "[") }
        guard looksLikeText != true else {
            throw .usage(
                "VALUE is not JSON; a string has double quotes, and the shell wants single ones around: '\"tea\"'")
        }
        throw .usage("VALUE is not JSON: \(problem)")
    }
}
