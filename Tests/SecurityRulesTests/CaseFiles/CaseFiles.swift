import DataTree
import SecurityRules
import TestSupport
import Testing

/// The files under `Cases`, found from the place of this source file.
enum CaseFiles {
    struct Unreadable: Error, CustomStringConvertible {
        let name: String
        var description: String { "cannot read Cases/\(name); run the tests from the sources they were built from" }
    }

    /// A set of rules as people write them, and what they should say.
    struct RuleSet: Sendable, CustomTestStringConvertible {
        let name: String
        /// The whole text of the rules file, comments and all.
        let rules: String
        let cases: [RuleCase]

        var testDescription: String { name }
    }

    static let ruleSetNames = [
        "todos", "chat", "presence", "roles", "rate-limit", "append-only-log", "orders", "usernames",
    ]

    static func ruleSet(_ name: String) throws -> RuleSet {
        RuleSet(
            name: name, rules: try text("\(name).rules.json"),
            cases: try RuleCase.all(in: Array(text("\(name).cases.json").utf8)))
    }

    static func text(_ name: String) throws -> String {
        let pieces = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        let folder = pieces.dropLast(2).joined(separator: "/")
        guard let text = TemporaryFolder.contents(of: "\(folder)/Cases/\(name)") else { throw Unreadable(name: name) }
        return text
    }
}
