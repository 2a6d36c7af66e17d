/// Turns JSON text into a node: the one state machine behind `JSONCursor.readNode` and `NodeDecoder`.
///
/// It consumes the text in one piece or in slices cut anywhere; what a slice leaves unfinished (a string, a number, a
/// word) is carried over. It keeps its own stack, so that nesting costs no recursion. Scanning is in
/// `NodeMachine+Scan.swift`, the meaning of keys and values in this file.
///
/// This is the hub's hottest code after the kernel; `bench json` guards it. A struct that cannot be copied, because
/// stored properties of a class would be checked for exclusive access at run time.
struct NodeMachine: ~Copyable {
    enum State: UInt8 {
        case value, firstElement, firstKey, key, colon, afterValue, done
    }

    /// What an open container is.
    enum Container: UInt8 {
        /// An object or array that becomes a node.
        case object, array
        /// The body of an update: its keys are paths, its children stay apart.
        case update
        /// The object behind `.sv` that holds an increment.
        case increment
        /// Something inside a key that is skipped.
        case skippedObject, skippedArray

        var isObject: Bool { self == .object || self == .update || self == .increment || self == .skippedObject }
    }

    /// Where the value that comes next belongs.
    enum Target: UInt8 {
        case child, value, priority, serverValue, delta, skipped
    }

    struct Frame {
        var container: Container
        var target: Target
        /// Keys came in ascending order without duplicates so far.
        var isSorted = true
        /// Index in `annotations`, or -1.
        var annotation: Int32 = -1
        /// Depth in the tree of this container's node, 0 for the root.
        var level: Int32
        /// The next array index.
        var index: Int32 = 0
        /// Where this container's children begin in `pending`.
        var start: Int
        /// Offset of the opening bracket.
        var offset: Int
    }

    /// What the keys with a dot said about an object.
    struct Annotation {
        var hasValue = false
        var hasServerValue = false
        var value: Leaf?
        var serverValue: ServerValue?
        var priority = Priority.none
    }

    let limits: JSONLimits
    /// Whether the outermost object is the body of an update; see `NodeMachine+Update.swift`.
    var isUpdate = false
    /// The names of an update's changes so far, as sent.
    var names: [Key] = []
    /// The changes of an update, once it is read.
    var changes: [(name: Key, node: Node)]?
    var state = State.value
    /// How many containers are open.
    var depth = 0
    /// The innermost open container, while there is one; those around it are in `outer`.
    var top = Frame(container: .object, target: .child, level: 0, start: 0, offset: 0)
    var outer: [Frame] = []
    var pending = PendingChildren(capacity: 24)
    var annotations: [Annotation] = []
    /// Unescaped text, reused.
    var scratch: [UInt8] = []
    /// What the slices so far hold of an unfinished token.
    var carry: [UInt8] = []
    var partial = Partial.none
    var tokenOffset = 0
    /// The complete node, once `state` is `done`.
    var result = Node.empty
    /// How many keys stand on the longest way down, keys of null children included.
    var deepest = 0

    init(limits: JSONLimits) {
        self.limits = limits
    }

    /// Makes the machine ready for another value; its memory stays.
    mutating func reset() {
        state = .value
        depth = 0
        outer.removeAll(keepingCapacity: true)
        pending.removeAll()
        annotations.removeAll(keepingCapacity: true)
        carry.removeAll(keepingCapacity: true)
        partial = .none
        result = .empty
        deepest = 0
        names.removeAll(keepingCapacity: true)
        changes = nil
    }

    // MARK: - Containers

    mutating func open(isObject: Bool, at offset: Int) throws(JSONError) {
        guard depth < limits.depth else {
            throw JSONError(offset: offset, reason: .nestedTooDeep(limit: limits.depth))
        }
        var container: Container = isObject ? .object : .array
        var level: Int32 = 0
        if depth > 0 {
            level = top.level + 1
            switch top.target {
            case .child: break
            case .value:
                // Only `{".sv": …}` may stand here; `close` looks at what came of it.
                guard isObject else { throw JSONError(offset: offset, reason: .valueNotScalar) }
            case .priority:
                guard isObject else { throw JSONError(offset: offset, reason: .invalidPriority) }
            case .serverValue:
                guard isObject else { throw JSONError(offset: offset, reason: .unknownServerValue) }
                container = .increment
                annotations.append(Annotation())
            case .delta: throw JSONError(offset: offset, reason: .unknownServerValue)
            case .skipped: container = isObject ? .skippedObject : .skippedArray
            }
        } else if isUpdate, isObject {
            container = .update
        }
        var frame = Frame(
            container: container, target: container.rawValue >= Container.skippedObject.rawValue ? .skipped : .child,
            level: level, start: pending.count, offset: offset)
        if container == .increment { frame.annotation = Int32(truncatingIfNeeded: annotations.count - 1) }
        if depth > 0 { outer.append(top) }
        top = frame
        depth += 1
        state = isObject ? .firstKey : .firstElement
    }

