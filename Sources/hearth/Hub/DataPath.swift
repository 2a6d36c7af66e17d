import DataTree

/// A place in the data, typed as `/a/b` or `a/b`.
struct DataPath: Equatable {
    let path: Path

    static let root = DataPath(path: .root)

    private init(path: Path) { self.path = path }

    /// Refuses keys that no database takes. `mayEndInPriority` is for what reads and writes a priority alone.
    init(_ text: String, mayEndInPriority: Bool = false) throws(CommandProblem) {
        path = Path(text)
        do throws(WriteError) {
            try WriteValidation().validate(path: path)
        } catch {
            throw .usage(text.hasSuffix(".json") ? "'\(shown(text))' ends in .json; leave that out" : "\(error)")
        }
        guard mayEndInPriority || path.last != .priority else {
            throw .usage("'\(shown(text))' ends in .priority; leave that out")
        }
    }

    /// With a slash in front of each key, percent-encoded; `/` for the root.
    var encoded: String {
        path.isRoot ? "/" : path.keys.map { "/" + PercentEncoding.encoded("\($0)") }.joined()
    }

    /// For people.
    var text: String { "/\(path)" }
}
