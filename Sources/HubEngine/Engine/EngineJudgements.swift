import DataTree
import SecurityRules
import WireProtocol

/// A large write that rules have to judge, with all that they need for it.
struct WriteToJudge: Sendable {
    let draft: Draft
    /// Where a merge was sent.
    let base: Path?
    let writeID: String?
    let identity: Identity
    let rules: RulesInForce
    let now: Int64
    /// The tree without the write.
    let before: Node

    /// Does the work. Touches nothing but the snapshot.
    func judge() -> (decision: Decision, dependencies: ReadDependencies) {
        var after = before
        _ = draft.perform(on: &after)
        var dependencies = ReadDependencies()
        let decision = rules.compiled.write(
            draft.asRulesSeeIt(base: base), by: identity.asRulesSeeIt, now: now, from: before, to: after,
            dependencies: &dependencies)
        return (decision, dependencies)
    }
}

/// Judging large writes away from the engine: the verdict stands if what it read is unchanged.
extension Engine {
    /// Whether rules would hold the engine up with a write: they look at all that it carries.
    func isLargeToJudge(_ draft: Draft) -> Bool {
        draft.carriedLeaves > limits.inlineLeaves
    }

    /// - Returns: false when the engine judges the write itself, because what it read has changed too often.
    func judgeElsewhere(_ session: Session, _ request: Request, _ write: WriteToJudge) -> Bool {
        guard session.judgements < EngineWork.maxAttempts else { return false }
        wait(session, for: .judge(write, for: request))
        return true
    }

    func finishJudgement(
        _ session: Session, _ request: Request, _ write: WriteToJudge, _ decision: Decision,
        _ dependencies: ReadDependencies
    ) {
        guard isCurrent(write, dependencies, by: session.identity) else {
            session.judgements += 1
            return dispatch(request, for: session)
        }
        session.judgements = 0
        guard decision.isAllowed else {
            return refuseWrite(session, request.number, write.draft, base: write.base)
        }
        record(
            write.draft.perform(on: &tree), author: WriteAuthor(session), writeID: write.writeID, updatedAt: write.base)
        metrics.writes["ok"].add()
        respond(session, request.number)
    }

    /// Whether a verdict still holds: what it rests on is as it was.
    func isCurrent(_ write: WriteToJudge, _ dependencies: ReadDependencies, by identity: Identity) -> Bool {
        write.rules.compiled === rules.compiled && write.identity == identity && refusal == nil
            && write.draft.writes.allSatisfy { same($0.place.node, write.before, isDeep: true) }
            && dependencies.places.allSatisfy { same($0, write.before, isDeep: false) }
            && dependencies.subtrees.allSatisfy { same($0, write.before, isDeep: true) }
    }

    /// Whether a place looks to rules as it did.
    private func same(_ path: Path, _ before: Node, isDeep: Bool) -> Bool {
        let old = before.node(at: path)
        let new = tree.node(at: path)
        return isDeep ? old.isIdentical(to: new) : old.looksLike(new)
    }
}

extension Node {
    /// Whether a rule that does not look at the children takes both for the same.
    func looksLike(_ other: Node) -> Bool {
        if isEmpty || other.isEmpty { return isEmpty && other.isEmpty }
        return leaf == other.leaf && priority == other.priority
    }
}
