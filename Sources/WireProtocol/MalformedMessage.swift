import DataTree

/// Why a text is no message of the protocol. The connection it came on is closed (`LeaveReason.protocolError`).
package enum MalformedMessage: Error, Equatable, CustomStringConvertible {
    /// The text is not JSON.
    case notJSON(JSONError)
    /// The text is JSON, but the member is missing or of the wrong kind.
    case member(String, expected: String)

    package var description: String {
        switch self {
        case .notJSON(let error):
            "the message cannot be read: \(error)"
        case .member(let name, let expected):
            "the message has no '\(name)' that is \(expected); "
                + "send {\"t\":\"d\",\"d\":{\"r\":<integer>,\"a\":<action>,\"b\":{…}}} or {\"t\":\"c\",\"d\":{…}}"
        }
    }
}
