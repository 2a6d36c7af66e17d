import DataTree

/// What a row of the state says about its place.
enum StateRow {
    struct Malformed: Error, CustomStringConvertible {
        var description: String { "it is neither a leaf nor a priority" }
    }

    /// A leaf, with its priority if it has one.
    case leaf(Node)
    /// The priority of an object.
    case priority(Priority)
}

extension StateRow {
    /// Reads the JSON of a row: a leaf in export form, or `{".priority": …}` for an object.
    /// - Throws: `JSONError` or `Malformed`.
    init(json: UnsafeRawBufferPointer) throws {
        var limits = JSONLimits()
        limits.stringBytes = .max
        var cursor = JSONCursor(json, limits: limits)
        switch cursor.peek() {
        case .number: self = .leaf(Node(leaf: try cursor.readNumber()))
        case .string: self = .leaf(Node(leaf: .string(try cursor.readText { Text(utf8: $0) })))
        case .true, .false: self = .leaf(Node(leaf: .bool(try cursor.readBool())))
        default:
            let node = try cursor.readNode()
            if node.isLeaf {
                guard !node.containsDeferred else { throw Malformed() }
                self = .leaf(node)
            } else {
                cursor = JSONCursor(json, limits: limits)
                self = .priority(try StateRow.readPriority(&cursor))
            }
        }
        try cursor.expectEnd()
    }

    private static func readPriority(_ cursor: inout JSONCursor) throws -> Priority {
        try cursor.enterObject()
        guard let name = try cursor.nextKey(), name.utf8.elementsEqual(".priority".utf8) else { throw Malformed() }
        let priority: Priority
        switch cursor.peek() {
        case .number: priority = .number(try cursor.readNumber().number ?? 0)
        case .string: priority = .string(try cursor.readText { Text(utf8: $0) })
        default: throw Malformed()
        }
        guard try cursor.nextKey() == nil else { throw Malformed() }
        return priority
    }

    /// Appends the JSON of the row for a node, or nothing if the node needs none: an object without a priority.
    static func write(_ node: Node, to writer: inout JSONWriter) -> Bool {
        if let leaf = node.leaf {
            if node.priority == .none { writer.leaf(leaf) } else { writer.node(node) }
            return true
        }
        guard node.priority != .none else { return false }
        writer.raw("{\".priority\":")
        writer.priority(node.priority)
        writer.raw("}")
        return true
    }
}
