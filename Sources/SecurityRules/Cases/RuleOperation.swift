import DataTree

/// The operation of a case, with the tree as it is before and as it would be afterwards.
///
/// ```swift
/// let operation = try RuleOperation(ruleCase, now: clock)
/// let decision = operation.decide(rules)
/// ```
package struct RuleOperation: Sendable {
    package enum Request: Sendable {
        case read(Path, RuleQuery)
        case write([RuleWrite])
    }

    package let request: Request
    package let identity: RuleIdentity
    package let now: Int64
    package let old: Node
    package let new: Node

    /// `now` is the time of cases that have none. Server values are filled in, as a hub does before it asks rules.
    package init(_ ruleCase: RuleCase, now: Int64) throws(IncrementOverflow) {
        identity = ruleCase.identity
        self.now = ruleCase.now ?? now
        old = ruleCase.data
        var tree = old
        switch ruleCase.operation {
        case .read(let path, let query):
            request = .read(path, RuleQuery(query, over: .socket))
        case .set(let path, let value):
            request = .write([try Self.write(value, at: path, now: self.now, old: old, new: &tree)])
        case .update(let path, let changes):
            var writes: [RuleWrite] = []
            for change in changes {
                let path = path.appending(change.path)
                writes.append(try Self.write(change.value, at: path, now: self.now, old: old, new: &tree))
            }
            request = .write(writes.isEmpty ? [RuleWrite(path, carried: .nothing)] : writes)
        }
        new = tree
    }

    private static func write(
        _ value: Node, at path: Path, now: Int64, old: Node, new: inout Node
    ) throws(IncrementOverflow) -> RuleWrite {
        do throws(IncrementOverflow) {
            return try resolveAndWrite(value, at: path, now: now, old: old, new: &new)
        } catch {
            var overflow = error
            overflow.path = path.appending(error.path)
            throw overflow
        }
    }

    private static func resolveAndWrite(
        _ value: Node, at path: Path, now: Int64, old: Node, new: inout Node
    ) throws(IncrementOverflow) -> RuleWrite {
        let context = ServerValueContext(timestamp: now)
        guard path.last == .priority, let parent = path.parent else {
            new.set(try value.resolved(context, existing: old.node(at: path)), at: path)
            return RuleWrite(path)
        }
        // What is no priority has been refused with its file.
        var existing = Node.empty
        if case .number(let number) = old.node(at: parent).priority { existing = Node(leaf: .number(number)) }
        new.setPriority(Priority(try value.resolved(context, existing: existing)) ?? .none, at: parent)
        return RuleWrite(parent, carried: .priority)
    }

    package func decide(_ rules: CompiledRules) -> Decision {
        switch request {
        case .read(let path, let query): rules.read(path, query: query, by: identity, now: now, in: old)
        case .write(let writes): rules.write(writes, by: identity, now: now, from: old, to: new)
        }
    }

    /// With `revealing`, what the caller's token holds is shown too.
    package func explain(_ rules: CompiledRules, revealing: Bool = false) -> Explanation {
        switch request {
        case .read(let path, let query):
            rules.explainRead(path, query: query, by: identity, now: now, in: old, revealing: revealing)
        case .write(let writes):
            rules.explainWrite(writes, by: identity, now: now, from: old, to: new, revealing: revealing)
        }
    }

    /// Decides, and counts what was evaluated.
    @discardableResult
    package func count(in coverage: inout RuleCoverage) -> Decision {
        switch request {
        case .read(let path, let query): coverage.read(path, query: query, by: identity, now: now, in: old)
        case .write(let writes): coverage.write(writes, by: identity, now: now, from: old, to: new)
        }
    }
}
