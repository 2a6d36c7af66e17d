import DataTree
import SecurityRules
import WireProtocol

/// Telling why rules denied something: to the client that asked for it (`protocol/websocket.md`, "Why rules deny"), and in the
/// log at its debug level.
///
/// An explanation is a second evaluation that keeps every value, many times dearer than the decision, so it is made only for
/// somebody who wants it.
extension Engine {
    func explainRead(_ session: Session, _ path: Path, _ query: Query) {
        guard wantsExplanation(session) else { return }
        let explanation = rules.compiled.explainRead(
            path, query: RuleQuery(query, over: .socket), by: session.ruleIdentity, now: now, in: tree)
        tell(session, "read /\(path)", explanation)
    }

    /// - Parameter base: where an update was sent.
    func explainWrite(_ session: Session, _ draft: Draft, base: Path?) {
        guard wantsExplanation(session) else { return }
        explainWrite(session, draft, base: base, as: session.identity)
    }

    /// The same for what a session left to be written: for the log alone.
    func explainOnDisconnect(_ session: Session, _ draft: Draft) {
        guard log.isEnabled(.debug) else { return }
        explainWrite(session, draft, base: nil, as: session.lastVerifiedIdentity)
    }

    /// Why a call is refused: for the log alone.
    func explainCall(_ pending: PendingCall, _ draft: Draft, base: Path?, _ caller: Caller) {
        guard log.isEnabled(.debug) else { return }
        var after = tree
        _ = draft.perform(on: &after)
        let writes = draft.asRulesSeeIt(base: base)
        let explanation = rules.compiled.explainWrite(
            writes, by: caller.acting.asRulesSeeIt, now: now, from: tree, to: after)
        let places = writes.prefix(3).map { "/\($0.path)" }.joined(separator: ", ")
        log.debug(
            "rules.denied",
            [
                "namespace": LogValue(configuration.namespace), "connection": LogValue(pending.connection),
                "operation": LogValue("write \(places)"), "why": LogValue(explanation.lines().joined(separator: "\n")),
            ])
    }

    private func explainWrite(_ session: Session, _ draft: Draft, base: Path?, as identity: Identity) {
        var after = tree
        _ = draft.perform(on: &after)
        let writes = draft.asRulesSeeIt(base: base)
        let explanation = rules.compiled.explainWrite(
            writes, by: identity.asRulesSeeIt, now: now, from: tree, to: after)
        let places = writes.prefix(3).map { "/\($0.path)" }.joined(separator: ", ")
        tell(session, "write \(places)" + (writes.count > 3 ? ", …" : ""), explanation)
    }

    private func wantsExplanation(_ session: Session) -> Bool {
        session.identity.wantsExplanations(configuration.authenticator.mode) || log.isEnabled(.debug)
    }

    private func tell(_ session: Session, _ what: String, _ explanation: Explanation) {
        let lines = explanation.lines()
        if log.isEnabled(.debug) {
            log.debug(
                "rules.denied",
                [
                    "namespace": LogValue(configuration.namespace), "session": LogValue(session.connection),
                    "operation": LogValue(what), "why": LogValue(lines.joined(separator: "\n")),
                ])
        }
        guard session.identity.wantsExplanations(configuration.authenticator.mode), !session.isClosed else { return }
        let text = ([what] + lines).joined(separator: "\n")
        outbox.send(ServerMessage.securityDebug(text), to: session.connection)
    }
}

extension Identity {
    /// Whether who signed in asked to be told why rules deny: with the claim `debug` of an unsigned token in `--dev`, or with
    /// the property `debug` of the `authvar` under which an administrator acts. Nobody else is told: the values that a
    /// rule sees are not the client's to read.
    fileprivate func wantsExplanations(_ mode: Authenticator.Mode) -> Bool {
        guard case .user(let user) = self else { return false }
        if let override = user.override {
            return override[debugKey].leaf == .bool(true) || override["token"][debugKey].leaf == .bool(true)
        }
        return mode == .development && user.claims[debugKey].leaf == .bool(true)
    }
}

private let debugKey = Key("debug")
