import DataTree

extension Explanation {
    /// Why the operation was denied, in sentences; empty when it is allowed.
    package var reasons: [String] { denials.map(sentence) }

    /// The rules of which one had to be true and none was.
    package func entries(behind denial: Denial) -> [RuleTrace] {
        entries.filter { entry in
            guard entry.outcome != .granted else { return false }
            switch denial {
            case .notGranted(let kind, let path): return entry.location.kind == kind && path.hasPrefix(entry.path)
            case .invalid(let rule, let path): return entry.ruleIndex == rule.index && entry.path == path
            }
        }
    }

    /// The explanation for programs: the verdict, the rule that granted, the `.validate` rules that did not hold, and
    /// every rule that was asked with the values of its parts.
    package func report(in rules: CompiledRules) -> ReportValue {
        let failed = entries.filter { $0.location.kind == .validate && $0.outcome != .granted }
        return [
            "allowed": .bool(decision.isAllowed),
            "reason": reasons.first.map(ReportValue.text) ?? .null,
            "grantedBy": decision.grant.map { rules.location(of: $0).report } ?? .null,
            "failedValidate": .list(failed.map(\.location.report)),
            "trace": .list(entries.map(\.report)),
            "truncated": .bool(isTruncated),
        ]
    }
}

extension RuleLocation {
    package var report: ReportValue { .object(members) }

    fileprivate var members: [ReportValue.Member] {
        [
            .init("rulePath", .text(place)), .init("kind", kind.map { .text($0.key) } ?? .null),
            .init("line", .count(position.line)), .init("column", .count(position.column)),
            .init("source", .text(text)),
        ]
    }
}

extension RuleTrace {
    var report: ReportValue {
        var members: [ReportValue.Member] = [.init("path", .text("/\(path)"))]
        members += location.members
        members.append(
            .init("captures", .object(captures.map { ReportValue.Member($0.name, .text($0.key)) })))
        switch outcome {
        case .granted: members.append(.init("outcome", .bool(true)))
        case .refused: members.append(.init("outcome", .bool(false)))
        case .failed(let reason):
            members.append(.init("outcome", .text("error")))
            members.append(.init("error", .text(reason.description)))
        }
        let parts = parts.map { part in
            ReportValue.object(
                [
                    .init("line", .count(part.location.position.line)),
                    .init("column", .count(part.location.position.column)),
                    .init("source", .text(part.location.text)),
                ] + part.value.members)
        }
        members.append(.init("subexpressions", .list(parts)))
        return .object(members)
    }
}

extension TraceValue {
    /// What kind of value it is, and the value where there is one that JSON can hold.
    fileprivate var members: [ReportValue.Member] {
        switch self {
        case .skipped: [.init("type", .text("skipped"))]
        case .null: [.init("type", .text("null")), .init("value", .null)]
        case .bool(let value): [.init("type", .text("boolean")), .init("value", .bool(value))]
        case .number(let value) where value.isFinite:
            [.init("type", .text("number")), .init("value", .number(value))]
        case .number: [.init("type", .text("number")), .init("value", .text(description))]
        case .text(let value, let isWhole):
            [.init("type", .text("string")), .init("value", .text(value))]
                + (isWhole ? [] : [.init("truncated", .bool(true))])
        case .object: [.init("type", .text("object"))]
        case .place(let path, let isNew):
            [.init("type", .text(isNew ? "newSnapshot" : "snapshot")), .init("value", .text("/\(path)"))]
        case .hidden: [.init("type", .text("hidden"))]
        case .failed(let reason): [.init("type", .text("error")), .init("error", .text(reason.description))]
        }
    }
}
