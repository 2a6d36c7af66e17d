import DataTree

/// An ID token with `alg: none`, as `connectDatabaseEmulator(…, {mockUserToken})` makes it. Proves nothing, so only
/// `--dev` accepts it.
///
/// A token whose `iat` is 0 or absent never expires: mock users' tokens carry `iat: 0` and `exp: 3600`
/// (firebase-js-sdk, `util/src/emulator.ts`, `createMockUserToken`).
enum UnsignedToken {
    /// As the official service has it for custom tokens, in characters.
    private static let longestUserID = 128
    /// How far the clock of who issues tokens may be ahead.
    private static let skewSeconds: Int64 = 300

    static func identity(_ token: String, now: Int64) throws(AuthenticationFailure) -> UserIdentity {
        let parts = token.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let header = object(parts[0]), let claims = object(parts[1]) else {
            throw .invalid(
                "The token is not a JSON Web Token. Send an ID token of three parts separated by dots, or `owner`.")
        }
        guard case .string(let algorithm)? = header[Key("alg")].leaf, algorithm == Text("none"), parts[2].isEmpty else {
            throw .invalid(
                "The token is signed, and this hub has no keys to check it with. In --dev send an unsigned token"
                    + " (alg: none).")
        }
        guard let uid = text(claims, "sub") ?? text(claims, "user_id"), !uid.isEmpty else {
            throw .invalid("The token names no user. Give it a `sub` claim.")
        }
        guard uid.unicodeScalars.count <= longestUserID else {
            throw .invalid("The token's user id is longer than \(longestUserID) characters. Use a shorter one.")
        }
        let issuedAt = seconds(claims, "iat") ?? 0
        guard issuedAt <= now / 1000 + skewSeconds else { throw .early(at: issuedAt, now: now / 1000) }
        var expiry: Int64?
        if issuedAt != 0, let expires = seconds(claims, "exp") {
            let (milliseconds, overflow) = expires.multipliedReportingOverflow(by: 1000)
            guard !overflow else { throw .invalid("The token's `exp` is out of range. Give seconds since 1970.") }
            guard milliseconds > now else { throw .expired(at: expires, now: now / 1000) }
            expiry = milliseconds
        }
        let provider = text(claims[Key("firebase")], "sign_in_provider") ?? text(claims, "provider_id")
        return UserIdentity(uid: uid, provider: provider, claims: claims, expiry: expiry)
    }

    private static func object(_ part: Substring) -> Node? {
        guard let bytes = Base64URL.decode(part.utf8) else { return nil }
        let node = bytes.withUnsafeBytes { text -> Node? in
            // Claims may have names that keys of the tree cannot have.
            var cursor = JSONCursor(text, limits: JSONLimits(depth: 32, form: .received))
            guard let node = try? cursor.readNode(), (try? cursor.expectEnd()) != nil else { return nil }
            return node
        }
        guard let node, !node.isLeaf else { return nil }
        return node
    }

    private static func text(_ node: Node, _ name: String) -> String? {
        guard case .string(let text)? = node[Key(name)].leaf else { return nil }
        return text.string
    }

    private static func seconds(_ node: Node, _ name: String) -> Int64? {
        switch node[Key(name)].leaf {
        case .integer(let value)?: value
        case .double(let value)?: Int64(exactly: value.rounded(.down))
        default: nil
        }
    }
}
