import DataTree

/// An operation on a database, who asks for it, and whether the security rules should allow it.
package struct RuleCase: Sendable {
    /// What is asked of the database. Values are as written: server values in them are not resolved.
    package enum Operation: Sendable {
        /// `Query.default` when the case has no query.
        case read(Path, query: Query)
        case set(Path, Node)
        /// The paths of the changes stand below the first one.
        case update(Path, changes: [(path: Path, value: Node)])
    }

    package enum Verdict: String, Sendable {
        case allow
        case deny
    }

    /// What the file calls the case; without a name its operation and caller.
    package let name: String
    package let operation: Operation
    package let identity: RuleIdentity
    /// How the file calls the identity; nil when it stands in the case itself, or nobody is signed in.
    package let caller: String?
    /// The tree before the operation.
    package let data: Node
    /// The time of the operation in milliseconds since 1970; nil for that of the run.
    package let now: Int64?
    package let expectation: Verdict
    /// The line of the file where the case begins.
    package let line: Int
}

extension RuleCase {
    /// The cases of a file, in its order.
    ///
    /// ```json
    /// {
    ///   "now": 1700000000000,
    ///   "identities": { "ada": { "uid": "ada", "token": { "admin": true } } },
    ///   "data": { "notes": { "ada": "tea" } },
    ///   "cases": [
    ///     { "name": "own notes", "read": "/notes/ada", "as": "ada", "expect": "allow" },
    ///     { "set": "/notes/ada", "value": "milk", "as": null, "expect": "deny" },
    ///     { "update": "/", "values": { "notes/ada": null }, "as": { "uid": "bob" }, "expect": "deny" },
    ///     { "read": "/notes", "query": { "orderByKey": true, "limitToFirst": 9 }, "expect": "deny" }
    ///   ]
    /// }
    /// ```
    ///
    /// Only `cases` is required. Each case names one operation and what to expect; without `as` nobody is signed in,
    /// and a `now` or `data` of its own stands in for the file's.
    package static func all(in file: [UInt8]) throws(RuleCaseProblem) -> [RuleCase] {
        try file.withUnsafeBufferPointer { bytes throws(RuleCaseProblem) in
            var reader = RuleCaseReader(SourceText(file), bytes: UnsafeRawBufferPointer(bytes))
            return try reader.readFile()
        }
    }
}

extension RuleCase.Operation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .read(let path, let query): "read /\(path)" + (query.isDefault ? "" : " with a query")
        case .set(let path, let value): (value.isEmpty ? "remove" : "set") + " /\(path)"
        case .update(let path, let changes): "update /\(path) with \(changes.count) changes"
        }
    }
}
