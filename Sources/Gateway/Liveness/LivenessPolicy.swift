/// When a silent client is asked, and when it is given up. All times in ticks of the loop's clock.
///
/// Only what a client sends is proof of life: bytes or pongs. After `pingAfter` of silence it is sent a PING; after
/// `deadAfter`, counted from its last byte, it is dead. A client on a slow line may have much to receive before it can see the
/// PING: as long as its kernel keeps acknowledging those bytes it has up to three times as long.
struct LivenessPolicy: Equatable, Sendable {
    let pingAfter: UInt32
    let deadAfter: UInt32
    /// Between looks at a client that was asked and has not answered.
    let probeEvery: UInt32

    /// The longest silence before a PING, whatever the dead-peer time: proxies cut sockets that are idle for 60 s.
    static let longestSilenceSeconds = 20
    private static let longestStretch: UInt32 = 3

    /// - Parameter ticksPerSecond: of the loop's clock.
    init(deadPeerSeconds: Int, ticksPerSecond: Int) {
        let dead = max(deadPeerSeconds, 1) * ticksPerSecond
        deadAfter = UInt32(clamping: dead)
        pingAfter = UInt32(clamping: max(1, min(LivenessPolicy.longestSilenceSeconds * ticksPerSecond, dead / 2)))
        probeEvery = UInt32(clamping: max(1, dead / 9))
    }

    /// What is known of one client.
    struct Observation: Equatable {
        var now: UInt32
        /// When the last byte or pong came.
        var lastInbound: UInt32
        /// A PING went out since then.
        var isAsked: Bool
        /// Bytes wait to be read: the client has spoken, and nobody has listened yet.
        var hasUnread = false
        /// Since the last look the client's kernel acknowledged data that was sent before the PING, and the PING itself is not
        /// acknowledged.
        var isReceiving = false
    }

    /// What to do with a client now.
    enum Verdict: Equatable {
        /// Look again at this tick.
        case wait(until: UInt32)
        /// Send a PING and look again at this tick.
        case ask(lookAgain: UInt32)
        /// The client has spoken just now.
        case heard(lookAgain: UInt32)
        case dead
    }

    func verdict(_ seen: Observation) -> Verdict {
        let silence = seen.now &- seen.lastInbound
        if silence < pingAfter { return .wait(until: seen.lastInbound + pingAfter) }
        if seen.hasUnread { return .heard(lookAgain: seen.now + pingAfter) }
        let deadline = seen.lastInbound + deadAfter
        if !seen.isAsked { return .ask(lookAgain: min(seen.now + probeEvery, max(deadline, seen.now + 1))) }
        if seen.now < deadline { return .wait(until: min(seen.now + probeEvery, deadline)) }
        if seen.isReceiving && silence < deadAfter * LivenessPolicy.longestStretch {
            return .wait(
                until: min(seen.now + probeEvery, seen.lastInbound + deadAfter * LivenessPolicy.longestStretch))
        }
        return .dead
    }
}
