/// Who a REST request says it comes from, as text; nothing is verified.
///
/// It can be read whatever else is wrong with a request: a bad credential is reported first.
package struct RestCredential: Equatable, Sendable {
    /// `auth`: an ID token, a legacy token, or the secret of the database.
    package var auth: String?
    /// `access_token`.
    package var accessToken: String?
    /// The token of `Authorization: Bearer`.
    package var bearer: String?
    /// `auth_variable_override`: JSON that takes the place of `auth` in the rules.
    package var authVariableOverride: String?

    package init(_ head: RestHead) {
        auth = Self.present(head.argument("auth"))
        accessToken = Self.present(head.argument("access_token"))
        authVariableOverride = Self.present(head.argument("auth_variable_override"))
        if let header = head.authorization {
            // Other schemes are between the client and a proxy.
            let words = header.split(separator: " ", maxSplits: 1)
            if words.count == 2, words[0].lowercased() == "bearer" {
                bearer = Self.present(String(words[1].drop { $0 == " " }))
            }
        }
    }

    /// Whether nothing was said.
    package var isEmpty: Bool { auth == nil && accessToken == nil && bearer == nil }

    private static func present(_ text: String?) -> String? { text?.isEmpty == false ? text : nil }
}
