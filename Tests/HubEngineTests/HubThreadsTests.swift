import DataTree
import HubEngine
import Storage
import TestSupport
import Testing
import WireProtocol

/// A whole hub with its threads, on a log that is late, refuses and fails.
@Suite("A hub's threads", .blocking)
struct HubThreadsTests {
    private static func connection(_ slot: UInt32) -> ConnectionID {
        ConnectionID(loop: UInt16(slot % 2), slot: slot, generation: 1)
    }

    private static func put(_ number: Int, _ id: String, at path: String) -> String {
        #"{"t":"d","d":{"r":\#(number),"a":"p","b":{"p":"/\#(path)","d":{".sv":{"increment":1}},"w":"\#(id)"}}}"#
    }

    @Test("nothing that depends on a commit leaves before it is durable")
    func durableFirst() throws {
        let hub = try ScriptedHub()
        let (ada, bob) = (Self.connection(1), Self.connection(2))
        try hub.open(ada)
        try hub.open(bob)
        try hub.send(bob, [#"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/x","h":""}}}"#])
        #expect(hub.outlet.wait(for: 2, bob).count == 2)
        hub.log.setHolding(true)
        try hub.send(ada, [Self.put(1, "a", at: "x")])
        try hub.send(ada, [#"{"t":"d","d":{"r":2,"a":"g","b":{"p":"/x","q":{}}}}"#])
        while hub.log.heldCount == 0 { pause(milliseconds: 1) }
        #expect(hub.outlet.received(ada).count == 1)
        #expect(hub.outlet.received(bob).count == 2)
        hub.log.setHolding(false)
        #expect(hub.outlet.wait(for: 3, ada).suffix(2).map { $0.contains(#""s":"ok""#) } == [true, true])
        #expect(hub.outlet.wait(for: 3, bob).last == #"{"t":"d","d":{"a":"d","b":{"p":"x","d":1}}}"#)
        hub.hub.stop()
    }

    @Test("what the log refuses is answered unavailable, and what comes after it counts again")
    func refused() throws {
        let hub = try ScriptedHub()
        let ada = Self.connection(1)
        try hub.open(ada)
        #expect(hub.outlet.wait(for: 1, ada).count == 1)
        hub.log.setHolding(true)
        try hub.send(ada, [Self.put(1, "a", at: "x")])
        while hub.log.heldCount == 0 { pause(milliseconds: 1) }
        hub.log.deliverRefused()
        hub.log.setHolding(false)
        #expect(hub.outlet.wait(for: 2, ada).last?.contains(#""s":"unavailable""#) == true)
        try hub.send(ada, [Self.put(2, "a", at: "x"), #"{"t":"d","d":{"r":3,"a":"g","b":{"p":"/x","q":{}}}}"#])
        #expect(hub.outlet.wait(for: 4, ada).last == #"{"t":"d","d":{"r":3,"b":{"s":"ok","d":1}}}"#)
        hub.hub.stop()
    }

    @Test("when nobody knows what is durable the hub must end, and answers nothing")
    func failed() throws {
        let hub = try ScriptedHub()
        let ada = Self.connection(1)
        try hub.open(ada)
        #expect(hub.outlet.wait(for: 1, ada).count == 1)
        hub.log.setHolding(true)
        try hub.send(ada, [Self.put(1, "a", at: "x")])
        while hub.log.heldCount == 0 { pause(milliseconds: 1) }
        hub.log.deliverFailed()
        #expect(hub.failures.wait(until: monotonicNanoseconds() + 5_000_000_000) { $0.isEmpty ? nil : $0.count } == 1)
        #expect(hub.outlet.received(ada).count == 1)
    }

    @Test(
        "many loops, a slow disk that refuses now and then: each request has one answer, in order, and the log is right",
        arguments: 1...3)
    func storm(seed: Int) throws {
        let hub = try ScriptedHub()
        let connections = (1...8).map { Self.connection(UInt32($0)) }
        for connection in connections {
            try hub.open(connection)
            #expect(hub.outlet.wait(for: 1, connection).count == 1)
        }
        hub.log.setHolding(true)
        let rounds = 150
        let sending = Monitor(connections.count)
        for connection in connections {
            _ = startThread {
                for round in 1...rounds {
                    let id = "\(connection.slot)-\(round)"
                    try? hub.send(connection, [Self.put(round, id, at: "n\(connection.slot % 3)")])
                }
                sending.update { $0 -= 1 }
            }
        }
        var random = SeededRandom(UInt64(seed))
        let end = monotonicNanoseconds() + 20_000_000_000
        func isDone() -> Bool { connections.allSatisfy { hub.outlet.received($0).count > rounds } }
        while !isDone() && monotonicNanoseconds() < end {
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where hub.log.heldCount > 0 && !hub.log.isRefusing: hub.log.deliverRefused()
            case 1...4: hub.log.deliverDurable(count: Int.random(in: 1...5, using: &random))
            case 5: hub.log.deliverDurable()
            default: break
            }
            pause(milliseconds: UInt32.random(in: 0...2, using: &random))
        }
        hub.log.setHolding(false)
        #expect(sending.wait(until: end) { $0 == 0 ? true : nil } == true)
        hub.hub.stop()
        try expectAnswersMatchLog(hub, connections, rounds: rounds)
    }

    private func expectAnswersMatchLog(_ hub: ScriptedHub, _ connections: [ConnectionID], rounds: Int) throws {
        var image = DurableImage()
        var logged: [String] = []
        for bytes in hub.log.durableEntries {
            let entry = try bytes.withUnsafeBytes { try LogEntry(decoding: $0) }
            for case .commit(let commit) in entry.records { logged += [commit.writeID].compactMap { $0 } }
            image.redo(entry)
        }
        var answered: [String] = []
        for connection in connections {
            let responses = hub.outlet.received(connection).dropFirst().filter { !$0.hasPrefix("close") }
            #expect(responses.count == rounds)
            for (round, text) in zip(1..., responses) {
                guard case .response(let response) = try DeviceMessage(text) else {
                    Issue.record("\(text) is no answer")
                    continue
                }
                #expect(response.number == round)
                #expect(response.status == "ok" || response.status == "unavailable")
                if response.status == "ok" { answered.append("\(connection.slot)-\(round)") }
            }
        }
        #expect(answered.sorted() == logged.sorted())
        var sum = 0
        image.tree.forEachChild { _, node in
            if case .integer(let count)? = node.leaf { sum += Int(count) }
            return true
        }
        #expect(sum == logged.count)
        #expect(image.sessions.isEmpty)
    }
}

private func pause(milliseconds: UInt32) { sleepUntil(monotonicNanoseconds() + UInt64(milliseconds) * 1_000_000) }
