import SecurityRules

/// A line of a file with a sign under the part of it that is meant, and a note behind the sign.
///
/// ```
///   6 | ".read": "auth != null && auth.uid == $uid",
///     |           ^~~~~~~~~~~~ false
/// ```
struct SourceExcerpt {
    private let number: Int
    /// The line without the white space in front, one element for each character with the columns that it takes.
    private var characters: [(text: String, width: Int)] = []
    /// Of the characters, those that are meant.
    private var marked: Range<Int>

    /// Nil where the file has no such line. `length` counts UTF-16 units and ends with the line.
    init?(_ source: SourceText, at position: SourcePosition, length: Int = 1) {
        guard let line = source.line(position.line) else { return nil }
        number = position.line
        var units = 1
        var start: Int?
        var end = 0
        var isIndent = true
        for character in line {
            let isMarked = units >= position.column && units < position.column + length
            units += character.utf16.count
            // Of a character that is cut by the position the whole is meant.
            if isIndent, character == " " || character == "\t", !isMarked, units <= position.column { continue }
            isIndent = false
            if units > position.column, start == nil { start = characters.count }
            characters.append(Self.shown(character))
            if isMarked { end = characters.count }
        }
        let first = start ?? characters.count
        marked = first..<max(first + 1, end)
    }

    /// Two lines, indented by `indent`, that fit in the width.
    func lines(_ style: TextStyle, indent: String, note: String = "", tone: TextStyle.Tone = .bad) -> [String] {
        let head = String(repeating: " ", count: max(0, 4 - String(number).count)) + String(number)
        let room = max(24, style.width - indent.count - head.count - 3)
        // Where the line is too long, a stretch of it is shown that begins shortly before what is meant.
        var from = 0
        if width(0..<marked.upperBound) > room { from = first(from: marked.lowerBound, back: room / 3) }
        let isCutInFront = from > 0
        var text = isCutInFront ? style.ellipsis : ""
        var used = text.count
        var before = used
        var underlined = 0
        for index in from..<characters.count {
            let isLast = index == characters.count - 1
            guard used + characters[index].width + (isLast ? 0 : style.ellipsis.count) <= room else {
                text += style.ellipsis
                break
            }
            if index < marked.lowerBound { before += characters[index].width }
            if marked.contains(index) { underlined += characters[index].width }
            text += characters[index].text
            used += characters[index].width
        }
        // The note has its place on the same line, if need be for a part of the sign.
        let longest = note.isEmpty ? room - before : room - before - note.count - 1
        let sign = style.underline(max(1, min(underlined, longest))) + (note.isEmpty ? "" : " " + note)
        return [
            "\(indent)\(style.tinted(head, .faint)) \(style.gutter) \(text)",
            indent + String(repeating: " ", count: head.count) + " \(style.gutter) "
                + String(repeating: " ", count: before) + style.tinted(sign, tone),
        ]
    }

    private func width(_ range: Range<Int>) -> Int {
        characters[range.clamped(to: characters.indices)].reduce(0) { $0 + $1.width }
    }

    /// The first character that is shown when those up to `index` may take so many columns.
    private func first(from index: Int, back columns: Int) -> Int {
        var first = min(index, characters.count)
        var left = columns
        while first > 0, left >= characters[first - 1].width {
            first -= 1
            left -= characters[first].width
        }
        return first
    }

    private static func shown(_ character: Character) -> (text: String, width: Int) {
        if character == "\t" { return (" ", 1) }
        let text = hearth.shown(String(character))
        guard let scalar = text.unicodeScalars.first else { return ("\u{FFFD}", 1) }
        return (text, isWide(scalar) ? 2 : 1)
    }

    /// Whether a terminal gives a character two columns: those of East Asian scripts, and pictures.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
