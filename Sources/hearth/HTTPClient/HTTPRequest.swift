/// One request to a hub. Its URL and headers may hold secrets: neither is ever shown.
struct HTTPRequest {
    var method: String
    /// Complete and percent-encoded.
    var url: String
    var headers: [(name: String, value: String)] = []
    var body: HTTPBody?
    /// A file of certificates that vouch for the hub; those of the system without.
    var authorities: String?
    /// Whether the environment's proxies are passed by, as for a hub on this machine.
    var isLocal = false
    /// How many seconds nothing may arrive before the connection counts as lost; nil for no limit.
    var silenceLimit: Int?
}

/// What a request carries, read as the connection takes it.
struct HTTPBody {
    var type = "application/json"
    var source: ByteSource
}

/// How a hub answered. What it sent with a success has gone to the receiver.
struct HTTPAnswer: Equatable {
    var status: Int
    /// What came with anything but a success, up to `longestRefusal` bytes of it.
    var refusal: [UInt8] = []

    static let longestRefusal = 262_144

    var isSuccess: Bool { 200..<300 ~= status }
}

/// Takes what a hub sends with a success, piece by piece; what it throws ends the transfer.
typealias HTTPReceiver = (UnsafeRawBufferPointer) throws(CommandProblem) -> Void

/// Why there is no answer.
enum HTTPProblem: Error, Equatable {
    /// No connection came about; nothing was sent.
    case unreachable(String)
    /// The connection ended before the answer was complete.
    case broken(String)
    /// Who sends or who receives could not go on.
    case stopped(CommandProblem)
    /// A signal asked the process to end.
    case interrupted

    var problem: CommandProblem {
        switch self {
        case .unreachable(let text), .broken(let text): .failure(text)
        case .stopped(let problem): problem
        case .interrupted: .failure("interrupted; start it again when you like")
        }
    }
}
