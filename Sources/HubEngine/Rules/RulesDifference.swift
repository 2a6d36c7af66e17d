/// What differs between two texts of rules, line by line.
package struct RulesDifference: Sendable, Equatable {
    package enum Line: Sendable, Equatable {
        case same(String)
        case removed(String)
        case added(String)
    }

    package let lines: [Line]

    /// - Parameters:
    ///   - old: the earlier text.
    ///   - new: the later one.
    package init(from old: String, to new: String) {
        let oldLines = Self.lines(of: old)
        let newLines = Self.lines(of: new)
        guard oldLines.count * newLines.count <= Self.maxComparisons else {
            lines = oldLines.map { .removed($0.text) } + newLines.map { .added($0.text) }
            return
        }
        let difference = newLines.difference(from: oldLines)
        var removed: Set<Int> = []
        var added: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var lines: [Line] = []
        var oldIndex = 0
        var newIndex = 0
        while oldIndex < oldLines.count || newIndex < newLines.count {
            if removed.contains(oldIndex) {
                lines.append(.removed(oldLines[oldIndex].text))
                oldIndex += 1
            } else if added.contains(newIndex) {
                lines.append(.added(newLines[newIndex].text))
                newIndex += 1
            } else {
                lines.append(.same(newLines[newIndex].text))
                oldIndex += 1
                newIndex += 1
            }
        }
        self.lines = lines
    }

    /// Texts of more lines than this, multiplied, are told as replaced: comparing them would take too long.
    private static let maxComparisons = 100_000_000

    package var isEmpty: Bool { !lines.contains { if case .same = $0 { false } else { true } } }

    /// A line, equal to another when their bytes are.
    private struct TextLine: Equatable {
        let text: String

        static func == (left: TextLine, right: TextLine) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
    }

    private static func lines(of text: String) -> [TextLine] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            TextLine(text: String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self))
        }
    }
}
