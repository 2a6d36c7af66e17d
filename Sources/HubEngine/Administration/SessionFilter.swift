import DataTree

/// Which sessions are meant. What is nil does not matter; all that is given must fit.
package struct SessionFilter: Sendable, Equatable {
    /// Connections in their text form.
    package var ids: Set<String>?
    /// The user's id, byte for byte.
    package var uid: String?
    package var namespace: String?

    package init(ids: Set<String>? = nil, uid: String? = nil, namespace: String? = nil) {
        self.ids = ids
        self.uid = uid
        self.namespace = namespace
    }

    /// Nothing is given: every session fits.
    package var isEmpty: Bool { ids == nil && uid == nil && namespace == nil }

    func fits(_ session: Session) -> Bool {
        if let ids, !ids.contains(session.connection.description) { return false }
        guard let uid else { return true }
        guard let own = session.lastVerifiedIdentity.userID else { return false }
        // Swift's own comparison takes canonically equal texts for one.
        return own.utf8.elementsEqual(uid.utf8)
    }
}
