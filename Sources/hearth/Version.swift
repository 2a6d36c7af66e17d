/// The version of this program, as `CHANGELOG.md` names it.
enum Version {
    static let current = "0.1.0"
}
