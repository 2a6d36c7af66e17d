import SecurityRules

/// Rules as they were evaluated, in lines for people.
enum TraceText {
    /// The line of the file that decided, with a sign under the part of it, and the values of what the part is made of.
    static func decisiveLines(
        _ entry: RuleTrace, _ source: SourceText, _ style: TextStyle, indent: String
    ) -> [String] {
        guard let decisive = entry.decisive else { return [] }
        let note: String
        var reason: [String] = []
        switch entry.outcome {
        case .granted: note = "true"
        case .refused: note = "false for /\(entry.path)"
        case .failed(let failure):
            note = "error for /\(entry.path)"
            reason = ["\(indent)\(margin)\(shown(failure.description))"]
        }
        let excerpt = SourceExcerpt(
            source, at: decisive.location.position, length: decisive.location.text.utf16.count)
        var lines = excerpt?.lines(style, indent: indent, note: shown(note)) ?? []
        lines += reason
        for part in tellingParts(entry.parts(of: decisive)) {
            lines.append("\(indent)\(margin)\(shown(part.location.text)) is \(shown(part.value.description))")
        }
        return lines
    }

    /// The parts that a person learns from, each once: of texts put together step by step the last.
    private static func tellingParts(_ parts: [RuleTrace.Part]) -> [RuleTrace.Part] {
        var telling: [RuleTrace.Part] = []
        for part in parts where part.value.isTelling {
            if case .text = part.value, let last = telling.last, case .text = last.value,
                last.location.position == part.location.position
            {
                telling.removeLast()
            }
            if !telling.contains(where: { $0.location.text == part.location.text }) { telling.append(part) }
        }
        return telling
    }

    /// As wide as a line number and the gutter behind it.
    private static let margin = "       "

    /// What a rule came to, what it was asked about, and where it stands.
    static func heading(_ entry: RuleTrace, _ style: TextStyle) -> String {
        let mark: String
        switch entry.outcome {
        case .granted: mark = style.isRich ? style.passMark : "true "
        case .refused: mark = style.isRich ? style.failMark : "false"
        case .failed: mark = style.isRich ? style.failMark : "error"
        }
        let kind = entry.location.kind?.key ?? ""
        let padding = String(repeating: " ", count: max(1, 10 - kind.count))
        let place = "(\(entry.location.position) \(shown(entry.location.place)))"
        return "\(mark) \(kind)\(padding)/\(shown("\(entry.path)"))  \(style.tinted(place, .faint))"
    }
}

extension TraceValue {
    /// Whether a person learns from it: places are plain from the text of the part, an error is told by itself.
    fileprivate var isTelling: Bool {
        switch self {
        case .place, .failed, .skipped: false
        case .null, .bool, .number, .text, .object, .hidden: true
        }
    }
}
