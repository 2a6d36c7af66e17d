import HubEngine
import TestSupport
import Testing

/// One input always gives one outcome: recovery, and later several hubs with one log, rest on it. Swift seeds its hash tables
/// anew for each of them, so an order that leaks from one shows here.
@Suite("Determinism")
struct DeterminismTests {
    @Test("the same proposals give the same messages and the same log, byte for byte", arguments: 1...4)
    func sameOutcome(seed: Int) throws {
        let one = try Self.run(seed: UInt64(seed))
        let other = try Self.run(seed: UInt64(seed))
        #expect(one.received == other.received)
        #expect(one.log == other.log)
        #expect(one.log.count > 50)
    }

    private static func run(seed: UInt64) throws -> (received: [[String]], log: [[UInt8]]) {
        var limits = Limits()
        if seed % 2 == 0 { limits.inlineLeaves = 8 }
        let hub = EngineHarness(presence: "online", limits: limits)
        hub.durability = .held
        hub.worksAtOnce = false
        let traffic = RandomTraffic(hub: hub, seed: seed + 600)
        traffic.signsIn = true
        traffic.namesWrites = true
        traffic.predictsTransactions = false
        traffic.predictsGets = false
        traffic.batchesAreCommits = false
        traffic.pipelines = true
        var devices = traffic.clients.map(\.device)
        for _ in 0..<300 {
            try traffic.step()
            for client in traffic.clients where !devices.contains(where: { $0 === client.device }) {
                devices.append(client.device)
            }
            if traffic.values.chance(30) { hub.workOnce() }
            if traffic.values.chance(20) { hub.settle(traffic.values.number(1...4)) }
            if traffic.values.chance(3) { hub.refuseHeld() }
        }
        hub.settle()
        return (devices.map(\.received), hub.log)
    }
}
