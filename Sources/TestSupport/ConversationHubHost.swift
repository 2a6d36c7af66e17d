import Glibc

/// Replays conversations against a hub that listens on a port of this machine.
package final class ConversationHubHost: ConversationHost {
    package let capabilities: Set<String>
    package let administratorSecret: String?
    private let port: Int
    /// All clients poll, whatever the conversations say.
    private let polls: Bool
    /// Namespaces that exist already, for a hub that makes none by itself.
    private var prepared: [String]
    private var count = 0

    /// - Parameters:
    ///   - capabilities: `dev` and `hosts`, or `locked`, as the hub was started.
    ///   - namespaces: empty databases to use one after the other; without them names are made up, which a hub with `--dev` takes.
    ///   - secret: the administrator's, of a hub in production mode.
    ///   - polls: replays everything with clients that poll instead of opening WebSockets.
    package init(
        port: Int, capabilities: Set<String> = ["dev", "hosts"], namespaces: [String] = [], secret: String? = nil,
        polls: Bool = false
    ) {
        self.port = port
        self.polls = polls
        self.capabilities = capabilities.union(["end", "reset", "longpoll"])
            .union(secret == nil ? [] : ["secret"]).union(polls ? [] : ["upgrade"])
        administratorSecret = secret
        prepared = namespaces
    }

    package var defaultHost: String { "127.0.0.1:\(port)" }

    package var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    package func emptyNamespace() -> String {
        if !prepared.isEmpty { return prepared.removeFirst() }
        count += 1
        return "c\(count)"
    }

    package func wait(_ duration: Duration) {
        let microseconds = duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
        usleep(UInt32(clamping: microseconds))
    }

    package func open(
        target: String, headers: [(name: String, value: String)]
    ) throws -> any ConversationConnection {
        let others = headers.filter { $0.name.lowercased() != "host" }.map { ($0.name, $0.value) }
        let host = headers.last { $0.name.lowercased() == "host" }?.value
        guard polls || target.hasPrefix("/.lp?") else {
            return Connection(
                try RawWebSocketClient(port: port, path: target, headers: others, hostHeader: host))
        }
        return try ConversationPolls(port: port, query: String(target.dropFirst(5)), headers: others, host: host)
    }

    private final class Connection: ConversationConnection {
        private let client: RawWebSocketClient

        init(_ client: RawWebSocketClient) { self.client = client }

        var response: (status: Int, headers: [(name: String, value: String)])? {
            (client.response.status, client.response.headers)
        }

        func send(text: String) throws { try client.send(text: text) }

        func receive(within: Duration) throws -> ConversationEvent {
            let deadline = ContinuousClock.now + within
            do {
                while true {
                    let frame = try client.receiveFrame(within: max(deadline - .now, .zero))
                    switch frame.opcode {
                    case .ping, .pong: continue
                    case .close: return .closed(code: frame.closeCode)
                    case .text where frame.isFinal: return .text(frame.text)
                    default: throw RawSocketError.unexpected("\(frame.opcode) frame, final: \(frame.isFinal)")
                    }
                }
            } catch RawSocketError.timedOut {
                return .nothing
            } catch RawSocketError.ended {
                return .closed(code: nil)
            } catch RawSocketError.reset {
                return .closed(code: nil)
            }
        }

        func end(_ how: ConversationEnding) throws {
            switch how {
            case .close: try client.sendClose()
            case .end: client.halfClose()
            case .reset: client.reset()
            case .vanish: client.answersPings = false
            }
        }
    }
}
