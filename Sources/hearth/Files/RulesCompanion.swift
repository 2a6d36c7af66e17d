import Glibc

/// The file of security rules that travels beside a file of data.
enum RulesCompanion {
    /// `data.rules.json` for `data.json`, `data.json.gz` and `data`.
    static func path(of path: String) -> String {
        var name = path[...]
        for suffix in [".gz", ".json"] where name.hasSuffix(suffix) && name.count > suffix.count {
            name = name.dropLast(suffix.count)
        }
        return name + ".rules.json"
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
