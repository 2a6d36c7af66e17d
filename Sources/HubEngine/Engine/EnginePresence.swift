import DataTree
import WireProtocol

/// Keeping the presence node in step with sessions and whom they act for.
extension Engine {
    func joinPresence(_ session: Session) {
        guard let uid = session.identity.userID, !uid.isEmpty, session.presence == nil, presence != nil else { return }
        guard let (name, effect) = presence?.join(uid, session.opening, since: session.since) else { return }
        session.presence = (name, uid)
        // The log has to know who was online, so that a hub that is killed knows whose last visit ended.
        record(session)
        publishPresence([effect])
        markPresenceStats()
    }

    func leavePresence(_ session: Session, _ reason: LeaveReason) {
        guard let shown = session.presence, let (effect, isLast) = presence?.leave(shown.uid, name: shown.name) else {
            return
        }
        session.presence = nil
        let lastSeen = isLast ? noteLastSeen(LastSeen(uid: shown.uid, at: now, reason: reason.rawValue)) : []
        publishPresence([effect], along: lastSeen)
        markPresenceStats()
    }

    /// Takes a session that never was out of the presence node: nobody has left.
    func forgetPresence(_ session: Session) {
        guard let shown = session.presence, let (effect, _) = presence?.leave(shown.uid, name: shown.name) else {
            return
        }
        session.presence = nil
        publishPresence([effect])
        markPresenceStats()
    }

    /// Writes down when and why a user left, durably, and forgets those who left longest ago. What that changed in the
    /// presence node is to be published by the caller.
    func noteLastSeen(_ seen: LastSeen) -> [WriteEffect] {
        guard presence != nil else { return [] }
        guard refusal == nil else {
            owe(.lastSeen(seen))
            return []
        }
        // A later visit may have ended while this one was still owed.
        if let known = lastSeen[seen.uid], known.at > seen.at { return [] }
        let entry = LastSeenTable.Entry(at: seen.at, reason: seen.reason)
        batch.requests.append(.owed(.lastSeen(seen)))
        batch.undo.append(.lastSeen(seen.uid, lastSeen[seen.uid]))
        batch.entry.records.append(.lastSeen(uid: seen.uid, at: seen.at, reason: seen.reason))
        lastSeen.set(seen.uid, entry)
        unsaved.lastSeen.insert(seen.uid)
        var effects = [presence?.setLastSeen(seen.uid, entry)].compactMap { $0 }
        for (uid, forgotten) in lastSeen.trim(to: limits.rememberedLastSeen) {
            batch.undo.append(.forgottenLastSeen(uid, forgotten))
            unsaved.lastSeen.insert(uid)
            if let effect = presence?.setLastSeen(uid, nil) { effects.append(effect) }
        }
        return effects
    }

    /// Tells listeners what changed in the presence node.
    /// - Parameters:
    ///   - effects: changes that hold whatever the log says: who is connected is no matter of the log.
    ///   - durable: changes that go out with them and hold only if the log takes their batch.
    func publishPresence(_ effects: [WriteEffect], along durable: [WriteEffect] = []) {
        let all = effects + durable
        if all.isEmpty { return }
        for effect in all { batch.undo.append(.presence(effect.change)) }
        if !effects.isEmpty { batch.requests.append(.presence(effects)) }
        publish(all, scope: .presence)
    }

    /// Makes changes of the presence node once more, after a refused batch with them was taken back.
    func publishPresenceAgain(_ effects: [WriteEffect]) {
        publishPresence(effects.compactMap { presence?.write($0.new, at: $0.path) })
    }

    func publishPresenceStats() {
        guard let effect = presence?.updateStats(now: now) else { return }
        publishPresence([effect])
    }

    private func markPresenceStats() {
        presence?.markStats(now: now, interval: limits.presenceStatsInterval)
        publishPresenceStats()
    }
}

/// When and why the last connection of a user went.
struct LastSeen {
    let uid: String
    let at: Int64
    let reason: String
}
