import DataTree

/// Reads a file of rule cases; see `RuleCase.all(in:)` for what stands in one.
struct RuleCaseReader {
    private struct Failure: Error {
        var offset: Int
        var message: String
    }

    private let source: SourceText
    private let bytes: UnsafeRawBufferPointer
    private var identities: [String: RuleIdentity] = [:]
    private var data = Node.empty
    private var now: Int64?
    private var cases: [RuleCase] = []

    /// `bytes` are those of `source`, lent for the life of the reader.
    init(_ source: SourceText, bytes: UnsafeRawBufferPointer) {
        self.source = source
        self.bytes = bytes
    }

    mutating func readFile() throws(RuleCaseProblem) -> [RuleCase] {
        do {
            // What the cases refer to may stand behind them, so they are read in a second pass.
            try readSurroundings()
            try readCases()
            return cases
        } catch let error as Failure {
            throw RuleCaseProblem(position: source.position(of: error.offset), message: error.message)
        } catch let error as JSONError {
            throw RuleCaseProblem(position: source.position(of: error.offset), message: error.reason.description)
        } catch {
            throw RuleCaseProblem(position: source.position(of: 0), message: "\(error)")
        }
    }

    // MARK: The file

    private static let fileMembers = ["now", "identities", "data", "cases"]

    private mutating func readSurroundings() throws {
        var cursor = JSONCursor(bytes)
        var members = Members(of: "the file", allowed: Self.fileMembers)
        try cursor.enterObject()
        while let name = try next(&cursor, &members) {
            switch name {
            case "now": now = try cursor.readInteger()
            case "identities": try readIdentities(&cursor)
            case "data": data = try cursor.readNode()
            default: _ = try cursor.skipValue()
            }
        }
        try cursor.expectEnd()
        guard members.seen.contains("cases") else {
            throw Failure(offset: 0, message: "there are no cases; give them as \"cases\": […]")
        }
    }

    private mutating func readIdentities(_ cursor: inout JSONCursor) throws {
        try cursor.enterObject()
        while let name = try cursor.nextKey() { identities[name] = try authentication(&cursor) }
    }

    private mutating func readCases() throws {
        var cursor = JSONCursor(bytes)
        try cursor.enterObject()
        while let name = try cursor.nextKey() {
            guard name == "cases" else {
                _ = try cursor.skipValue()
                continue
            }
            try cursor.enterArray()
            while try cursor.nextElement() { cases.append(try readCase(&cursor)) }
        }
    }

    // MARK: A case

    private static let caseMembers = [
        "name", "read", "set", "update", "value", "values", "query", "as", "data", "now", "expect",
    ]

    /// The members of a case as they are met.
    private struct Draft {
        var name: String?
        var operation: (name: String, path: Path, offset: Int)?
        var value: Node?
        var changes: [(path: Path, value: Node)]?
        var query: Query?
        var identity = RuleIdentity.signedOut
        var caller: String?
        var data: Node?
        var now: Int64?
        var expectation: RuleCase.Verdict?
    }

    private func readCase(_ cursor: inout JSONCursor) throws -> RuleCase {
        _ = cursor.peek()
        let offset = cursor.offset
        var draft = Draft()
        var members = Members(of: "a case", allowed: Self.caseMembers)
        try cursor.enterObject()
        while let name = try next(&cursor, &members) {
            _ = cursor.peek()
            let valueOffset = cursor.offset
            switch name {
            case "name": draft.name = try cursor.readString()
            case "value": draft.value = try cursor.readNode()
            case "values": draft.changes = try changes(&cursor)
            case "query": draft.query = try query(&cursor)
            case "data": draft.data = try cursor.readNode()
            case "now": draft.now = try cursor.readInteger()
            case "as": (draft.caller, draft.identity) = try caller(&cursor)
            case "expect":
                guard let verdict = RuleCase.Verdict(rawValue: try cursor.readString()) else {
                    throw Failure(
                        offset: valueOffset, message: "\"expect\" is neither \"allow\" nor \"deny\"; give one of them")
                }
                draft.expectation = verdict
            default:
                if let first = draft.operation {
                    throw Failure(
                        offset: valueOffset,
                        message: "a case has one operation, and \"\(first.name)\" is there already; "
                            + "make two cases of it")
                }
                draft.operation = (name, try cursor.readPath(), valueOffset)
            }
        }
        guard let expectation = draft.expectation else {
            throw Failure(offset: offset, message: "the case expects nothing; add \"expect\": \"allow\" or \"deny\"")
        }
        let operation = try operation(of: draft, at: offset)
        return RuleCase(
            name: draft.name ?? "\(operation)" + (draft.caller.map { " as \($0)" } ?? ""), operation: operation,
            identity: draft.identity, caller: draft.caller, data: draft.data ?? data, now: draft.now ?? now,
            expectation: expectation,
            line: source.lineNumber(of: offset))
    }

