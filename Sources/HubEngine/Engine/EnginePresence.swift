import DataTree
import WireProtocol

/// Keeping the presence node in step with sessions and whom they act for.
extension Engine {
    func joinPresence(_ session: Session) {
        guard let uid = session.identity.userID, !uid.isEmpty, session.presenceName == nil, presence != nil else {
            return
        }
        guard let (name, effect) = presence?.join(uid, session.opening, since: session.since) else { return }
        session.presenceName = name
        // The log has to know who was online, so that a hub that is killed knows whose last visit ended.
        record(session)
        publish([effect], scope: .presence)
        markPresenceStats()
    }

    func leavePresence(_ session: Session, _ reason: LeaveReason) {
        guard let name = session.presenceName, let uid = session.lastVerifiedIdentity.userID,
            let (effect, isLast) = presence?.leave(uid, name: name)
        else { return }
        session.presenceName = nil
        var effects = [effect]
        if isLast { effects += noteLastSeen(uid, reason) }
        publish(effects, scope: .presence)
        markPresenceStats()
    }

    /// Writes down when and why a user left, durably, and forgets those who left longest ago.
    @discardableResult
    func noteLastSeen(_ uid: String, _ reason: LeaveReason) -> [WriteEffect] {
        guard presence != nil else { return [] }
        let entry = LastSeenTable.Entry(at: now, reason: reason.rawValue)
        batch.undo.append(.lastSeen(uid, lastSeen[uid]))
        batch.entry.records.append(.lastSeen(uid: uid, at: now, reason: reason.rawValue))
        lastSeen.set(uid, entry)
        unsaved.lastSeen.insert(uid)
        var effects = [presence?.setLastSeen(uid, entry)].compactMap { $0 }
        for forgotten in lastSeen.trim(to: limits.rememberedLastSeen) {
            unsaved.lastSeen.insert(forgotten)
            if let effect = presence?.setLastSeen(forgotten, nil) { effects.append(effect) }
        }
        return effects
    }

    func publishPresenceStats() {
        guard let effect = presence?.updateStats(now: now) else { return }
        publish([effect], scope: .presence)
    }

    private func markPresenceStats() {
        presence?.markStats(now: now, interval: limits.presenceStatsInterval)
        publishPresenceStats()
    }
}
