import DataTree

@testable import SecurityRules

/// One expression at the root of a database, and what becomes of it.
struct Judge {
    var data = Node.empty
    var newData = Node.empty
    var identity = RuleIdentity.signedOut
    var query = RuleQuery.none
    var now: Int64 = 1_700_000_000_000
    var limits = RulesLimits()

    init(data: String = "null", newData: String = "null", auth: String = "null") throws {
        self.data = try Node(json: data)
        self.newData = try Node(json: newData)
        identity = try RuleIdentity(json: auth)
    }

    /// `true`, `false`, or why it fails.
    func callAsFunction(_ expression: String) throws -> String {
        let rules = try CompiledRules(Rules.text([".write": expression]), limits: limits)
        var evaluator = Evaluator(
            rules, by: identity, now: now, query: query, old: data, new: newData, observer: NoObserver())
        switch evaluator.outcome(of: 0, at: 0) {
        case .granted: return "true"
        case .refused: return "false"
        case .failed(let failure): return "\(failure.reason)"
        }
    }
}

/// Rules files as tests write them.
enum Rules {
    /// A file with some rules at the root.
    static func text(_ rules: KeyValuePairs<String, String>) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw("{\"rules\": {")
        for (place, (key, expression)) in rules.enumerated() {
            if place > 0 { writer.raw(", ") }
            writer.string(key)
            writer.raw(": ")
            writer.string(expression)
        }
        writer.raw("}}")
        return writer.bytes
    }

    /// Compiles the value of the `rules` key.
    static func compiled(_ rules: String, limits: RulesLimits = RulesLimits()) throws -> CompiledRules {
        try CompiledRules(Array("{\"rules\": \(rules)}".utf8), limits: limits)
    }

    /// What a file is refused with, as it would be answered.
    static func refusal(_ text: String) -> String {
        do throws(RulesRefusal) {
            _ = try CompiledRules(Array(text.utf8))
            return ""
        } catch {
            return error.description
        }
    }
}
