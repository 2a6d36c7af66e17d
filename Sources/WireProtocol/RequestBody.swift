import DataTree

/// Collects the members of a request's body, in whatever order they come, and makes the action of them.
///
/// What is wrong is noted and reading goes on, since the rest of the message must still be stepped over; the first thing that was
/// wrong is what the client is told.
struct RequestBody {
    private let name: ActionName
    private let limits: RequestLimits

    private var path: Path?
    private var value: Node?
    private var valueDepth = 0
    private var changes: [(Path, Node)]?
    /// The deepest place the changes reach below the path.
    private var changesDepth = 0
    private var hash: String?
    private var query = Query.default
    private var queryText: [UInt8]?
    private var tag: Int?
    private var compoundHash: CompoundHash?
    private var writeID: String?
    private var token: String?
    private var authVariable: Node?
    private var noAuth = false
    private var refusal: (status: Status, reason: String)?

    init(action name: ActionName, limits: RequestLimits) {
        self.name = name
        self.limits = limits
    }

    // MARK: Reading

    /// Reads the body that comes next, or notes that there is none. `text` is what the cursor reads.
    mutating func read(_ cursor: inout JSONCursor, _ text: UnsafeRawBufferPointer) throws {
        guard let kind = cursor.peek() else { return }
        guard kind == .object else {
            _ = try cursor.skipValue()
            return
        }
        switch name {
        case .stats, .unauthenticate, .appCheck, .unAppCheck, .unknown:
            _ = try cursor.skipValue()
            return
        default: break
        }
        try cursor.enterObject()
        while let member = try cursor.nextName() {
            switch member {
            case "p": try readPath(&cursor)
            case "d": try readData(&cursor)
            case "h": hash = try readText("h", &cursor)
            case "q": try readQuery(&cursor, text)
            case "t": try readTag(&cursor)
            case "w": try readWriteID(&cursor)
            case "ch": try readCompoundHash(&cursor)
            case "cred": token = try readText("cred", &cursor)
            case "authvar": try readAuthVariable(&cursor, text)
            case "noauth":
                switch cursor.peek() {
                case .true, .false: noAuth = try cursor.readBool()
                // Left out, a mistake here would give an administrator's rights to whom they were to be taken from.
                default: try skipWrong("noauth", "true or false", &cursor)
                }
            default: _ = try cursor.skipValue()
            }
        }
    }

    private mutating func refuse(_ status: Status, _ reason: String) {
        if refusal == nil { refusal = (status, reason) }
    }

    /// Steps over a member of the wrong kind; null is as good as absent.
    private mutating func skipWrong(_ member: String, _ expected: String, _ cursor: inout JSONCursor) throws {
        if cursor.peek() != .null { refuse(.invalidData, "The member '\(member)' of the body must be \(expected)") }
        _ = try cursor.skipValue()
    }

    private mutating func readPath(_ cursor: inout JSONCursor) throws {
        guard cursor.peek() == .string else { return try skipWrong("p", "a path such as \"a/b\"", &cursor) }
        let use = name.pathUse
        let limits = self.limits.write
        switch try cursor.readText({ PathCheck.path(utf8: $0, use: use, limits: limits) }) {
        case .success(let path): self.path = path
        case .failure(let error): refuse(.invalidData, error.description)
        }
    }

    private mutating func readData(_ cursor: inout JSONCursor) throws {
        switch name {
        case .put, .onDisconnectPut, .echo:
            value = try readNode(&cursor)
            valueDepth = cursor.lastNodeDepth
        case .merge, .onDisconnectMerge: try readChanges(&cursor)
        default: _ = try cursor.skipValue()
        }
    }

    /// A node, or nil after a refusal.
    private mutating func readNode(_ cursor: inout JSONCursor) throws -> Node? {
        do {
            return try cursor.readNode()
        } catch {
            // The cursor has stepped over a value that is JSON but cannot be stored.
            guard !error.isSyntax else { throw error }
            refuse(.invalidData, error.description)
            return nil
        }
    }

