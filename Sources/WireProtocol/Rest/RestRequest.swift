import DataTree

/// What a REST request asks for (`protocol/rest.md`).
///
/// Reading it checks all that can be checked without data and without knowing who asks. Parameters that it does not
/// know are ignored: caches are kept away with those.
package struct RestRequest: Sendable {
    package enum Operation: Sendable { case get, put, patch, post, delete }

    /// Only the keys of the children, and which of them.
    package struct Shallow: Equatable, Sendable {
        /// How many at most.
        package var limit: Int?
        /// The key behind which they begin, in key order.
        package var startAfter: Key?

        package init(limit: Int? = nil, startAfter: Key? = nil) {
            self.limit = limit
            self.startAfter = startAfter
        }
    }

    /// After a method override.
    package let operation: Operation
    /// A HEAD request: all but the body of the answer to a GET.
    package let isHead: Bool
    /// Ends in `.priority` when the priority alone is meant (get, put and delete).
    package let path: Path
    /// Whether the answer is an event stream.
    package let isStream: Bool
    package let output: RestOutput
    /// Nil for the whole node.
    package let query: Query?
    package let shallow: Shallow?
    package let conditions: RestConditions
    /// How long a read may take, in milliseconds.
    package let timeout: Int
    /// Nil where the setting of the database decides.
    package let writeSizeLimit: WriteSizeLimit?

    package init(_ head: RestHead) throws(RestError) { try self.init(head, limits: WriteLimits()) }

    package init(_ head: RestHead, limits: WriteLimits) throws(RestError) {
        let operation = try Self.operation(head)
        let isHead = head.method == "HEAD"
        self.operation = operation
        self.isHead = isHead
        path = try RestPath.parse(
            head.path, isRead: operation == .get, mayEndInPriority: operation != .patch && operation != .post,
            limits: limits)
        try Self.checkRepetition(head)
        isStream = operation == .get && !isHead && head.accept?.lowercased().contains("text/event-stream") == true
        if isStream, path.last == .priority { throw .invalidPath }
        output = try Self.output(head, operation, isStream: isStream)
        let query = RestQuery(head: head)
        let isShallow = head.argument("shallow") == "true"
        if operation != .get, query.isPresent || isShallow {
            throw RestError(text: "Querying related parameters not supported on this request type")
        }
        conditions = try RestConditions(
            head, operation, isStream: isStream, isQuery: query.isPresent, isShallow: isShallow,
            isSilent: output.isSilent)
        shallow = isShallow ? try Self.shallow(head, isStream: isStream) : nil
        self.query = isShallow ? nil : try query.query()
        timeout = operation == .get ? try Self.timeout(head) : Self.greatestTimeout
        writeSizeLimit = operation == .get ? nil : try Self.writeSizeLimit(head)
    }

    // MARK: - Method

    private static func operation(_ head: RestHead) throws(RestError) -> Operation {
        guard head.method == "POST" else { return try operation(head.method, of: head) }
        let header = head.methodOverride.flatMap { $0.isEmpty ? nil : $0 }
        let argument = head.arguments.first { $0.name.lowercased() == "x-http-method-override" }?.value
        return try operation((header ?? argument ?? "POST").uppercased(), of: head)
    }

    private static func operation(_ method: String, of head: RestHead) throws(RestError) -> Operation {
        switch method {
        case "GET": return .get
        // An override names what is asked for, and nobody asks for no answer.
        case "HEAD" where head.method == "HEAD": return .get
        case "PUT": return .put
        case "PATCH": return .patch
        case "POST": return .post
        case "DELETE": return .delete
        default:
            throw RestError(status: 405, text: "Method not supported; use GET, PUT, PATCH, POST or DELETE")
        }
    }

    // MARK: - Parameters

    private static let known =
        RestQuery.names + [
            "print", "shallow", "callback", "format", "download", "timeout", "writeSizeLimit", "auth", "access_token",
            "auth_variable_override",
        ]

    private static func checkRepetition(_ head: RestHead) throws(RestError) {
        guard head.arguments.count > 1 else { return }
        var seen: Set<String> = []
        for (name, _) in head.arguments where known.contains(name) && !seen.insert(name).inserted {
            throw RestError(text: "\(name) may be specified only once")
        }
    }

    private static func output(
        _ head: RestHead, _ operation: Operation, isStream: Bool
    ) throws(RestError) -> RestOutput {
        var output = RestOutput()
        guard !isStream else { return output }
        switch head.argument("print") {
        case "pretty": output.isPretty = true
        case "silent": output.isSilent = true
        default: break
        }
        guard operation == .get else { return output }
        output.isExport = head.argument("format") == "export"
        if let callback = head.argument("callback") { output.callback = try RestOutput.callback(callback) }
        output.download = head.argument("download").map(RestOutput.download)
        return output
    }

    private static func shallow(_ head: RestHead, isStream: Bool) throws(RestError) -> Shallow {
        let taken = ["limitToFirst", "startAfter"]
        if head.arguments.contains(where: { RestQuery.names.contains($0.name) && !taken.contains($0.name) }) {
            throw RestError(text: "Mixing 'shallow' and querying parameters is not supported")
        }
        if isStream { throw RestError(text: "Mixing 'shallow' and event streams is not supported") }
        var shallow = Shallow(limit: try RestQuery.limit("limitToFirst", in: head))
        // The official command line sends the bare key.
        if let text = head.argument("startAfter") {
            let key = Key(text)
            let isValid = key.withUTF8 { !$0.isEmpty && !$0.contains(where: RestPath.isForbiddenInKeys) }
            guard isValid else { throw RestError(text: "Constraint key field must be a valid key name") }
            shallow.startAfter = key
        }
        return shallow
    }

    /// 15 minutes.
    package static let greatestTimeout = 900_000

    private static func timeout(_ head: RestHead) throws(RestError) -> Int {
        guard let text = head.argument("timeout") else { return greatestTimeout }
        for (unit, milliseconds) in [("ms", 1), ("s", 1000), ("min", 60_000)] where text.hasSuffix(unit) {
            let number = text.dropLast(unit.count)
            // What is left of a longer unit is no number.
            guard !number.isEmpty, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { continue }
            guard let count = Int(number), count > 0, count <= greatestTimeout / milliseconds else { break }
            return count * milliseconds
        }
        throw RestError(text: "timeout must be a positive integer with the unit ms, s or min, at most 15min")
    }

    private static func writeSizeLimit(_ head: RestHead) throws(RestError) -> WriteSizeLimit? {
        guard let text = head.argument("writeSizeLimit") else { return nil }
        guard let limit = WriteSizeLimit(rawValue: text) else {
            throw RestError(text: "writeSizeLimit must be tiny, small, medium, large or unlimited")
        }
        return limit
    }
}