    private func operation(of draft: Draft, at offset: Int) throws -> RuleCase.Operation {
        guard let (name, path, pathOffset) = draft.operation else {
            throw Failure(
                offset: offset, message: "the case does nothing; add \"read\", \"set\" or \"update\" with a path")
        }
        let belonging = [
            (member: "query", operation: "read", isThere: draft.query != nil),
            (member: "value", operation: "set", isThere: draft.value != nil),
            (member: "values", operation: "update", isThere: draft.changes != nil),
        ]
        for (member, operation, isThere) in belonging where isThere && operation != name {
            throw Failure(
                offset: offset, message: "\"\(member)\" belongs to \"\(operation)\", not to \"\(name)\"; leave it out")
        }
        let operation: RuleCase.Operation
        var written: [(Path, Node)] = []
        switch name {
        case "read": operation = .read(path, query: draft.query ?? .default)
        case "set":
            guard let value = draft.value else {
                throw Failure(offset: offset, message: "\"set\" has no \"value\"; add one, null to delete")
            }
            operation = .set(path, value)
            written = [(.root, value)]
        default:
            guard let changes = draft.changes else {
                throw Failure(
                    offset: offset, message: "\"update\" has no \"values\"; add an object of paths and values")
            }
            operation = .update(path, changes: changes)
            written = changes.map { ($0.path, $0.value) }
        }
        do {
            let validation = WriteValidation()
            try validation.validate(path: path)
            try validation.validate(changes: written, at: path)
        } catch {
            throw Failure(offset: pathOffset, message: error.description)
        }
        return operation
    }

    private func changes(_ cursor: inout JSONCursor) throws -> [(path: Path, value: Node)] {
        var changes: [(path: Path, value: Node)] = []
        try cursor.enterObject()
        while let key = try cursor.nextKey() { changes.append((Path(key), try cursor.readNode())) }
        return changes
    }

    // MARK: Queries

    private static let queryMembers = [
        "orderByChild", "orderByKey", "orderByValue", "orderByPriority", "startAt", "startAfter", "endAt", "endBefore",
        "equalTo", "limitToFirst", "limitToLast",
    ]

    private func query(_ cursor: inout JSONCursor) throws -> Query {
        let offset = cursor.offset
        var members = Members(of: "a query", allowed: Self.queryMembers)
        var draft = RuleCaseQuery()
        try cursor.enterObject()
        do {
            while let name = try next(&cursor, &members) {
                switch name {
                case "orderByChild": try draft.order(by: .path(try cursor.readPath()))
                case "orderByKey": if try cursor.readBool() { try draft.order(by: .key) }
                case "orderByValue": if try cursor.readBool() { try draft.order(by: .value) }
                case "orderByPriority": if try cursor.readBool() { try draft.order(by: .priority) }
                case "limitToFirst": try draft.limit(to: try cursor.readInteger(), from: .first)
                case "limitToLast": try draft.limit(to: try cursor.readInteger(), from: .last)
                default: draft.bounds[name] = try cursor.readNode()
                }
            }
            return try draft.query()
        } catch let error as RuleCaseQuery.Contradiction {
            throw Failure(offset: offset, message: error.sentence)
        }
    }

    // MARK: Callers

    private func caller(_ cursor: inout JSONCursor) throws -> (name: String?, identity: RuleIdentity) {
        guard cursor.peek() == .string else { return (nil, try authentication(&cursor)) }
        let offset = cursor.offset
        let name = try cursor.readString()
        guard let identity = identities[name] else {
            let known = identities.keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
            throw Failure(
                offset: offset,
                message: "there is no identity \"\(name)\"; "
                    + (known.isEmpty ? "describe it under \"identities\"" : "give one of \(known)"))
        }
        return (name, identity)
    }

    private func authentication(_ cursor: inout JSONCursor) throws -> RuleIdentity {
        guard cursor.peek() == .object || cursor.peek() == .null else {
            throw Failure(
                offset: cursor.offset,
                message: "\"auth\" is an object, or null when nobody is signed in; give one of them")
        }
        let range = try cursor.skipValue()
        do {
            return try RuleIdentity(json: String(decoding: bytes[range], as: UTF8.self))
        } catch {
            throw JSONError(offset: range.lowerBound + error.offset, reason: error.reason)
        }
    }

    // MARK: Members

    /// Which members an object may have, and which it had so far.
    private struct Members {
        let owner: String
        let allowed: [String]
        var seen: Set<String> = []

        init(of owner: String, allowed: [String]) {
            self.owner = owner
            self.allowed = allowed
        }
    }

    private func next(_ cursor: inout JSONCursor, _ members: inout Members) throws -> String? {
        let behindLast = cursor.offset
        guard let name = try cursor.nextKey() else { return nil }
        // Between two members stands nothing with a quote but the key.
        let offset = bytes[behindLast...].firstIndex(of: UInt8(ascii: "\"")) ?? behindLast
        guard members.allowed.contains(name) else {
            throw Failure(
                offset: offset,
                message: "\(members.owner) has no \"\(name)\"; it has \(members.allowed.joined(separator: ", "))")
        }
        guard members.seen.insert(name).inserted else {
            throw Failure(offset: offset, message: "\"\(name)\" is given twice; give it once")
        }
        return name
    }
}