    private mutating func readChanges(_ cursor: inout JSONCursor) throws {
        guard cursor.peek() == .object else {
            refuse(.invalidData, "The member 'd' of an update must be an object of paths and values")
            _ = try cursor.skipValue()
            return
        }
        var changes: [(Path, Node)] = []
        let use = PathCheck.Use.write(mayEndInPriority: true)
        let limits = self.limits.write
        try cursor.enterObject()
        while let member = try cursor.nextName() {
            var text = try cursor.text(of: member)
            let place = text.withUTF8 { PathCheck.path(utf8: UnsafeRawBufferPointer($0), use: use, limits: limits) }
            let node = try readNode(&cursor)
            switch place {
            case .failure(let error): refuse(.invalidData, error.description)
            case .success(let place) where place.isRoot:
                refuse(.invalidData, "A path in an update is empty; name at least one key")
            case .success(let place):
                guard let node else { continue }
                if place.last == .priority { checkPriority(node, at: place) }
                let keys = place.last == .priority ? place.count - 1 : place.count
                changesDepth = max(changesDepth, keys + cursor.lastNodeDepth)
                changes.append((place, node))
            }
        }
        do throws(WriteError) {
            try WriteValidation(limits: limits).validateDistinct(changes.map(\.0))
        } catch {
            refuse(.invalidData, error.description)
        }
        self.changes = changes
    }

    private mutating func readText(_ member: String, _ cursor: inout JSONCursor) throws -> String? {
        guard cursor.peek() == .string else {
            try skipWrong(member, "a text", &cursor)
            return nil
        }
        return try cursor.readString()
    }

    private mutating func readTag(_ cursor: inout JSONCursor) throws {
        guard cursor.peek() == .number else { return try skipWrong("t", "an integer above 0", &cursor) }
        guard case .integer(let value) = try cursor.readNumber(), value > 0 else {
            return refuse(.invalidData, "The member 't' of the body must be an integer above 0")
        }
        tag = Int(value)
    }

    private mutating func readQuery(_ cursor: inout JSONCursor, _ text: UnsafeRawBufferPointer) throws {
        let kind = cursor.peek()
        let range = try cursor.skipValue()
        if kind == .null { return }
        let bytes = UnsafeRawBufferPointer(rebasing: text[range])
        var inner = JSONCursor(bytes, limits: limits.json)
        do {
            query = try Query(cursor: &inner)
            queryText = Array(bytes)
        } catch {
            refuse(.invalidQuery, error.description)
        }
    }

    private mutating func readWriteID(_ cursor: inout JSONCursor) throws {
        guard cursor.peek() == .string else { return try skipWrong("w", "a text", &cursor) }
        let text = try cursor.readString()
        guard (1...limits.writeIDBytes).contains(text.utf8.count) else {
            return refuse(
                .invalidData, "The write id 'w' must have 1 to \(limits.writeIDBytes) bytes; leave it out otherwise")
        }
        writeID = text
    }

    private mutating func readAuthVariable(_ cursor: inout JSONCursor, _ text: UnsafeRawBufferPointer) throws {
        guard cursor.peek() == .object else { return try skipWrong("authvar", "an object", &cursor) }
        let range = try cursor.skipValue()
        // Claims may have names that no key of the tree can have.
        var lenient = limits.json
        lenient.form = .received
        var inner = JSONCursor(UnsafeRawBufferPointer(rebasing: text[range]), limits: lenient)
        authVariable = try readNode(&inner)
    }

