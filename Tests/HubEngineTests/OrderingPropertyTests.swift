import HubEngine
import TestSupport
import Testing

/// The ordering rules of the protocol under random traffic: every client believes its pushes and nothing else, and after
/// every batch its views must show exactly what the database held then. A push that is missing, early, late or doubled
/// with another value shows.
@Suite("Ordering under random traffic")
struct OrderingPropertyTests {
    @Test("views follow the database push by push, and answers come in order", arguments: 1...7)
    func atOnce(seed: Int) throws {
        let traffic = RandomTraffic(hub: EngineHarness(), seed: UInt64(seed))
        for step in 0..<500 {
            try traffic.step()
            if step % 50 == 49 { try traffic.checkSettled() }
        }
        try traffic.checkSettled()
    }

    @Test("the order holds for requests that come in one go", arguments: 1...4)
    func pipelined(seed: Int) throws {
        let traffic = RandomTraffic(hub: EngineHarness(), seed: UInt64(seed) + 800)
        traffic.pipelines = true
        traffic.predictsTransactions = false
        traffic.predictsGets = false
        traffic.batchesAreCommits = false
        for step in 0..<300 {
            try traffic.step()
            if step % 50 == 49 { try traffic.checkSettled() }
        }
    }

    @Test("the order holds while large answers and indexes are worked out elsewhere", arguments: 1...6)
    func workedOutElsewhere(seed: Int) throws {
        var limits = Limits()
        limits.inlineLeaves = 5
        let hub = EngineHarness(limits: limits)
        hub.worksAtOnce = false
        let traffic = RandomTraffic(hub: hub, seed: UInt64(seed) + 500)
        traffic.predictsTransactions = false
        traffic.predictsGets = false
        traffic.batchesAreCommits = false
        for step in 0..<350 {
            try traffic.step()
            if traffic.values.chance(40) { hub.workOnce(at: traffic.values.number(0...2)) }
            if step % 50 == 49 {
                while !hub.pendingWork.isEmpty { hub.work() }
                try traffic.checkSettled()
            }
        }
    }

    @Test("the order holds while the disk is slow", arguments: 1...5)
    func heldAndSettled(seed: Int) throws {
        let hub = EngineHarness()
        hub.durability = .held
        let traffic = RandomTraffic(hub: hub, seed: UInt64(seed) + 100)
        for _ in 0..<500 {
            try traffic.step()
            if traffic.values.chance(15) { hub.settle(traffic.values.number(1...6)) }
            if traffic.values.chance(4) {
                hub.settle()
                try traffic.checkSettled()
            }
        }
        hub.settle()
        try traffic.checkSettled()
    }
}
