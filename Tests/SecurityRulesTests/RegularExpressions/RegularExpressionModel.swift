import TestSupport

/// A regular expression made at random, as text and as what it means: a second implementation to hold the first against,
/// as naive as can be. It knows sets of places only, nothing of RE2 or of the parser.
indirect enum RegularExpressionModel: Sendable {
    case unit(String, matches: @Sendable (UInt16) -> Bool)
    /// A character of two units.
    case pair(String)
    case sequence([RegularExpressionModel])
    case choice([RegularExpressionModel])
    case repetition(RegularExpressionModel, String, ClosedRange<Int>)

    /// The pattern's text.
    var text: String {
        switch self {
        case .unit(let text, _), .pair(let text): text
        case .sequence(let parts): parts.map(\.text).joined()
        case .choice(let alternatives): "(" + alternatives.map(\.text).joined(separator: "|") + ")"
        case .repetition(let part, let sign, _):
            switch part {
            case .unit, .pair, .choice: part.text + sign
            case .sequence, .repetition: "(" + part.text + ")" + sign
            }
        }
    }

    /// Where matches end that begin at one of `starts`.
    func ends(in units: [UInt16], from starts: Set<Int>) -> Set<Int> {
        switch self {
        case .unit(_, let matches):
            return Set(starts.filter { $0 < units.count && matches(units[$0]) }.map { $0 + 1 })
        case .pair(let text):
            let pair = Array(text.utf16)
            return Set(starts.filter { units[$0...].starts(with: pair) }.map { $0 + pair.count })
        case .sequence(let parts):
            return parts.reduce(starts) { $1.ends(in: units, from: $0) }
        case .choice(let alternatives):
            return alternatives.reduce(into: []) { $0.formUnion($1.ends(in: units, from: starts)) }
        case .repetition(let part, _, let counts):
            var current = starts
            var reached: Set<Int> = counts.lowerBound == 0 ? starts : []
            // After as many rounds as there are places nothing new is reached.
            for round in 1...max(1, min(counts.upperBound, counts.lowerBound + units.count + 1)) {
                guard round <= counts.upperBound else { break }
                current = part.ends(in: units, from: current)
                if round >= counts.lowerBound { reached.formUnion(current) }
            }
            return reached
        }
    }

    // MARK: Making one

    static func random(_ random: inout SeededRandom, depth: Int) -> RegularExpressionModel {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 4), using: &random) {
        case 0...3: return atom(&random)
        case 4...6:
            return .sequence(
                (0..<Int.random(in: 1...4, using: &random)).map { _ in Self.random(&random, depth: depth - 1) })
        case 7:
            return .choice(
                (0..<Int.random(in: 1...3, using: &random)).map { _ in Self.random(&random, depth: depth - 1) })
        default:
            let (sign, counts) = repeats[Int.random(in: 0..<repeats.count, using: &random)]
            return .repetition(Self.random(&random, depth: depth - 1), sign, counts)
        }
    }

    private static let repeats: [(String, ClosedRange<Int>)] = [
        ("*", 0...Int.max), ("+", 1...Int.max), ("?", 0...1), ("{2}", 2...2), ("{0}", 0...0), ("{1,3}", 1...3),
        ("{2,}", 2...Int.max), ("*?", 0...Int.max), ("??", 0...1),
    ]

    private static func atom(_ random: inout SeededRandom) -> RegularExpressionModel {
        atoms[Int.random(in: 0..<atoms.count, using: &random)]
    }

    private static let atoms: [RegularExpressionModel] = [
        unit("a"), unit("b"), unit("A"), unit("é"), unit(#"\."#, "."), unit(#"\n"#, "n"), unit("}"), unit("]"),
        .unit(".") { _ in true },
        .unit(#"\d"#) { (0x30...0x39).contains($0) },
        .unit(#"\D"#) { !(0x30...0x39).contains($0) },
        .unit(#"\w"#, matches: isWord), .unit(#"\W"#) { !isWord($0) },
        .unit(#"[\s-]"#) { $0 == 0x20 || $0 == 0x0A || $0 == 0x2D },
        .unit("[a-c.]") { (0x61...0x63).contains($0) || $0 == 0x2E },
        .unit("[^a-c]") { !(0x61...0x63).contains($0) },
        .unit(#"[^\wé]"#) { !isWord($0) && $0 != 0xE9 },
        .pair("😀"),
        .unit("[b-\u{FFFF}]") { $0 >= 0x62 },
    ]

    private static func unit(_ text: String, _ meaning: String? = nil) -> RegularExpressionModel {
        let unit = (meaning ?? text).utf16.first
        return .unit(text) { $0 == unit }
    }

    @Sendable private static func isWord(_ unit: UInt16) -> Bool {
        (0x30...0x39).contains(unit) || (0x41...0x5A).contains(unit) || unit == 0x5F || (0x61...0x7A).contains(unit)
    }
}
