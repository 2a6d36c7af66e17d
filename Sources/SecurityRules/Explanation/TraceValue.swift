import DataTree

/// What a part of a rule had as its value, in a form that can be kept and shown: long texts are cut, objects are not
/// listed, and what the caller's token holds is left out.
package enum TraceValue: Equatable, Sendable {
    /// Laziness left it out, or the rule failed before.
    case skipped
    case null
    case bool(Bool)
    case number(Double)
    case text(String, isWhole: Bool)
    case object
    /// A place, before or after the write.
    case place(Path, isNew: Bool)
    /// Part of the token, or made of it.
    case hidden
    case failed(RuleFailure.Reason)

    /// How many characters of a text are shown.
    static let longestText = 256

    init(_ value: RuleValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let value): self = .number(value)
        case .object, .opaque: self = .object
        case .text(let text):
            // Not more is decoded than may be shown.
            let shown = text.withUTF8 { String(decoding: $0.prefix(Self.longestText * 4), as: UTF8.self) }
            let scalars = shown.unicodeScalars.prefix(Self.longestText)
            self = .text(
                String(String.UnicodeScalarView(scalars)),
                isWhole: scalars.count == shown.unicodeScalars.count && shown.utf8.count == text.utf8Count)
        }
    }
}

extension TraceValue: CustomStringConvertible {
    package var description: String {
        switch self {
        case .skipped: "(skipped)"
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let value): printedNumber(value)
        case .text(let text, let isWhole): "'\(text)'" + (isWhole ? "" : "…")
        case .object: "(an object)"
        case .place(let path, let isNew): isNew ? "(/\(path) after the write)" : "(/\(path))"
        case .hidden: "(hidden)"
        case .failed(let reason): "(error: \(reason))"
        }
    }
}
