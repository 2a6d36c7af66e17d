import HubEngine

/// Names a long-poll session in a client's requests: who knows both speaks for it.
struct LongPollKey: Sendable {
    let id: ConnectionID
    let password: String

    /// The slot of the session, as `start` told it: `loop.slot.generation`.
    static func id(_ text: String) -> ConnectionID? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let loop = UInt16(parts[0]), let slot = UInt32(parts[1]),
            let generation = UInt16(parts[2])
        else { return nil }
        return ConnectionID(loop: loop, slot: slot, generation: generation)
    }

    /// Compares in a time that tells nothing about where the texts differ.
    func matches(_ password: String) -> Bool {
        guard self.password.utf8.count == password.utf8.count else { return false }
        return zip(self.password.utf8, password.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// What a request to `/.lp` asks for (`protocol/long-polling.md`, "Requests").
enum LongPollRequest: Sendable {
    /// A new session; `callback` is the number in the names of the page's functions, nil for the bare names.
    case start(callback: Int?)
    /// What the client sends, and a wish for what the hub has to send.
    case poll(LongPollKey, [LongPollSegment])
    /// The client leaves.
    case disconnect(LongPollKey)
    /// The page that says goodbye when it is taken away.
    case farewellPage

    static let path = "/.lp"

    /// - Throws: the refusal.
    init(_ head: HTTPHead) throws(LongPollProblem) {
        var values: [String: String] = [:]
        for argument in head.arguments where values[argument.name] == nil { values[argument.name] = argument.value }
        if values["start"] == "t" {
            guard let callback = values["cb"] else {
                self = .start(callback: nil)
                return
            }
            // It becomes part of a script.
            guard let number = LongPollRequest.number(callback) else { throw .callback }
            self = .start(callback: number)
            return
        }
        if values["dframe"] == "t" {
            self = .farewellPage
            return
        }
        guard let id = values["id"].flatMap(LongPollKey.id), let password = values["pw"] else { throw .unknownSession }
        let key = LongPollKey(id: id, password: password)
        if values["disconn"] == "t" {
            self = .disconnect(key)
            return
        }
        var segments: [LongPollSegment] = []
        while let text = values["d\(segments.count)"] {
            guard let number = values["seg\(segments.count)"].flatMap(LongPollRequest.number),
                let count = values["ts\(segments.count)"].flatMap(LongPollRequest.number)
            else { throw .segment }
            segments.append(LongPollSegment(number: number, count: count, text: Array(text.utf8)))
        }
        self = .poll(key, segments)
    }

    /// One to nine decimal digits.
    private static func number(_ text: String) -> Int? {
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return Int(text)
    }
}

/// Why a request to `/.lp` is refused.
enum LongPollProblem: Error, Equatable {
    case callback, segment, unknownSession, stopping

    var response: HTTPResponse {
        switch self {
        case .callback: .text(400, "cb must be a number of at most nine digits")
        case .segment: .text(400, "each of d0, d1, … needs a seg and a ts with the same number, both decimal")
        case .unknownSession:
            .text(404, "there is no such long-poll session, or it has ended: begin a new one with /.lp?start=t")
        case .stopping: .text(503, "this hub is stopping: connect again in a few seconds")
        }
    }
}
