import DataTree
import TestSupport

/// Short words for what tests do again and again.
extension EngineHarness.Device {
    /// Signs in with an unsigned token for a user.
    func signIn(_ uid: String) { request("auth", #"{"cred":"\#(UnsignedTokens.user(uid))"}"#) }

    /// Asks once and gives the answer's payload as JSON; nil when it was refused.
    func get(_ path: String, query: String = "{}") -> String? {
        request("g", #"{"p":"\#(path)","q":\#(query)}"#)
        guard let text = received.last, case .response(let response)? = try? DeviceMessage(text),
            response.status == "ok"
        else { return nil }
        return response.payload
    }

    /// The statuses of the answers since the last call of `takeReceived`.
    func takeStatuses() -> [String] {
        takeReceived().compactMap { text in
            if case .response(let response)? = try? DeviceMessage(text) { return response.status }
            return nil
        }
    }

    /// The pushes since the last call of `takeReceived`: action, path and data.
    func takePushes() -> [String] {
        takeReceived().compactMap { text in
            guard case .push(let push)? = try? DeviceMessage(text) else { return nil }
            let tag = push.tag.map { " #\($0)" } ?? ""
            return "\(push.action) /\(push.path ?? "?")\(tag) \(push.data ?? push.body)"
        }
    }
}

extension UnsignedTokens {
    /// A token of a mock user, which never expires.
    static func user(_ uid: String) -> String {
        var writer = JSONWriter()
        writer.string(uid)
        return token(#"{"sub":\#(String(decoding: writer.bytes, as: UTF8.self)),"iat":0}"#)
    }
}

extension HeldContent {
    /// The tree as JSON.
    var json: String { tree.json }
}
