/// A place in a rules file as people count it: both numbers begin at one, columns count UTF-16 code units as editors and
/// the official console do.
package struct SourcePosition: Hashable, Sendable {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

extension SourcePosition: Comparable, CustomStringConvertible {
    package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }

    /// `line:column`, as messages begin.
    package var description: String { "\(line):\(column)" }
}

/// The bytes of a rules file, with a way from byte offsets to lines and columns.
///
/// Only a line feed ends a line, so a carriage return before it is the last character of its line.
package struct SourceText: Sendable {
    package let bytes: [UInt8]
    private let lineStarts: [Int]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var starts = [0]
        for (offset, byte) in bytes.enumerated() where byte == 0x0A { starts.append(offset + 1) }
        lineStarts = starts
    }

    /// The line and column of the byte at `offset`; offsets behind the end count as the end.
    package func position(of offset: Int) -> SourcePosition {
        let offset = min(max(0, offset), bytes.count)
        let line = lineNumber(of: offset)
        return SourcePosition(line: line, column: bytes[lineStarts[line - 1]..<offset].utf16Count + 1)
    }

    /// The line of the byte at `offset`. Unlike a column it costs the same however long the line is.
    func lineNumber(of offset: Int) -> Int {
        var low = 0
        var high = lineStarts.count
        // The last line that starts at or before the offset.
        while high - low > 1 {
            let middle = (low + high) >> 1
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low + 1
    }

    /// The text of a line without its end; nil where there is no such line.
    package func line(_ number: Int) -> String? {
        guard number >= 1, number <= lineStarts.count else { return nil }
        let start = lineStarts[number - 1]
        var end = number < lineStarts.count ? lineStarts[number] - 1 : bytes.count
        if end > start, bytes[end - 1] == 0x0D { end -= 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}

extension Sequence<UInt8> {
    /// How many UTF-16 code units these UTF-8 bytes stand for: one for each character, two for those beyond U+FFFF.
    var utf16Count: Int {
        var count = 0
        for byte in self {
            if byte & 0xC0 != 0x80 { count += 1 }
            if byte >= 0xF0 { count += 1 }
        }
        return count
    }
}
