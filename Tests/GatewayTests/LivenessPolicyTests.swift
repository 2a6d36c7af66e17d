import Testing

@testable import Gateway

@Suite("The liveness policy")
struct LivenessPolicyTests {
    /// One tick a second.
    let policy = LivenessPolicy(deadPeerSeconds: 45, ticksPerSecond: 1)

    @Test(
        "asks after 20 s of silence, or half the dead-peer time if that is less",
        arguments: [(45, 20), (90, 20), (30, 15), (10, 5), (1, 1)])
    func pingAfter(dead: Int, ping: UInt32) {
        let policy = LivenessPolicy(deadPeerSeconds: dead, ticksPerSecond: 1)
        #expect(policy.pingAfter == ping)
        #expect(policy.deadAfter == UInt32(dead))
    }

    @Test("waits while the client is heard")
    func heard() {
        #expect(policy.verdict(.init(now: 119, lastInbound: 100, isAsked: false)) == .wait(until: 120))
    }

    @Test("asks a silent client once, then waits for the deadline")
    func asks() {
        #expect(policy.verdict(.init(now: 120, lastInbound: 100, isAsked: false)) == .ask(lookAgain: 125))
        #expect(policy.verdict(.init(now: 125, lastInbound: 100, isAsked: true)) == .wait(until: 130))
        #expect(policy.verdict(.init(now: 143, lastInbound: 100, isAsked: true)) == .wait(until: 145))
    }

    @Test("gives up at the dead-peer time, counted from the last byte")
    func dead() {
        #expect(policy.verdict(.init(now: 144, lastInbound: 100, isAsked: true)) == .wait(until: 145))
        #expect(policy.verdict(.init(now: 145, lastInbound: 100, isAsked: true)) == .dead)
    }

    @Test("reads what is readable before it judges")
    func unread() {
        let seen = LivenessPolicy.Observation(now: 145, lastInbound: 100, isAsked: true, hasUnread: true)
        #expect(policy.verdict(seen) == .heard(lookAgain: 165))
    }

    @Test("stretches the limit to three times at most, and only while the peer's kernel takes what precedes the PING")
    func stretch() {
        var seen = LivenessPolicy.Observation(now: 145, lastInbound: 100, isAsked: true, isReceiving: true)
        #expect(policy.verdict(seen) == .wait(until: 150))
        seen.now = 233
        #expect(policy.verdict(seen) == .wait(until: 235))
        seen.isReceiving = false
        #expect(policy.verdict(seen) == .dead)
        seen.isReceiving = true
        seen.now = 235
        #expect(policy.verdict(seen) == .dead)
    }

    @Test("asks first even when the deadline passed unseen")
    func late() {
        #expect(policy.verdict(.init(now: 400, lastInbound: 100, isAsked: false)) == .ask(lookAgain: 401))
    }
}
