import DataTree

/// A rules file, checked and ready to decide: immutable, so any thread may ask it.
///
/// ```swift
/// let rules = try CompiledRules(Array(text.utf8))
/// let decision = rules.read("rooms/r1", by: identity, now: now, in: tree)
/// if !decision.isAllowed { … }
/// ```
package final class CompiledRules: Sendable {
    /// The file as it came.
    package let source: SourceText
    package let limits: RulesLimits
    let nodes: [RuleNode]
    let rules: [Rule]
    let program: Program

    /// A rule and where it stands.
    struct Rule: Sendable {
        var kind: RuleKind
        /// The place in the rules, in `nodes`.
        var node: Int32
        /// The operation that is the whole rule.
        var operation: Int32
        /// All of its operations; the whole rule is the last of them.
        var operations: Range<Int32>
        /// The expression, and where it stands in the file.
        var text: DecodedString
    }

    /// Reads, checks and compiles a rules file. Any bytes may be given; what is no rules file is refused with all that
    /// is wrong with it.
    package convenience init(
        _ bytes: [UInt8], limits: RulesLimits = RulesLimits()
    ) throws(RulesRefusal) {
        var problems: [RulesProblem] = []
        let document = try RulesDocument(bytes, limits: limits, problems: &problems)
        var compiler = RulesCompiler(source: document.source, limits: limits)
        compiler.compile(document.tree)
        problems += compiler.problems
        guard problems.isEmpty else { throw RulesRefusal(problems) }
        self.init(document.source, limits: limits, compiler)
    }

    private init(_ source: SourceText, limits: RulesLimits, _ compiler: RulesCompiler) {
        self.source = source
        self.limits = limits
        nodes = compiler.nodes
        rules = compiler.rules
        program = compiler.program
    }

    /// Rules that deny everything to ordinary clients: `{"rules": {}}`.
    package static let locked = CompiledRules(constant: false)

    /// Rules that allow everything to everybody.
    package static let open = CompiledRules(constant: true)

    private convenience init(constant: Bool) {
        let text = constant ? #"{"rules": {".read": true, ".write": true}}"# : #"{"rules": {}}"#
        let source = SourceText(Array(text.utf8))
        var tree = RuleTree()
        if constant {
            tree.rules = [.read, .write].map { RuleTree.Rule(kind: $0, value: .literal(true), offset: 0) }
        }
        var compiler = RulesCompiler(source: source, limits: RulesLimits())
        compiler.compile(tree)
        self.init(source, limits: RulesLimits(), compiler)
    }
}
