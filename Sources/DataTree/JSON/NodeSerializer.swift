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

    /// How deep the writing recurses before it goes on from its own stack.
    private static let recursionLimit = 48
    /// The size of the buffer, on the stack, that is emptied into the output.
    private static let bufferBytes = 2048

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
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.bufferBytes) { buffer in
            var slice = Slice(sink: JSONSink(buffer: buffer), end: isBeyondAll ? .max : end)
            // Moved in and out: a second reference would make the array copy itself.
            swap(&slice.sink.output, &output)
            while slice.sink.count < slice.end, let level = stack.popLast() {
                _ = slice.write(level)
                // They were noted on the way out, innermost first.
                while let left = slice.left.popLast() { stack.append(left) }
            }
            slice.sink.flush()
            swap(&slice.sink.output, &output)
        }
        return !stack.isEmpty
    }

    /// The writing of one slice; each function answers whether it came to its end, and notes in `left` what remains.
    private struct Slice {
        var sink: JSONSink
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
            switch node.content {
            case .object: writeObject(node, depth: depth)
            case .prioritized(let box):
                if case .object = box.content {
                    writeObject(node, depth: depth)
                } else {
                    writePrioritized(box.content, box.priority)
                }
            default: writeScalar(node.content)
            }
        }

        private mutating func writeObject(_ node: Node, depth: Int) -> Bool {
            guard depth < NodeSerializer.recursionLimit else {
                left.append(.node(node))
                return false
            }
            sink.byte(0x7B)
            let priority = node.priority
            guard priority != .none else { return writeChildren(node, after: nil, isFirst: true, depth: depth) }
            sink.raw(#"".priority":"#)
            sink.priority(priority)
            return writeChildren(node, after: nil, isFirst: false, depth: depth)
        }

        private mutating func writePrioritized(_ content: Node.Content, _ priority: Priority) -> Bool {
            sink.raw(#"{".value":"#)
            guard writeScalar(content) else {
                left.append(.priority(priority))
                return false
            }
            return writePriorityEnd(priority)
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
                guard sink.count < end else {
                    left.append(.children(node, after: previous, isFirst: isFirst))
                    isComplete = false
                    return false
                }
                if !isFirst { sink.byte(0x2C) }
                isFirst = false
                sink.member(key)
                previous = key
                guard write(child, depth: depth + 1) else {
                    left.append(.children(node, after: key, isFirst: false))
                    isComplete = false
                    return false
                }
                return true
            }
            if isComplete { sink.byte(0x7D) }
            return isComplete
        }

        /// Writes anything but an object.
        private mutating func writeScalar(_ content: Node.Content) -> Bool {
            switch content {
            case .bool(let value): sink.raw(value ? "true" : "false")
            case .integer(let value): sink.integer(value)
            case .double(let value): sink.double(value)
            case .shortText(let text): text.withBytes { sink.quoted($0) }
            case .longText(let bytes):
                guard bytes.count > JSONSink.wholeTextBytes else {
                    bytes.withUnsafeBytes { sink.quoted($0) }
                    return true
                }
                sink.byte(0x22)
                return writeText(Text(storage: .long(bytes)), from: 0)
            case .deferred(let value): sink.serverValue(value)
            case .empty, .object, .prioritized: sink.raw("null")
            }
            return true
        }

        private mutating func writeText(_ text: Text, from start: Int) -> Bool {
            guard let stop = sink.text(text, from: start, until: end) else { return true }
            left.append(.text(text, offset: stop))
            return false
        }

        private mutating func writePriorityEnd(_ priority: Priority) -> Bool {
            sink.raw(#",".priority":"#)
            sink.priority(priority)
            sink.byte(0x7D)
            return true
        }
    }
}
