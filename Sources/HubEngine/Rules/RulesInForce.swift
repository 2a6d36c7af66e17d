import SecurityRules

/// The rules of a namespace as they are applied: what somebody wrote, or what the hub goes by until then.
package struct RulesInForce: Sendable {
    /// What holds in a namespace that nobody has given rules.
    package enum Default: Sendable, Equatable {
        /// As in `--dev`: everybody may do everything.
        case open
        /// As in production: the administrator alone.
        case locked
    }

    package let compiled: CompiledRules
    /// Whether somebody wrote them. The hub's own declare no indexes and shall not be in the way of queries.
    let areWritten: Bool
    /// Whether they allow everything, so that asking them is a waste.
    let isOpen: Bool

    package init(_ compiled: CompiledRules) {
        self.compiled = compiled
        areWritten = true
        isOpen = false
    }

    init(_ standard: Default) {
        compiled = standard == .open ? .open : .locked
        areWritten = false
        isOpen = standard == .open
    }
}

extension RulesInForce {
    /// What they are called in logs: the version, or what holds without one.
    func name(of history: RulesHistory) -> String {
        if let current = history.current { return "version \(current.number)" }
        return areWritten ? "configured" : isOpen ? "open" : "locked"
    }
}

/// A rules file that goes with the hub's configuration: in force in every namespace from its start on.
package struct ConfiguredRules: Sendable {
    package let text: String
    package let compiled: CompiledRules
    /// What the history names as their author: the option and the file.
    package let author: String

    /// - Parameters:
    ///   - bytes: the file as it is.
    ///   - author: who gave the rules, for their history.
    /// - Throws: everything that is wrong with the text.
    package init(_ bytes: [UInt8], author: String) throws(RulesRefusal) {
        compiled = try CompiledRules(bytes)
        text = String(decoding: bytes, as: UTF8.self)
        self.author = author
    }
}
