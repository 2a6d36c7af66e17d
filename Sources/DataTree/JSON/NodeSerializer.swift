/// Writes a node in export form in slices, so that a large answer is made only as fast as its socket drains.
///
/// It holds the snapshot and where it stands, nothing of the text. Slices end between UTF-8 sequences.
package struct NodeSerializer: Sendable {
    /// What is left to write of one level; `stack` holds them outermost first.
    private enum Level: Sendable {
        /// A node of which nothing is written.
        case node(Node)
        /// An object whose bracket is written: what follows the child `after`, then the closing bracket.
        case children(Node, after: Key?, isFirst: Bool)
        /// A string whose opening quote is written: what follows `offset`, then the closing quote.
        case text(Text, offset: Int)
        /// `,".priority":…}` behind a value.
        case priority(Priority)
    }

    /// Strings up to this many bytes are written in one piece.
    private static let wholeTextBytes = 4096
    /// How deep the writing recurses before it goes on from its own stack.
    private static let recursionLimit = 48

    private var stack: [Level]

    package init(_ node: Node) {
        stack = [.node(node)]
    }

    /// Whether everything is written.
    package var isFinished: Bool { stack.isEmpty }

    /// Appends about `count` bytes more to `output`: at most one key and 4,096 bytes of text, escaped, beyond it.
    /// Returns false when that was the end.
    package mutating func next(upTo count: Int, into output: inout [UInt8]) -> Bool {
        let (end, isBeyondAll) = output.count.addingReportingOverflow(max(count, 1))
        var slice = Slice(output: output, end: isBeyondAll ? .max : end)
        output = []
        while slice.output.count < slice.end, let level = stack.popLast() {
            _ = slice.write(level)
            // They were noted on the way out, innermost first.
            while let left = slice.left.popLast() { stack.append(left) }
        }
        output = slice.output
        return !stack.isEmpty
    }

    /// The writing of one slice; each function answers whether it came to its end, and notes in `left` what remains.
    private struct Slice {
        var output: [UInt8]
        let end: Int
        var left: [Level] = []

        mutating func write(_ level: Level) -> Bool {
            switch level {
            case .node(let node): write(node, depth: 0)
            case .children(let node, let key, let isFirst): writeChildren(node, after: key, isFirst: isFirst, depth: 0)
            case .text(let text, let offset): writeText(text, from: offset)
            case .priority(let priority): writePriorityEnd(priority)
            }
        }

        mutating func write(_ node: Node, depth: Int) -> Bool {
            if let leaf = node.leaf {
                guard node.priority != .none else { return write(leaf) }
                append(#"{".value":"#)
                guard write(leaf) else {
                    left.append(.priority(node.priority))
                    return false
                }
                return writePriorityEnd(node.priority)
            }
            guard !node.isEmpty else {
                append("null")
                return true
            }
            guard depth < NodeSerializer.recursionLimit else {
                left.append(.node(node))
                return false
            }
            output.append(0x7B)
            if node.priority != .none {
                append(#"".priority":"#)
                write(node.priority)
                return writeChildren(node, after: nil, isFirst: false, depth: depth)
            }
            return writeChildren(node, after: nil, isFirst: true, depth: depth)
        }

        mutating func writeChildren(_ node: Node, after start: Key?, isFirst: Bool, depth: Int) -> Bool {
            var isFirst = isFirst
            var isSkipping = start != nil
            var previous = start
            var isComplete = true
            node.forEachChild(from: start) { key, child in
                if isSkipping {
                    isSkipping = false
                    if key == start { return true }
                }
                guard output.count < end else {
                    left.append(.children(node, after: previous, isFirst: isFirst))
                    isComplete = false
                    return false
                }
                if !isFirst { output.append(0x2C) }
                isFirst = false
                JSONEscape.appendQuoted(key, to: &output)
                output.append(0x3A)
                previous = key
                guard write(child, depth: depth + 1) else {
                    left.append(.children(node, after: key, isFirst: false))
                    isComplete = false
                    return false
                }
                return true
            }
            if isComplete { output.append(0x7D) }
            return isComplete
        }

        private mutating func write(_ leaf: Leaf) -> Bool {
            switch leaf {
            case .bool(let value): append(value ? "true" : "false")
            case .integer(let value): NumberText.append(value, to: &output)
            case .double(let value): NumberText.append(value, to: &output)
            case .string(let text):
                guard text.utf8Count > NodeSerializer.wholeTextBytes else {
                    text.withUTF8 { JSONEscape.appendQuoted($0, to: &output) }
                    return true
                }
                output.append(0x22)
                return writeText(text, from: 0)
            case .deferred(let value): write(value)
            }
            return true
        }

        private mutating func writeText(_ text: Text, from start: Int) -> Bool {
            let stop = text.withUTF8 { bytes in
                var start = start
                repeat {
                    var stop = min(start + NodeSerializer.wholeTextBytes, bytes.count)
                    // Not in the middle of a UTF-8 sequence.
                    while stop < bytes.count, stop > start, bytes[stop] & 0xC0 == 0x80 { stop -= 1 }
                    JSONEscape.append(UnsafeRawBufferPointer(rebasing: bytes[start..<stop]), to: &output)
                    start = stop
                } while start < bytes.count && output.count < end
                return start
            }
            guard stop == text.utf8Count else {
                left.append(.text(text, offset: stop))
                return false
            }
            output.append(0x22)
            return true
        }

        private mutating func writePriorityEnd(_ priority: Priority) -> Bool {
            append(#",".priority":"#)
            write(priority)
            output.append(0x7D)
            return true
        }

        private mutating func write(_ priority: Priority) {
            withWriter { $0.priority(priority) }
        }

        private mutating func write(_ value: ServerValue) {
            withWriter { $0.serverValue(value) }
        }

        private mutating func append(_ text: StaticString) {
            text.withUTF8Buffer { output.append(contentsOf: $0) }
        }

        /// Lends the output to a writer, without a copy.
        private mutating func withWriter(_ body: (inout JSONWriter) -> Void) {
            var writer = JSONWriter()
            swap(&writer.bytes, &output)
            body(&writer)
            swap(&writer.bytes, &output)
        }
    }
}
