/// What shows a hub who asks. It never appears in a message.
enum HubCredential: Equatable {
    /// The administrator's secret, or `owner` for a hub in `--dev`: goes into the `Authorization` header.
    case administrator(String)
    /// An ID token: goes into the `auth` parameter, where the official REST interface takes it.
    case identityToken(String)

    /// Tells them apart by their shape: an ID token (a JWT, RFC 7519) has three parts with dots between them.
    init(_ text: String) throws(CommandProblem) {
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard isPlain, !text.isEmpty else {
            throw .usage("the token of --auth is empty or has characters that no token has; give it as it was issued")
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        // The signature of a token for development may be empty.
        let isToken = parts.count == 3 && !parts[0].isEmpty && !parts[1].isEmpty
        self = isToken ? .identityToken(text) : .administrator(text)
    }
}
