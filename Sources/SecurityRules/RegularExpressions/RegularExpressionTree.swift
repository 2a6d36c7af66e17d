/// A parsed regular expression, down to sets of UTF-16 code units: case folding and negation are done.
indirect enum RegularExpressionTree: Hashable, Sendable {
    /// The beginning of the whole text.
    case start
    /// The end of the whole text.
    case end
    /// One code unit out of a set.
    case unit(UnitSet)
    case sequence([RegularExpressionTree])
    case choice([RegularExpressionTree])
    /// `most` is nil where there is no bound.
    case repetition(RegularExpressionTree, least: Int, most: Int?)
}

extension RegularExpressionTree {
    /// The expression in RE2 syntax. Every unit stands for itself, as a code point up to U+FFFF, so that none has a
    /// meaning of its own there; halves of surrogate pairs are code points like others.
    var re2: String {
        switch self {
        case .start: #"\A"#
        case .end: #"\z"#
        case .unit(let set): set.re2
        case .sequence(let parts): parts.map(\.re2).joined()
        case .choice(let alternatives): "(?:" + alternatives.map(\.re2).joined(separator: "|") + ")"
        case .repetition(let part, 0, nil): part.grouped + "*"
        case .repetition(let part, 1, nil): part.grouped + "+"
        case .repetition(let part, let least, nil): part.grouped + "{\(least),}"
        case .repetition(let part, let least, let most?): part.grouped + "{\(least),\(most)}"
        }
    }

    /// What a repeat sign behind it applies to as a whole.
    private var grouped: String {
        switch self {
        case .unit, .choice: re2
        case .start, .end, .sequence, .repetition: "(?:" + re2 + ")"
        }
    }
}

extension UnitSet {
    fileprivate var re2: String {
        // A set of nothing is not to be written as such; this one holds no character that there is.
        guard !isEmpty else { return #"[^\x{0}-\x{10FFFF}]"# }
        return "["
            + ranges.map { range in
                let first = Self.re2(range.lowerBound)
                return range.count == 1 ? first : first + "-" + Self.re2(range.upperBound)
            }.joined() + "]"
    }

    private static func re2(_ unit: UInt16) -> String { #"\x{"# + String(unit, radix: 16, uppercase: true) + "}" }
}