    /// Begins the next element of the array on top.
    mutating func beginElement() {
        guard top.container == .array else { return }
        deepest = max(deepest, Int(top.level) + 1)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { buffer in
            let digits = UnsafeRawBufferPointer(NumberText.digits(of: Int64(top.index), in: buffer))
            // Array indices are integer-like keys, which ascend with them; beyond 32 bits they are text.
            let isAscending =
                if let key = PackedKey(integerLike: digits) {
                    pending.append(key, after: top.start)
                } else {
                    pending.append(long: Key(utf8: digits))
                }
            if !isAscending { top.isSorted = false }
        }
        top.index &+= 1
    }

    mutating func close(isObject: Bool, at offset: Int) throws(JSONError) {
        guard depth > 0, top.container.isObject == isObject else {
            throw JSONError(offset: offset, reason: .expectedCommaOrEnd(found: isObject ? 0x7D : 0x5D))
        }
        let frame = top
        depth -= 1
        if depth > 0 { top = outer.removeLast() }
        switch frame.container {
        case .skippedObject, .skippedArray:
            state = depth > 0 ? .afterValue : .done
        case .increment:
            guard case .some(.increment(let delta)) = annotations.removeLast().serverValue else {
                throw JSONError(offset: frame.offset, reason: .unknownServerValue)
            }
            setServerValue(.increment(delta))
        case .update: finishUpdate(frame)
        case .object, .array:
            try finish(frame)
        }
    }

    /// Builds the node of a container that was just closed.
    private mutating func finish(_ frame: Frame) throws(JSONError) {
        guard frame.annotation >= 0 else {
            return try complete(takeChildren(of: frame, priority: .none), from: frame)
        }
        let annotation = annotations.removeLast()
        if limits.form == .write {
            let hasChildren = pending.count > frame.start
            if annotation.hasValue, hasChildren {
                throw JSONError(offset: frame.offset, reason: .valueBesideChildren)
            }
            if annotation.hasServerValue, hasChildren || annotation.hasValue {
                throw JSONError(offset: frame.offset, reason: .serverValueBesideChildren)
            }
        }
        if let leaf = annotation.value ?? annotation.serverValue.map(Leaf.deferred) {
            pending.removeAll(from: frame.start)
            return try complete(Node(leaf: leaf, priority: annotation.priority), from: frame)
        }
        try complete(takeChildren(of: frame, priority: annotation.priority), from: frame)
    }

    @inline(__always)
    private mutating func takeChildren(of frame: Frame, priority: Priority) -> Node {
        pending.takeNode(from: frame.start, isSorted: frame.isSorted, priority: priority)
    }

    // MARK: - Values

    /// Takes the node of a closed object or array.
    private mutating func complete(_ node: Node, from frame: Frame) throws(JSONError) {
        guard depth > 0 else {
            result = node
            state = .done
            return
        }
        state = .afterValue
        switch top.target {
        case .child: pending.setLast(node)
        case .value:
            guard case .deferred(let value)? = node.leaf, node.priority == .none else {
                throw JSONError(offset: frame.offset, reason: .valueNotScalar)
            }
            annotate { $0.value = .deferred(value) }
        case .priority:
            guard case .deferred(let value)? = node.leaf, node.priority == .none else {
                throw JSONError(offset: frame.offset, reason: .invalidPriority)
            }
            annotate { $0.priority = .deferred(value) }
        case .serverValue, .delta, .skipped: break
        }
    }

    /// Whether the next value is simply a child of the container on top.
    var isChildNext: Bool { depth > 0 && top.target == .child }

