/// Values that a conversation has named, and the comparison of what came with what was expected.
package struct ConversationVariables: Sendable {
    private var values: [String: ConversationJSON] = [:]
    /// The hub's clock, for `$time`.
    package var milliseconds: Int64 = 0
    /// How far `$time` may be from the clock.
    package static let clockTolerance: Int64 = 5_000

    package init() {}

    package subscript(name: String) -> ConversationJSON? {
        get { values[name] }
        set { values[name] = newValue }
    }

    // MARK: Sending

    /// `value` with its placeholders filled in.
    package func filled(_ value: ConversationJSON) -> ConversationJSON {
        switch value {
        case .text(let text): filled(text)
        case .array(let elements): .array(elements.map(filled))
        case .object(let members): .object(members.map { ($0.name, filled($0.value)) })
        default: value
        }
    }

    private func filled(_ text: String) -> ConversationJSON {
        if text.hasPrefix("$$") { return .text(String(text.dropFirst())) }
        if text.hasPrefix("$"), let value = values[String(text.dropFirst())] { return value }
        return .text(textual(text))
    }

    /// `text` with each `${name}` replaced by the text or number of that name.
    package func textual(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstRange(of: "${"), let close = rest[open.upperBound...].firstIndex(of: "}") {
            result += rest[..<open.lowerBound]
            let name = String(rest[open.upperBound..<close])
            switch values[name] {
            case .text(let value)?: result += value
            case let value?: result += value.json
            case nil: result += rest[open.lowerBound...close]
            }
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    // MARK: Comparing

    /// Whether `actual` is what `pattern` describes; binds the names in it. Nil when it is, else where and how they differ.
    package mutating func mismatch(
        _ actual: ConversationJSON, _ pattern: ConversationJSON, at place: String = "message"
    ) -> String? {
        switch (pattern, actual) {
        case (.text(let text), _) where text.hasPrefix("$") && !text.hasPrefix("$$") && !text.hasPrefix("${"):
            return mismatch(actual, placeholder: text.dropFirst(), at: place)
        case (.text(let text), .text(let other)):
            let expected = text.hasPrefix("$$") ? String(text.dropFirst()) : textual(text)
            return ConversationJSON.isSame(expected, other) ? nil : differ(place, pattern, actual)
        case (.null, .null): return nil
        case (.bool(let left), .bool(let right)) where left == right: return nil
        case (.number(let left), .number(let right)) where left == right: return nil
        case (.array(let expected), .array(let elements)):
            if expected.count != elements.count { return differ(place, pattern, actual) }
            for (index, (pattern, element)) in zip(expected, elements).enumerated() {
                if let reason = mismatch(element, pattern, at: "\(place)[\(index)]") { return reason }
            }
            return nil
        case (.object(let expected), .object(let members)):
            for member in expected {
                guard let value = actual[member.name] else { return "\(place).\(member.name) is missing" }
                if let reason = mismatch(value, member.value, at: "\(place).\(member.name)") { return reason }
            }
            for member in members where pattern[member.name] == nil {
                return "\(place).\(member.name) is not expected: \(ConversationVariables.short(member.value))"
            }
            return nil
        default: return differ(place, pattern, actual)
        }
    }

    private mutating func mismatch(_ actual: ConversationJSON, placeholder: Substring, at place: String) -> String? {
        let parts = placeholder.split(separator: ":", maxSplits: 1)
        let kind = parts.first.map(String.init) ?? ""
        let isRight: Bool
        switch (kind, actual) {
        case ("any", _): isRight = true
        case ("text", .text(let text)): isRight = !text.isEmpty
        case ("integer", .number(let number)): isRight = Int(exactly: number) != nil
        case ("time", .number(let number)):
            isRight = Int64(exactly: number).map { abs($0 - milliseconds) <= Self.clockTolerance } ?? false
        case ("text", _), ("integer", _), ("time", _): isRight = false
        case ("not", _), ("after", _):
            guard parts.count == 2, let other = values[String(parts[1])] else {
                return "\(place): '$\(placeholder)' names nothing"
            }
            if kind == "not" {
                return mismatchOfValue(actual, other, at: place) == nil
                    ? differ(place, .text("$\(placeholder)"), actual) : nil
            }
            guard case .number(let number) = actual, case .number(let earlier) = other, number > earlier else {
                return differ(place, .text("$\(placeholder)"), actual)
            }
            return nil
        default:
            guard let value = values[kind] else { return "\(place): nothing is named '$\(kind)'" }
            return mismatchOfValue(actual, value, at: place)
        }
        guard isRight else { return differ(place, .text("$\(placeholder)"), actual) }
        if parts.count == 2 { values[String(parts[1])] = actual }
        return nil
    }

    /// Compares with a named value, in which nothing is a placeholder any more.
    private mutating func mismatchOfValue(_ actual: ConversationJSON, _ value: ConversationJSON, at place: String)
        -> String?
    {
        if case .text(let expected) = value {
            if case .text(let text) = actual, ConversationJSON.isSame(expected, text) { return nil }
            return differ(place, value, actual)
        }
        return mismatch(actual, value, at: place)
    }

    private func differ(_ place: String, _ pattern: ConversationJSON, _ actual: ConversationJSON) -> String {
        "\(place): expected \(Self.short(pattern)), got \(Self.short(actual))"
    }

    /// A value for people, cut.
    static func short(_ value: ConversationJSON) -> String {
        let text = value.json
        return text.utf8.count <= 300 ? text : "\(text.prefix(300))… (\(text.utf8.count) bytes)"
    }
}
