import DataTree
import SecurityRules
import Testing

/// The operation of a case, with the trees before and after it.
struct RuleOperation {
    enum Request {
        case read(Path, RuleQuery)
        case write([RuleWrite])
    }

    let identity: RuleIdentity
    let now: Int64
    let request: Request
    let old: Node
    let new: Node

    init(_ ruleCase: RuleCase) throws {
        identity = try RuleIdentity(json: ruleCase.auth)
        now = try #require(ruleCase.now)
        old = ruleCase.data
        let writes: [(Path, Node)]
        switch ruleCase.operation {
        case .read(let path, let query):
            request = .read(path, RuleQuery(query, over: .socket))
            new = old
            return
        case .set(let path, let value): writes = [(path, value)]
        case .update(let path, let changes): writes = changes.map { (path.appending($0.path), $0.value) }
        }
        var tree = old
        for (path, value) in writes {
            let context = ServerValueContext(timestamp: now)
            tree.set(try value.resolved(context, existing: old.node(at: path)), at: path)
        }
        request = .write(writes.map { RuleWrite($0.0) })
        new = tree
    }

    func decide(_ rules: CompiledRules) -> Decision {
        switch request {
        case .read(let path, let query): rules.read(path, query: query, by: identity, now: now, in: old)
        case .write(let writes): rules.write(writes, by: identity, now: now, from: old, to: new)
        }
    }

    func explain(_ rules: CompiledRules) -> Explanation {
        switch request {
        case .read(let path, let query): rules.explainRead(path, query: query, by: identity, now: now, in: old)
        case .write(let writes): rules.explainWrite(writes, by: identity, now: now, from: old, to: new)
        }
    }

    func count(_ coverage: inout RuleCoverage) -> Decision {
        switch request {
        case .read(let path, let query): coverage.read(path, query: query, by: identity, now: now, in: old)
        case .write(let writes): coverage.write(writes, by: identity, now: now, from: old, to: new)
        }
    }
}

extension CompiledRules {
    /// What the rules say to the operation of a case, carried out on its data.
    func decision(_ ruleCase: RuleCase) throws -> Decision { try RuleOperation(ruleCase).decide(self) }
}
