/// The actions by their names on the wire (`protocol/websocket.md`, "Requests").
enum ActionName: Equatable {
    case stats, authenticate, authenticateAdministrator, unauthenticate, appCheck, unAppCheck, echo
    case listen, unlisten, get, put, merge, onDisconnectPut, onDisconnectMerge, onDisconnectCancel
    case unknown(String)

    /// Compares bytes, so that the usual actions cost no allocation.
    init(utf8 bytes: UnsafeRawBufferPointer) {
        switch bytes.count {
        case 1:
            switch bytes[0] {
            case UInt8(ascii: "p"): self = .put
            case UInt8(ascii: "q"): self = .listen
            case UInt8(ascii: "m"): self = .merge
            case UInt8(ascii: "n"): self = .unlisten
            case UInt8(ascii: "g"): self = .get
            case UInt8(ascii: "o"): self = .onDisconnectPut
            case UInt8(ascii: "s"): self = .stats
            default: self = .unknown(String(decoding: bytes, as: UTF8.self))
            }
        case 2 where bytes[0] == UInt8(ascii: "o") && bytes[1] == UInt8(ascii: "m"): self = .onDisconnectMerge
        case 2 where bytes[0] == UInt8(ascii: "o") && bytes[1] == UInt8(ascii: "c"): self = .onDisconnectCancel
        default:
            switch String(decoding: bytes.prefix(64), as: UTF8.self) {
            case "auth": self = .authenticate
            case "gauth": self = .authenticateAdministrator
            case "unauth": self = .unauthenticate
            case "appcheck": self = .appCheck
            // The JavaScript SDK sends the second spelling (`PersistentConnection.refreshAppCheckToken`).
            case "unappcheck", "unappeck": self = .unAppCheck
            case "echo": self = .echo
            case let name: self = .unknown(name)
            }
        }
    }

    /// How a path is checked: whether the action reads or writes there.
    var pathUse: PathCheck.Use {
        switch self {
        case .put, .onDisconnectPut, .onDisconnectCancel: .write(mayEndInPriority: true)
        case .merge, .onDisconnectMerge: .write(mayEndInPriority: false)
        default: .read
        }
    }
}
