import DataTree
import HubEngine
import Storage
import TestSupport
import Testing

/// A log that refuses now and then, under random traffic: what it refused never was.
@Suite("Refusals under random traffic")
struct RefusalPropertyTests {
    @Test(
        "no client ever sees what the log refused, every request has one answer, and the log tells the rest",
        arguments: 1...8)
    func refusals(seed: Int) throws {
        var limits = Limits()
        if seed % 2 == 0 { limits.inlineLeaves = 12 }
        let hub = EngineHarness(presence: seed % 3 == 0 ? "online" : nil, limits: limits)
        hub.durability = .held
        hub.worksAtOnce = seed % 4 != 0
        let traffic = RandomTraffic(hub: hub, seed: UInt64(seed) + 200)
        traffic.namesWrites = true
        traffic.signsIn = true
        traffic.predictsTransactions = false
        traffic.predictsGets = false
        traffic.batchesAreCommits = false
        traffic.pipelines = true
        traffic.isAdministered = true
        for _ in 0..<350 {
            try traffic.step()
            if traffic.values.chance(30) { hub.workOnce(at: 0) }
            if traffic.values.chance(10) { hub.settle(traffic.values.number(1...5)) }
            if traffic.values.chance(5) { hub.refuseHeld() }
            if traffic.values.chance(3) { try settle(hub, traffic) }
        }
        try settle(hub, traffic)
        try traffic.checkOutcomes(log: hub.log)
    }

    private func settle(_ hub: EngineHarness, _ traffic: RandomTraffic) throws {
        hub.settle()
        while !hub.pendingWork.isEmpty {
            hub.workOnce()
            hub.settle()
        }
        hub.advance(by: 1000)
        hub.settle()
        #expect(!hub.engine.owesEnds)
        try traffic.checkSettled()
        try traffic.checkWindows()
        while !hub.pendingWork.isEmpty {
            hub.workOnce()
            hub.settle()
        }
        try expectStateMatchesLog(hub)
    }

    /// What the engine would save is what redoing the log gives.
    private func expectStateMatchesLog(_ hub: EngineHarness) throws {
        let (snapshot, saved) = hub.engine.takeSnapshot(at: LogPosition(1))
        hub.engine.markUnsaved(saved)
        var saves = try DurableImage(
            LoadedState(position: snapshot.position, tree: snapshot.tree, records: snapshot.records))
        let redone = try hub.durableImage()
        saves.newestTime = redone.newestTime
        #expect(saves.tree == redone.tree)
        #expect(saves.sessions == redone.sessions)
        #expect(saves.writeIDs == redone.writeIDs)
        #expect(saves.lastSeen == redone.lastSeen)
        #expect(saves.rules == redone.rules)
        #expect(saves.settings == redone.settings)
    }
}
