import DataTree

/// Who asks, as rules see it in `auth`. Made once for each sign-in and kept.
package struct RuleIdentity: Sendable, Equatable {
    /// The whole variable; nil when nobody is signed in. An empty map is not null.
    package let auth: Node?

    /// `auth == null`.
    package static let signedOut = RuleIdentity(auth: nil)

    /// The given map as it is, as an administrator may ask for (`auth_variable_override`, `authvar`).
    package init(auth: Node?) { self.auth = auth }

    /// A user: `auth.uid`, `auth.provider`, and the whole payload of the ID token as `auth.token`.
    package init(uid: String, provider: String?, token: Node) {
        var children: [(Key, Node)] = [("uid", Node(leaf: .string(Text(uid)))), ("token", token)]
        if let provider { children.append(("provider", Node(leaf: .string(Text(provider))))) }
        auth = Node(children: children)
    }

    var value: RuleValue { auth.map { $0.isLeaf ? RuleValue($0) : .object($0) } ?? .null }
}

extension RuleIdentity {
    /// Reads the variable from JSON: an object, or `null` when nobody is signed in. Its keys may be any text.
    package init(json: String) throws(JSONError) {
        self = try Array(json.utf8).withUnsafeBufferPointer { bytes throws(JSONError) in
            var cursor = JSONCursor(UnsafeRawBufferPointer(bytes), limits: JSONLimits(depth: 32, form: .received))
            let isNull = cursor.peek() == .null
            let node = try cursor.readNode()
            try cursor.expectEnd()
            return RuleIdentity(auth: isNull ? nil : node)
        }
    }
}
