import DataTree
import SecurityRules

/// New rules for a namespace, checked and compiled: a proposal like any other, so that every write is judged either by the
/// old rules or by the new.
package struct RulesChange: Sendable {
    package let text: String
    package let compiled: CompiledRules
    package let author: String
    /// Told the accepted version once it is durable and every listener that it shuts out knows, or why there is none. Called once,
    /// on the log's thread or the engine's: it must not wait.
    package let reply: @Sendable (Result<RulesVersion, RulesChangeFailure>) -> Void

    /// - Throws: everything that is wrong with the text.
    package init(
        _ bytes: [UInt8], author: String,
        reply: @escaping @Sendable (Result<RulesVersion, RulesChangeFailure>) -> Void
    ) throws(RulesRefusal) {
        self.init(try ConfiguredRules(bytes, author: author), reply: reply)
    }

    /// The rules of a configuration, compiled already.
    package init(
        _ rules: ConfiguredRules, reply: @escaping @Sendable (Result<RulesVersion, RulesChangeFailure>) -> Void
    ) {
        text = rules.text
        compiled = rules.compiled
        author = rules.author
        self.reply = reply
    }
}

/// Why rules are not in force that were free of errors.
package enum RulesChangeFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// They cannot be stored now; the text says why and what to do.
    case unavailable(String)
    /// The version to go back to is not kept, or never was.
    case unknownVersion(UInt32, kept: [UInt32])

    package var description: String {
        switch self {
        case .unavailable(let reason): return reason
        case .unknownVersion(let number, let kept):
            guard let first = kept.first, let last = kept.last else {
                return "There is no version \(number) of these rules, nor any other. Upload rules first."
            }
            return "There is no version \(number) of these rules. Choose one from \(first) to \(last)."
        }
    }
}
