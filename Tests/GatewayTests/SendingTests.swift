import HubEngine
import Synchronization
import TestSupport
import Testing
import WireProtocol

@testable import Gateway

/// A stream of numbered frames.
final class NumberedStream: SegmentStream {
    private let next = Atomic<Int>(0)
    private let count: Int
    private let frameBytes: Int
    let calls = Atomic<Int>(0)

    init(count: Int, frameBytes: Int) {
        self.count = count
        self.frameBytes = frameBytes
    }

    func next(upTo byteCount: Int, into bytes: inout [UInt8]) -> Bool {
        calls.wrappingAdd(1, ordering: .relaxed)
        repeat {
            let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
            let text = "stream \(index) "
            bytes += Frame(text + String(repeating: "s", count: max(0, frameBytes - text.utf8.count))).bytes
        } while bytes.count < byteCount && next.load(ordering: .relaxed) < count
        return next.load(ordering: .relaxed) < count
    }
}

extension LiveTests {
    @Suite("Sending")
    struct SendingTests {
        @Test("keeps the order of single frames, fan-outs and batches")
        func order() async throws {
            let hub = try LiveGateway()
            let (client, id) = try await hub.connect()
            let (other, otherID) = try await hub.connect()
            let both = ConnectionList([id, otherID])
            for round in 0..<50 {
                hub.post(
                    all: (0..<20).map { index -> LoopOutput in
                        let frame = Frame("\(round) \(index)")
                        return index % 3 == 0 ? .fanOut(frame, to: both) : .frame(frame, to: id)
                    })
            }
            for round in 0..<50 {
                for index in 0..<20 { #expect(try client.receiveText() == "\(round) \(index)") }
                for index in stride(from: 0, to: 20, by: 3) { #expect(try other.receiveText() == "\(round) \(index)") }
            }
        }

        @Test("carries messages of several megabytes in segments")
        func long() async throws {
            let hub = try LiveGateway()
            let (client, id) = try await hub.connect()
            let text = "\"" + String(repeating: "0123456789", count: 400_000) + "\""
            hub.post(.frame(Frame("before"), to: id), .frame(Frame(text), to: id), .frame(Frame("after"), to: id))
            #expect(try client.receiveText() == "before")
            #expect(try client.receiveMessage() == text)
            #expect(try client.receiveText() == "after")
        }

        @Test(
            "keeps what a slow client does not take, whole and in order, while libwebsockets answers its PINGs in between"
        )
        func slow() async throws {
            let hub = try LiveGateway { $0.kernelSendBuffer = 16_384 }
            let (client, id) = try await hub.connect(receiveBuffer: 4_096)
            let filler = String(repeating: "f", count: 700)
            for index in 0..<3_000 { hub.post(.frame(Frame("\(index) \(filler)"), to: id)) }
            try await eventually("a queue") { hub.metrics.sendQueueBytes.value > 500_000 }
            for index in 0..<5 { try client.send(RawFrame(.ping, Array("p\(index)".utf8))) }
            var received = 0
            var pongs = 0
            while received < 3_000 {
                let frame = try client.receiveFrame()
                if frame.opcode == .pong {
                    pongs += 1
                    continue
                }
                #expect(frame.text == "\(received) \(filler)")
                received += 1
            }
            #expect(pongs > 0)
            try await eventually("an empty queue") { hub.metrics.sendQueueBytes.value == 0 }
            hub.post(.frame(Frame("and on"), to: id))
            #expect(try client.receiveText() == "and on")
        }

        @Test("drops a client that does not read at all, with bounded memory, while the others go on")
        func tooSlow() async throws {
            let hub = try LiveGateway { $0.queueLimit = 1_000_000 }
            let (dead, deadID) = try await hub.connect(receiveBuffer: 4_096)
            let (client, id) = try await hub.connect()
            let both = ConnectionList([deadID, id])
            let filler = String(repeating: "f", count: 10_000)
            for index in 0..<400 {
                hub.post(.fanOut(Frame("\(index) \(filler)"), to: both))
                #expect(try client.receiveText() == "\(index) \(filler)")
            }
            try await eventually("the slow one is gone") { hub.sink().ends.map(\.reason) == [.tooSlow] }
            #expect(hub.sink().ends.first?.id == deadID)
            try await eventually("nothing is queued any more") { hub.metrics.sendQueueBytes.value == 0 }
            hub.post(.frame(Frame("late"), to: deadID), .frame(Frame("on"), to: id))
            #expect(try client.receiveText() == "on")
            dead.close()
            #expect(hub.sink().ends.count == 1)
        }

        @Test("pulls a stream as the socket drains, and what follows waits behind it")
        func stream() async throws {
            let hub = try LiveGateway {
                $0.queueLimit = 500_000
                $0.kernelSendBuffer = 16_384
            }
            let (client, id) = try await hub.connect(receiveBuffer: 4_096)
            let stream = NumberedStream(count: 4_000, frameBytes: 1_000)
            hub.post(.frame(Frame("before"), to: id), .stream(stream, to: id), .frame(Frame("after"), to: id))
            try await Task.sleep(for: .milliseconds(200))
            let ahead = stream.calls.load(ordering: .relaxed) * 33_000
            #expect(ahead < 2_000_000, "the stream runs ahead of the client")
            #expect(try client.receiveText() == "before")
            for index in 0..<4_000 { #expect(try client.receiveText().hasPrefix("stream \(index) ")) }
            #expect(try client.receiveText() == "after")
            #expect(hub.sink().ends.isEmpty)
        }

        @Test("closes after what is queued, with the reason's code, and sends nothing after it")
        func closes() async throws {
            let hub = try LiveGateway { $0.kernelSendBuffer = 16_384 }
            let (client, id) = try await hub.connect(receiveBuffer: 4_096)
            let filler = String(repeating: "f", count: 1_000)
            hub.post(all: (0..<1_000).map { .frame(Frame("\($0) \(filler)"), to: id) })
            hub.post(.close(id, .kicked), .frame(Frame("never"), to: id))
            try await eventually("the end") { hub.sink().ends.map(\.reason) == [.kicked] }
            for index in 0..<1_000 { #expect(try client.receiveText() == "\(index) \(filler)") }
            let end = try client.receiveEnd()
            #expect(end?.closeCode == 4403)
            #expect(end?.closeText == "kicked")
            try client.sendClose(code: 4403)
            #expect(try client.receiveEnd() == nil)
            #expect(hub.sink().ends.count == 1)
        }

        @Test("discards outputs for connections that are gone, also when their slot is used again")
        func stale() async throws {
            let hub = try LiveGateway()
            var gone: [ConnectionID] = []
            for _ in 0..<200 {
                let (client, id) = try await hub.connect()
                client.reset()
                gone.append(id)
            }
            try await eventually("all gone") { hub.sink().ends.count == 200 }
            let (client, id) = try await hub.connect()
            #expect(gone.contains { $0.slot == id.slot }, "slots are used again")
            hub.post(all: gone.map { .frame(Frame("for somebody else"), to: $0) })
            hub.post(.fanOut(Frame("for somebody else"), to: ConnectionList(gone)))
            hub.post(.close(gone[0], .kicked), .stream(NumberedStream(count: 3, frameBytes: 10), to: gone[1]))
            hub.post(.frame(Frame("mine"), to: ConnectionID(loop: 0, slot: 9_999_999, generation: 0)))
            hub.post(.frame(Frame("mine"), to: id))
            #expect(try client.receiveText() == "mine")
            #expect(Set(gone).count == 200)
        }

        @Test("serves more clients than a turn's share, and what is posted meanwhile")
        func manyTurns() async throws {
            let hub = try LiveGateway()
            var clients: [RawWebSocketClient] = []
            for _ in 0..<1_500 { clients.append(try RawWebSocketClient(port: hub.port)) }
            try await eventually("all open") { hub.sink().openings.count == 1_500 }
            let list = ConnectionList(hub.sink().openings.map(\.id))
            for index in 0..<40 {
                hub.post(.fanOut(Frame("\(index)"), to: list))
                try await Task.sleep(for: .milliseconds(Int64(index % 5)))
            }
            for client in clients {
                for index in 0..<40 { #expect(try client.receiveText() == "\(index)") }
            }
        }

        @Test("gets through a burst of more deliveries than it sorts at a time")
        func burst() async throws {
            let hub = try LiveGateway()
            var clients: [RawWebSocketClient] = []
            for _ in 0..<300 { clients.append(try RawWebSocketClient(port: hub.port)) }
            try await eventually("all open") { hub.sink().openings.count == 300 }
            let list = ConnectionList(hub.sink().openings.map(\.id))
            hub.post(all: (0..<1_000).map { .fanOut(Frame("\($0)"), to: list) })
            for client in clients {
                for index in 0..<1_000 { #expect(try client.receiveText() == "\(index)") }
            }
            #expect(hub.sink().ends.isEmpty)
        }

        @Test("takes outputs from several threads while clients come and go")
        func threads() async throws {
            let hub = try LiveGateway { $0.loops = 2 }
            var clients: [(RawWebSocketClient, ConnectionID)] = []
            for _ in 0..<8 { clients.append(try await hub.connect()) }
            let ids = clients.map(\.1)
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<4 {
                    group.addTask {
                        for index in 0..<500 {
                            for id in ids { hub.post(.frame(Frame("\(thread) \(index)"), to: id), loop: id.loop) }
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<100 { try? RawWebSocketClient(port: hub.port).reset() }
                }
            }
            for (client, _) in clients {
                var next = [0, 0, 0, 0]
                for _ in 0..<2_000 {
                    let words = try client.receiveText().split(separator: " ").compactMap { Int($0) }
                    #expect(next[words[0]] == words[1])
                    next[words[0]] += 1
                }
            }
        }
    }
}
