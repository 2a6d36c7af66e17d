import DataTree

/// A decision and how it came about: every rule that was asked, with the values of its parts.
///
/// ```swift
/// let explanation = rules.explainRead("rooms/r1", by: identity, now: now, in: tree)
/// for line in explanation.lines() { log(line) }
/// ```
package struct Explanation: Sendable {
    package internal(set) var decision: Decision
    /// Every reason to deny; the first of them is the decision's.
    package internal(set) var denials: [Denial]
    /// The rules in the order in which they were asked.
    package let entries: [RuleTrace]
    /// Whether more rules were asked than are listed.
    package let isTruncated: Bool

    init(_ decision: Decision, _ tracer: Tracer) {
        self.decision = decision
        denials = tracer.denials
        entries = tracer.entries
        isTruncated = tracer.isTruncated
    }

    /// The explanation for people: the verdict, then for each rule its place, what the wildcards stood for, its outcome, and
    /// the values of what decided it. At most `limit` reasons and `limit` rules are listed: one update may be denied at a
    /// hundred thousand places.
    package func lines(limit: Int = 50) -> [String] {
        var lines = decision.isAllowed ? ["allowed"] : denials.prefix(limit).map { "denied: \(sentence($0))" }
        if !decision.isAllowed && denials.count > limit { lines.append("denied: … and for more reasons") }
        for entry in entries.prefix(limit) {
            let captures = entry.captures.map { "\($0.name) = '\($0.key)'" }.joined(separator: ", ")
            let subject = "\(entry.location) for /\(entry.path)" + (captures.isEmpty ? "" : " with \(captures)")
            lines.append("  \(subject): \(entry.outcome.word)")
            guard let decisive = entry.decisive else { continue }
            lines.append("    \(decisive.location.position) \(Self.cut(decisive.location.text)) is \(decisive.value)")
            for part in entry.parts(of: decisive) {
                lines.append("      \(Self.cut(part.location.text)) is \(part.value)")
            }
        }
        if isTruncated || entries.count > limit { lines.append("  … and more rules") }
        return lines
    }

    /// Why it was denied, and whether rules were there at all.
    func sentence(_ denial: Denial) -> String {
        if case .notGranted(let kind, let path) = denial,
            !entries.contains(where: { $0.location.kind == kind && path.hasPrefix($0.path) })
        {
            return "there is no \(kind.key) rule on the way to \"/\(path)\""
        }
        return denial.description
    }

    /// Expressions may be long; a line need not be.
    private static func cut(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count > 200 ? line.prefix(200) + "…" : line
    }
}

extension RuleTrace.Outcome {
    /// The outcome in one word, with the reason of a failure.
    package var word: String {
        switch self {
        case .granted: "true"
        case .refused: "false"
        case .failed(let reason): "error, \(reason)"
        }
    }
}

extension RuleTrace {
    /// What a part is made of and has a value, apart from variables whose value is plain to see.
    package func parts(of whole: Part) -> [Part] {
        parts.filter {
            $0.value != .skipped && !["auth", "data", "newData", "root"].contains($0.location.text)
                && $0.location != whole.location && $0.location.position >= whole.location.position
                && whole.location.text.utf8.count > $0.location.text.utf8.count
        }
    }
}

extension CompiledRules {
    /// Decides a read and says how. With `revealing`, what the caller's token holds is shown too.
    ///
    /// Takes many times as long as `read`; it asks the same rules with the same evaluator.
    package func explainRead(
        _ path: Path, query: RuleQuery = .none, by identity: RuleIdentity, now: Int64, in root: Node,
        revealing: Bool = false
    ) -> Explanation {
        var evaluator = Evaluator(
            self, by: identity, now: now, query: query, old: root, new: .empty,
            observer: Tracer(self, isRevealing: revealing))
        let decision = evaluator.read(path)
        return Explanation(decision, evaluator.observer)
    }

    /// Decides a write and says how. Goes on after the first reason to deny, so that all are told.
    package func explainWrite(
        _ writes: [RuleWrite], by identity: RuleIdentity, now: Int64, from old: Node, to new: Node,
        revealing: Bool = false
    ) -> Explanation {
        var evaluator = Evaluator(
            self, by: identity, now: now, query: .none, old: old, new: new,
            observer: Tracer(self, isRevealing: revealing))
        let decision = evaluator.write(writes)
        return Explanation(decision, evaluator.observer)
    }
}
