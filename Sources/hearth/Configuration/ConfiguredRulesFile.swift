import HubEngine
import SecurityRules

/// The file of `--rules`.
struct ConfiguredRulesFile {
    let path: String
    let bytes: [UInt8]

    /// - Throws: `ConfigurationProblem` when it cannot be read.
    init(path: String) throws(ConfigurationProblem) {
        self.path = path
        bytes = try ConfigurationFile.contents(of: path)
    }

    /// The rules as a hub goes by them.
    /// - Throws: all that is wrong with them, each with its place.
    func configured() throws(ConfiguredRulesProblem) -> ConfiguredRules {
        do {
            return try ConfiguredRules(bytes, author: "--rules \(path)")
        } catch {
            throw ConfiguredRulesProblem(path: path, problems: error.problems.reversed())
        }
    }
}

/// What is wrong in a rules file, place by place.
struct ConfiguredRulesProblem: Error, CustomStringConvertible {
    let path: String
    let problems: [RulesProblem]

    var description: String {
        "the rules in \(path) have errors and were not taken; `hearth rules check \(path)` shows them in the text\n"
            + problems.map { "\(path):\($0)" }.joined(separator: "\n")
    }
}
