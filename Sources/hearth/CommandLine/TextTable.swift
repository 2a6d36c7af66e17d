/// Rows for people, in columns as wide as they need to be.
struct TextTable {
    struct Column {
        let title: String
        /// Numbers stand at the right.
        var isNumber = false
    }

    let columns: [Column]
    var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// Lines no wider than the terminal; what is too long in the last column is cut there.
    func text(_ style: TextStyle) -> String {
        let titles = columns.map(\.title)
        let shownRows = rows.map { $0.map { shown($0) } }
        let widths = columns.indices.map { index in
            ([titles] + shownRows).map { $0[index].count }.max() ?? 0
        }
        var text = style.tinted(line(titles, widths, style), .strong) + "\n"
        for row in shownRows { text += line(row, widths, style) + "\n" }
        return text
    }

    private func line(_ cells: [String], _ widths: [Int], _ style: TextStyle) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            let padding = String(repeating: " ", count: widths[index] - cell.count)
            let isLast = index == cells.count - 1
            if index > 0 { line += "  " }
            if columns[index].isNumber {
                line += padding + cell
            } else if isLast {
                let room = max(8, style.width - line.count)
                let isCut = style.isRich && cell.count > room
                line += isCut ? cell.prefix(room - style.ellipsis.count) + style.ellipsis : cell
            } else {
                line += cell + padding
            }
        }
        return line
    }
}
