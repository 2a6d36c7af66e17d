/// Why a namespace was not made or deleted. The texts reach the administrator.
package enum NamespaceFailure: Error, Equatable, Sendable, CustomStringConvertible {
    case refused(NamespaceRefusal)
    case exists(String)
    /// Its files cannot be made or removed now; the text says why.
    case unavailable(String)

    package var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .exists(let name): "namespace '\(name)' exists already: use it, or choose another name"
        case .unavailable(let reason): "The namespace cannot be changed now (\(reason)). Try again later."
        }
    }
}
