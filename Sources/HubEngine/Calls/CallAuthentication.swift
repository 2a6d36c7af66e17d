import DataTree
import WireProtocol

/// Who makes a call (`protocol/rest.md`, "Credentials").
extension Authenticator {
    /// The identity that a call's credential proves. A bearer token is an administrator's or nothing; in `--dev` any is one.
    package func identity(
        of credential: CallCredential, now: Int64, isAdministrative: Bool = false
    ) throws(CallRefusal) -> Identity {
        let identity = try proven(credential, now: now, isAdministrative: isAdministrative)
        guard let override = credential.override else { return identity }
        guard identity.isAdministrator else {
            throw .unauthenticated("auth_variable_override is for administrators: send their credential with it")
        }
        switch override {
        case .nobody: return .anonymous
        case .variable(let variable): return acting(as: variable)
        }
    }

    private func proven(
        _ credential: CallCredential, now: Int64, isAdministrative: Bool
    ) throws(CallRefusal) -> Identity {
        if let bearer = credential.bearer {
            let isOwner = isAdministrative && Text(bearer) == Text("owner")
            guard mode == .development || isOwner || isAdministrator(bearer) else {
                throw .unauthenticated("Unauthorized request.")
            }
            return .administrator
        }
        guard let token = credential.token else { return .anonymous }
        do {
            return try self.identity(
                for: Credential(kind: .auth, token: token), now: now, isAdministrative: isAdministrative)
        } catch {
            switch error {
            case .invalid: throw .unauthenticated("Could not parse auth token.")
            case .expired: throw .unauthenticated("Auth token is expired. \(error.text)")
            case .early: throw .unauthenticated(error.text)
            }
        }
    }
}
