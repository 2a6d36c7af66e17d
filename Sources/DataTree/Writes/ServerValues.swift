/// What server values become when a write is applied: one reading of the clock for a whole request.
package struct ServerValueContext: Sendable {
    /// Milliseconds since 1970.
    package var timestamp: Int64

    package init(timestamp: Int64) { self.timestamp = timestamp }
}

/// An increment that no number can hold.
package struct IncrementOverflow: Error, Equatable, CustomStringConvertible {
    /// Where it stands, below the path of the write.
    package var path: Path

    package var description: String {
        "The increment at \"/\(path)\" leaves the range of numbers; write a value below 1.8e308 there"
    }
}

extension Node {
    /// This node with its server values filled in; itself, in constant time, if there are none.
    ///
    /// `existing` is what the tree holds at the same place before the write. Increments add to the number there as
    /// doubles (exact for whole numbers up to 2^53); where there is no number they become their delta
    /// (`resolveDeferredLeafValue` in `ServerValues.ts` of the JavaScript SDK). Priorities are resolved alike, against
    /// the existing priority.
    package func resolved(
        _ context: ServerValueContext, existing: Node
    ) throws(IncrementOverflow) -> Node {
        guard containsDeferred else { return self }
        var result = self
        var path: [Key] = []
        try resolve(context, existing: existing, path: &path, into: &result)
        return result
    }

    private func resolve(
        _ context: ServerValueContext, existing: Node, path: inout [Key], into result: inout Node
    ) throws(IncrementOverflow) {
        var priority = priority
        let hasDeferredPriority = priority.isDeferred
        if hasDeferredPriority {
            guard let resolved = priority.resolved(context, existing: existing.priority) else {
                throw IncrementOverflow(path: Path(keys: path))
            }
            priority = resolved
        }
        if let leaf {
            guard let value = leaf.resolved(context, existing: existing.leaf) else {
                throw IncrementOverflow(path: Path(keys: path))
            }
            result.set(Node(leaf: value, priority: priority), at: Path(keys: path))
            return
        }
        if hasDeferredPriority { result.setPriority(priority, at: Path(keys: path)) }
        var failure: IncrementOverflow?
        forEachChild { key, child in
            guard child.containsDeferred else { return true }
            path.append(key)
            defer { path.removeLast() }
            do throws(IncrementOverflow) {
                try child.resolve(context, existing: existing[key], path: &path, into: &result)
            } catch {
                failure = error
            }
            return failure == nil
        }
        if let failure { throw failure }
    }
}

extension Leaf {
    /// The leaf to store in place of this one; nil if an increment overflows.
    package func resolved(_ context: ServerValueContext, existing: Leaf?) -> Leaf? {
        switch self {
        case .deferred(.timestamp): return .integer(context.timestamp)
        case .deferred(.increment(let delta)):
            let sum = (existing?.number).map { $0 + delta } ?? delta
            return sum.isFinite ? .number(sum) : nil
        default: return self
        }
    }
}

extension Priority {
    /// The priority to store in place of this one; nil if an increment overflows.
    package func resolved(_ context: ServerValueContext, existing: Priority) -> Priority? {
        switch self {
        case .deferred(.timestamp): return .number(Double(context.timestamp))
        case .deferred(.increment(let delta)):
            var sum = delta
            if case .number(let number) = existing { sum += number }
            return sum.isFinite ? .number(sum) : nil
        default: return self
        }
    }

    /// The priority that a write to `<path>/.priority` sets; nil if the value is no priority (a boolean, an object, or
    /// something with a priority of its own).
    package init?(_ node: Node) {
        guard node.priority == .none else { return nil }
        switch node.leaf {
        case .integer(let value): self = .number(Double(value))
        case .double(let value): self = .number(value)
        case .string(let text): self = .string(text)
        case .deferred(let value): self = .deferred(value)
        case .bool: return nil
        case nil:
            guard node.isEmpty else { return nil }
            self = .none
        }
    }
}
