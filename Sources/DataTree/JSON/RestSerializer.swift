/// How the REST interface writes a node (`protocol/rest.md`, "Output").
package struct RestForm: Sendable, Equatable {
    /// Export form: priorities as `.priority`, a leaf that has one as `.value` beside it, and objects always as objects.
    /// Otherwise priorities are left out and what looks like an array is written as one.
    package var keepsPriorities: Bool
    /// Indented for people, with a newline at the end.
    package var isPretty: Bool

    package init(keepsPriorities: Bool = false, isPretty: Bool = false) {
        self.keepsPriorities = keepsPriorities
        self.isPretty = isPretty
    }
}

/// Writes a node as the REST interface shows it, in slices like `NodeSerializer`.
///
/// It holds the snapshot and where it stands, nothing of the text. Slices end between UTF-8 sequences.
package struct RestSerializer: Sendable {
    /// What is left to write of one level; `stack` holds them outermost first. `nesting` is the number of objects around
    /// it: arrays indent nothing.
    private enum Level: Sendable {
        /// A node of which nothing is written.
        case node(Node, nesting: Int)
        /// An object whose bracket is written: what follows the child `after`, then the closing bracket.
        case members(Node, after: Key?, isFirst: Bool, nesting: Int)
        /// An array whose bracket is written: what stands at `from` and behind, then the closing bracket.
        case elements(Node, from: Int, nesting: Int)
        /// A string whose opening quote is written.
        case text(Text, offset: Int)
        /// The priority behind a value, then the closing bracket.
        case priority(Priority, nesting: Int)
        /// The newline behind everything.
        case newline
    }

    /// How deep the writing recurses before it goes on from its own stack.
    private static let recursionLimit = 48
    /// The size of the buffer, on the stack, that is emptied into the output.
    private static let bufferBytes = 2048

    private let form: RestForm
    private var stack: [Level]

    package init(_ node: Node, form: RestForm = RestForm()) {
        self.form = form
        stack = form.isPretty ? [.newline, .node(node, nesting: 0)] : [.node(node, nesting: 0)]
    }

    /// Whether everything is written.
    package var isFinished: Bool { stack.isEmpty }

    /// Appends about `count` bytes more to `output`: at most one key with its indentation and 4,096 bytes of text,
    /// escaped, beyond it. Returns false when that was the end.
    package mutating func next(upTo count: Int, into output: inout [UInt8]) -> Bool {
        let (end, isBeyondAll) = output.count.addingReportingOverflow(max(count, 1))
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.bufferBytes) { buffer in
            var slice = Slice(sink: JSONSink(buffer: buffer), form: form, end: isBeyondAll ? .max : end)
            // Moved in and out: a second reference would make the array copy itself.
            swap(&slice.sink.output, &output)
            while slice.sink.count < slice.end, let level = stack.popLast() {
                slice.write(level)
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
        let form: RestForm
        let end: Int
        var left: [Level] = []

        mutating func write(_ level: Level) {
            switch level {
            case .node(let node, let nesting): write(node, nesting, depth: 0)
            case .members(let node, let key, let isFirst, let nesting):
                writeMembers(node, after: key, isFirst: isFirst, nesting, depth: 0)
            case .elements(let node, let index, let nesting): writeElements(node, from: index, nesting, depth: 0)
            case .text(let text, let offset): writeText(text, from: offset)
            case .priority(let priority, let nesting): writePriorityEnd(priority, nesting)
            case .newline: sink.byte(0x0A)
            }
        }

        @discardableResult
        private mutating func write(_ node: Node, _ nesting: Int, depth: Int) -> Bool {
            guard node.hasChildren else {
                guard form.keepsPriorities, case .prioritized(let box) = node.content else {
                    return writeScalar(node.plainContent)
                }
                return writePrioritized(box, nesting)
            }
            guard depth < RestSerializer.recursionLimit else {
                left.append(.node(node, nesting: nesting))
                return false
            }
            if !form.keepsPriorities, node.isArrayLike {
                sink.byte(0x5B)
                if form.isPretty { sink.byte(0x20) }
                return writeElements(node, from: 0, nesting, depth: depth)
            }
            sink.byte(0x7B)
            let priority = form.keepsPriorities ? node.priority : .none
            guard priority != .none else { return writeMembers(node, after: nil, isFirst: true, nesting, depth: depth) }
            beginMember(isFirst: true, nesting)
            sink.raw(form.isPretty ? #"".priority" : "# : #"".priority":"#)
            sink.priority(priority)
            return writeMembers(node, after: nil, isFirst: false, nesting, depth: depth)
        }

        @discardableResult
        private mutating func writeMembers(
            _ node: Node, after start: Key?, isFirst: Bool, _ nesting: Int, depth: Int
        ) -> Bool {
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
                    left.append(.members(node, after: previous, isFirst: isFirst, nesting: nesting))
                    isComplete = false
                    return false
                }
                beginMember(isFirst: isFirst, nesting)
                isFirst = false
                if form.isPretty { sink.spacedMember(key) } else { sink.member(key) }
                previous = key
                guard write(child, nesting + 1, depth: depth + 1) else {
                    left.append(.members(node, after: key, isFirst: false, nesting: nesting))
                    isComplete = false
                    return false
                }
                return true
            }
            if isComplete { endObject(nesting) }
            return isComplete
        }

        @discardableResult
        private mutating func writeElements(_ node: Node, from start: Int, _ nesting: Int, depth: Int) -> Bool {
            var index = start
            var isComplete = true
            node.forEachChild(from: start == 0 ? nil : Key("\(start)")) { key, child in
                let place = key.arrayIndex ?? index
                isComplete = false
                // Holes are as many as elements at most, but they may all stand in one place.
                while index < place {
                    guard sink.count < end else { return false }
                    writeComma(before: index)
                    sink.raw("null")
                    index += 1
                }
                guard sink.count < end else { return false }
                writeComma(before: index)
                index += 1
                isComplete = write(child, nesting, depth: depth + 1)
                return isComplete
            }
            guard isComplete else {
                left.append(.elements(node, from: index, nesting: nesting))
                return false
            }
            if form.isPretty { sink.byte(0x20) }
            sink.byte(0x5D)
            return true
        }

        private mutating func writePrioritized(_ box: PrioritizedNode, _ nesting: Int) -> Bool {
            sink.byte(0x7B)
            beginMember(isFirst: true, nesting)
            sink.raw(form.isPretty ? #"".value" : "# : #"".value":"#)
            guard writeScalar(box.content) else {
                left.append(.priority(box.priority, nesting: nesting))
                return false
            }
            return writePriorityEnd(box.priority, nesting)
        }

        @discardableResult
        private mutating func writePriorityEnd(_ priority: Priority, _ nesting: Int) -> Bool {
            beginMember(isFirst: false, nesting)
            sink.raw(form.isPretty ? #"".priority" : "# : #"".priority":"#)
            sink.priority(priority)
            endObject(nesting)
            return true
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

        @discardableResult
        private mutating func writeText(_ text: Text, from start: Int) -> Bool {
            guard let stop = sink.text(text, from: start, until: end) else { return true }
            left.append(.text(text, offset: stop))
            return false
        }

        // MARK: - Punctuation

        private mutating func beginMember(isFirst: Bool, _ nesting: Int) {
            if !isFirst { sink.byte(0x2C) }
            if form.isPretty { beginLine(nesting + 1) }
        }

        private mutating func endObject(_ nesting: Int) {
            if form.isPretty { beginLine(nesting) }
            sink.byte(0x7D)
        }

        private mutating func writeComma(before index: Int) {
            guard index > 0 else { return }
            sink.byte(0x2C)
            if form.isPretty { sink.byte(0x20) }
        }

        private mutating func beginLine(_ nesting: Int) {
            sink.byte(0x0A)
            for _ in 0..<nesting { sink.raw("  ") }
        }
    }
}

extension JSONWriter {
    /// Writes a node as the REST interface shows it.
    package mutating func rest(_ node: Node, form: RestForm = RestForm()) {
        var serializer = RestSerializer(node, form: form)
        while serializer.next(upTo: .max, into: &bytes) {}
    }
}
