import HubEngine
import WireProtocol

/// Where the answer to a poll goes: a request over HTTP, of whatever loop.
struct LongPollAsker: Sendable, Equatable {
    let connection: ConnectionID
    let number: UInt32
}

/// A long-poll session as its loop sees it: a session of the engine in a slot without a socket, for which polls stand in.
///
/// `starting → polling → switched`; the last one when a WebSocket goes on with it, and from then on the slot only passes on.
/// Confined to the loop's thread.
final class LongPollSession {
    enum State {
        /// The first request waits for the greeting.
        case starting(callback: Int?)
        case polling
        /// The WebSocket that goes on with it, on whatever loop.
        case switched(to: ConnectionID)
    }

    let id: String
    let password: String
    var state: State
    var packets: LongPollPackets
    /// The poll that waits for something to be sent, and since which tick.
    var held: (asker: LongPollAsker, since: UInt32)?
    /// The tick at which the connection of the poll that was held broke; nil when a later one came.
    var brokenSince: UInt32?
    /// What waits for a poll, in order.
    var outputs: [LongPollOutput] = []
    /// Bytes of the frames that wait.
    var waitingBytes = 0
    /// Bytes of answers that are on their way.
    let load = LongPollLoad()
    /// Numbers the answers from 0.
    var nextAnswer = 0
    /// In the loop's list of sessions that have something to send.
    var isReady = false
    /// The name by which a WebSocket finds it.
    var session: String?
    /// A WebSocket that may go on with it, and whether one that might have has ended.
    var upgrade: ConnectionID?
    var hasLostUpgrade = false

    init(id: ConnectionID, callback: Int?, messageLimit: Int) {
        self.id = id.description
        password = LongPollSession.randomText()
        state = .starting(callback: callback)
        packets = LongPollPackets(limit: messageLimit)
    }

    var isSwitched: Bool { if case .switched = state { true } else { false } }

    /// 126 bits from the system's generator, which nobody can guess: 32 digits, the first of each half being set.
    private static func randomText() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in String(generator.next() | 1 << 63 as UInt64, radix: 16) }.joined()
    }

    /// Everything that waits, as the script of the next answer.
    /// - Parameter closes: it is the last one.
    func takeAnswer(closes: Bool) -> LongPollAnswer {
        var head = ""
        if case .starting(let callback) = state {
            if let callback { head += LongPollScript.definitions(callback: callback) }
            head += LongPollScript.start(id: id, password: password)
            state = .polling
        }
        let messages = LongPollScript.messages(number: nextAnswer)
        let close = closes ? LongPollScript.close(after: nextAnswer) : ""
        let answer = LongPollAnswer(
            head: head + messages.head, outputs, tail: messages.tail + close, load: load)
        nextAnswer += 1
        outputs = []
        waitingBytes = 0
        return answer
    }

    /// The script that ends it at once.
    func closingScript() -> String {
        var script = ""
        if case .starting(let callback?) = state { script += LongPollScript.definitions(callback: callback) }
        return script + LongPollScript.close()
    }
}

/// What loops tell each other about long-poll sessions.
enum LongPollCommand: Sendable {
    /// A request for a session of the loop that is told.
    case request(LongPollRequest, from: LongPollAsker)
    /// The connection of a request that waits has broken.
    case broken(session: ConnectionID, LongPollAsker)
    /// A WebSocket wants to go on with the session.
    case offered(socket: ConnectionID, to: ConnectionID)
    /// The WebSocket has ended.
    case socketEnded(ConnectionID, session: ConnectionID, LeaveReason)
    /// The session goes on with the WebSocket, which belongs to the loop that is told.
    case switched(socket: ConnectionID)
}