    /// `{"hs":[…],"ps":[…]}`. A list that makes no sense is left out: the client then gets the whole node.
    private mutating func readCompoundHash(_ cursor: inout JSONCursor) throws {
        guard cursor.peek() == .object else {
            _ = try cursor.skipValue()
            return
        }
        var hashes: [String] = []
        var paths: [Path] = []
        try cursor.enterObject()
        while let member = try cursor.nextName() {
            guard member == "hs" || member == "ps", cursor.peek() == .array else {
                _ = try cursor.skipValue()
                continue
            }
            try cursor.enterArray()
            while try cursor.nextElement() {
                if cursor.peek() != .string {
                    _ = try cursor.skipValue()
                } else if member == "hs" {
                    hashes.append(try cursor.readString())
                } else {
                    paths.append(try cursor.readPath())
                }
            }
        }
        if hashes.count == paths.count + 1 { compoundHash = CompoundHash(hashes: hashes, paths: paths) }
    }

    // MARK: Making the action

    /// The action, once everything was read.
    mutating func decoded() -> Action {
        check()
        if let refusal { return .invalid(status: refusal.status, reason: refusal.reason) }
        switch name {
        case .stats: return .stats
        case .authenticate: return .authenticate(credential(.auth))
        case .authenticateAdministrator: return .authenticate(credential(.gauth))
        case .unauthenticate: return .unauthenticate
        case .appCheck: return .appCheck
        case .unAppCheck: return .unAppCheck
        case .echo: return .echo(value ?? .empty)
        case .listen: return .listen(listen())
        case .unlisten: return .unlisten(path: path ?? .root, query: query.filters ? query : .default, tag: tag)
        case .get: return .get(path: path ?? .root, query: query)
        case .put: return .put(path: path ?? .root, value: value ?? .empty, hash: hash, writeID: writeID)
        case .merge: return .merge(path: path ?? .root, changes: changes ?? [], hash: hash, writeID: writeID)
        case .onDisconnectPut: return .onDisconnectPut(path: path ?? .root, value: value ?? .empty)
        case .onDisconnectMerge: return .onDisconnectMerge(path: path ?? .root, changes: changes ?? [])
        case .onDisconnectCancel: return .onDisconnectCancel(path: path ?? .root)
        case .unknown(let name): return .unknown(name)
        }
    }

    /// Refuses what only shows when all members are known.
    private mutating func check() {
        switch name {
        case .stats, .unauthenticate, .appCheck, .unAppCheck, .echo, .unknown: return
        case .authenticate, .authenticateAdministrator:
            if token == nil { refuse(.invalidToken, "The body has no 'cred'; send the token as text") }
            return
        default: break
        }
        guard let path else { return refuse(.invalidData, "The body has no path 'p'; send one such as \"a/b\"") }
        switch name {
        case .listen where query.filters && tag == nil:
            refuse(.invalidQuery, "A listen with a range or a limit has no tag 't'; send an integer above 0")
        case .put, .onDisconnectPut:
            guard let value else {
                return refuse(.invalidData, "The body has no 'd'; send the value, or null to delete")
            }
            if path.last == .priority {
                checkPriority(value, at: path)
            } else {
                checkDepth(valueDepth, at: path)
            }
        case .merge, .onDisconnectMerge:
            guard changes != nil else {
                return refuse(.invalidData, "The body has no 'd'; send an object of paths and values")
            }
            checkDepth(changesDepth, at: path)
        default: break
        }
    }

    private mutating func checkDepth(_ depth: Int, at path: Path) {
        do throws(WriteError) {
            try WriteValidation(limits: limits.write).validate(depth: depth, at: path)
        } catch {
            refuse(.invalidData, error.description)
        }
    }

    private mutating func checkPriority(_ node: Node, at path: Path) {
        if Priority(node) == nil { refuse(.invalidData, WriteError.notAPriority(path).description) }
    }

    private func credential(_ kind: Credential.Kind) -> Credential {
        Credential(kind: kind, token: token ?? "", authVariable: authVariable, noAuth: noAuth)
    }

    private func listen() -> Listen {
        guard query.filters else {
            return Listen(path: path ?? .root, hash: hash ?? "", compoundHash: compoundHash)
        }
        return Listen(
            path: path ?? .root, query: query, tag: tag, hash: hash ?? "", compoundHash: compoundHash,
            queryText: queryText)
    }
}