    /// Takes a scalar; nil is `null`.
    mutating func complete(_ leaf: Leaf?, at offset: Int) throws(JSONError) {
        guard depth > 0 else {
            if let leaf { result = Node(leaf: leaf) }
            state = .done
            return
        }
        state = .afterValue
        if top.target == .child {
            if let leaf { pending.setLast(Node(leaf: leaf)) }
            return
        }
        try completeAnnotation(leaf, target: top.target, at: offset)
    }

    private mutating func completeAnnotation(_ leaf: Leaf?, target: Target, at offset: Int) throws(JSONError) {
        switch target {
        case .value: annotate { $0.value = leaf }
        case .priority:
            switch leaf {
            case nil: annotate { $0.priority = .none }
            case .integer(let value): annotate { $0.priority = .number(Double(value)) }
            case .double(let value): annotate { $0.priority = .number(value) }
            case .string(let text): annotate { $0.priority = .string(text) }
            case .bool, .deferred: throw JSONError(offset: offset, reason: .invalidPriority)
            }
        case .serverValue:
            guard case .string(let text)? = leaf, text == Text("timestamp") else {
                throw JSONError(offset: offset, reason: .unknownServerValue)
            }
            setServerValue(.timestamp)
        case .delta:
            switch leaf {
            case .integer(let value): annotate { $0.serverValue = .increment(Double(value)) }
            case .double(let value): annotate { $0.serverValue = .increment(value) }
            default: throw JSONError(offset: offset, reason: .unknownServerValue)
            }
        case .child, .skipped: break
        }
    }

    private mutating func setServerValue(_ value: ServerValue) {
        state = .afterValue
        annotate { $0.serverValue = value }
    }

    private mutating func annotate(_ body: (inout Annotation) -> Void) {
        if top.annotation < 0 {
            top.annotation = Int32(truncatingIfNeeded: annotations.count)
            annotations.append(Annotation())
        }
        body(&annotations[annotations.count - 1])
    }

    // MARK: - Keys

    /// Takes the key `bytes` (valid UTF-8, unescaped) of the object on top.
    @inline(__always)
    mutating func beginMember(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JSONError) {
        guard top.container == .object, let first = bytes.first, first != 0x2E else {
            return try beginUncommonMember(bytes, at: offset)
        }
        guard limits.form != .write || bytes.count <= limits.keyBytes else {
            throw JSONError(offset: offset, reason: .keyTooLong(limit: limits.keyBytes))
        }
        deepest = max(deepest, Int(top.level) + 1)
        top.target = .child
        // Digits and push identifiers hold no forbidden characters.
        if let packed = PackedKey(integerLike: bytes) ?? PackedKey(pushIdentifier: bytes) {
            if !pending.append(packed, after: top.start) { top.isSorted = false }
            return
        }
        if limits.form == .write, let byte = KeyCharacters.firstForbidden(in: bytes) {
            throw JSONError(offset: offset, reason: .keyCharacter(byte))
        }
        appendKey(bytes)
    }

    @inline(__always)
    private mutating func appendKey(_ bytes: UnsafeRawBufferPointer) {
        let isAscending =
            if let packed = PackedKey(short: bytes) {
                pending.append(packed, after: top.start)
            } else {
                pending.append(long: Key(utf8: bytes))
            }
        if !isAscending { top.isSorted = false }
    }

    /// Keys with a dot, empty keys, and keys of objects that do not become nodes.
    private mutating func beginUncommonMember(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JSONError) {
        switch top.container {
        case .skippedObject: return
        case .update: try beginChange(bytes, at: offset)
        case .increment:
            guard bytes.elementsEqual("increment".utf8) else {
                throw JSONError(offset: offset, reason: .unknownServerValue)
            }
            top.target = .delta
        default:
            if bytes.elementsEqual(".priority".utf8) {
                top.target = .priority
            } else if bytes.elementsEqual(".value".utf8) {
                top.target = .value
                annotate { $0.hasValue = true }
            } else if bytes.elementsEqual(".sv".utf8) {
                top.target = .serverValue
                annotate { $0.hasServerValue = true }
            } else if bytes.isEmpty, limits.form == .write {
                throw JSONError(offset: offset, reason: .emptyKey)
            } else if bytes.isEmpty {
                top.target = .child
                appendKey(bytes)
            } else if limits.form == .write {
                throw JSONError(offset: offset, reason: .keyCharacter(0x2E))
            } else {
                top.target = .skipped
            }
        }
    }
}
