import Glibc

/// How text for people looks: coloured and drawn in a terminal, plain ASCII signs in a file or a pipe.
struct TextStyle: Equatable, Sendable {
    /// Whether a person looks at it in a terminal.
    var isRich: Bool
    /// Whether the terminal may be sent colours.
    var hasColour: Bool
    /// How many columns a line has.
    var width: Int

    static let plain = TextStyle(isRich: false, hasColour: false, width: 120)

    /// Follows the terminal at a descriptor, if there is one, and `NO_COLOR` (no-color.org).
    static func of(descriptor: Int32) -> TextStyle {
        let terminal = getenv("TERM").map { String(cString: $0) } ?? "dumb"
        guard isatty(descriptor) == 1, terminal != "dumb" else { return plain }
        let isColourless = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return TextStyle(isRich: true, hasColour: !isColourless, width: isKnown ? max(40, Int(size.ws_col)) : 80)
    }

    enum Tone: String {
        case good = "32"
        case bad = "31"
        case warning = "33"
        case strong = "1"
        case faint = "2"
    }

    func tinted(_ text: String, _ tone: Tone) -> String {
        hasColour && !text.isEmpty ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
    }

    var passMark: String { isRich ? tinted("✔", .good) : "pass" }
    var failMark: String { isRich ? tinted("✘", .bad) : "FAIL" }
    /// Between a line number and the line.
    var gutter: String { tinted(isRich ? "│" : "|", .faint) }
    var ellipsis: String { isRich ? "…" : "..." }

    /// The sign under text of so many columns.
    func underline(_ width: Int) -> String { "^" + String(repeating: "~", count: max(0, width - 1)) }
}

/// Text of others as it may be shown: on one line, without what a terminal would obey.
func shown(_ text: some StringProtocol) -> String {
    var result = ""
    var spaceIsDue = false
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control where scalar == "\n" || scalar == "\r" || scalar == "\t", .lineSeparator, .paragraphSeparator:
            spaceIsDue = true
            continue
        // Joiners hold pictures and scripts together; other marks of this kind turn text around.
        case .format where scalar == "\u{200C}" || scalar == "\u{200D}": result.unicodeScalars.append(scalar)
        case .control, .format, .surrogate: result += "\u{FFFD}"
        default:
            if spaceIsDue, scalar == " " { continue }
            if spaceIsDue { result += " " }
            result.unicodeScalars.append(scalar)
        }
        spaceIsDue = false
    }
    return result
}
