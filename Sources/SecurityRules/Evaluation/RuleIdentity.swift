import DataTree

/// Who asks, as rules see it in `auth`. Made once for each sign-in and kept.
package struct RuleIdentity: Sendable, Equatable {
    /// The whole variable; nil when nobody is signed in. An empty map is not null.
    package let auth: Node?
    /// `auth.uid`, which most rules ask for.
    let userID: RuleValue
    /// The user's id as a key, if it is one.
    let userKey: Key?

    /// `auth == null`.
    package static let signedOut = RuleIdentity(auth: nil)

    /// The given map as it is, as an administrator may ask for (`auth_variable_override`, `authvar`).
    package init(auth: Node?) {
        self.auth = auth
        userID = RuleValue(auth?["uid"] ?? .empty)
        if case .text(let text) = userID, text.isOneKey { userKey = Key(utf8: text) } else { userKey = nil }
    }

    /// A user: `auth.uid`, `auth.provider`, and the whole payload of the ID token as `auth.token`.
    package init(uid: String, provider: String?, token: Node) {
        var children: [(Key, Node)] = [("uid", Node(leaf: .string(Text(uid)))), ("token", token)]
        if let provider { children.append(("provider", Node(leaf: .string(Text(provider))))) }
        self.init(auth: Node(children: children))
    }

    package static func == (left: RuleIdentity, right: RuleIdentity) -> Bool { left.auth == right.auth }

    var value: RuleValue { auth.map { .object($0) } ?? .null }
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

extension Text {
    /// Whether a path of this text leads one level down.
    fileprivate var isOneKey: Bool { withUTF8 { !$0.isEmpty && !$0.contains(UInt8(ascii: "/")) } }
}
