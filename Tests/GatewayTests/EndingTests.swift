import HubEngine
import Synchronization
import TestSupport
import Testing
import WireProtocol

@testable import Gateway

extension LiveTests {
    @Suite("The end of a session")
    struct EndingTests {
        enum Way: String, CaseIterable { case closeFrame, fin, reset, halfClose }

        @Test("is told at once and once, with its reason", arguments: Way.allCases)
        func ways(way: Way) async throws {
            let hub = try LiveGateway()
            let (client, id) = try await hub.connect()
            switch way {
            case .closeFrame: try client.sendClose()
            case .fin: client.close()
            case .reset: client.reset()
            case .halfClose: client.halfClose()
            }
            try await eventually("the end", within: .seconds(2)) { hub.sink().ends.count == 1 }
            #expect(hub.sink().ends.first?.reason == (way == .closeFrame ? .closedByClient : .connectionLost))
            #expect(hub.sink().ends.first?.id == id)
            if way == .closeFrame { #expect(try client.receiveEnd()?.closeCode == 1000) }
            try await Task.sleep(for: .milliseconds(50))
            #expect(hub.sink().ends.count == 1)
            #expect(hub.metrics.openConnections == 0)
        }

        @Test("is told at once when a client with a full queue leaves", arguments: Way.allCases)
        func withQueue(way: Way) async throws {
            let hub = try LiveGateway { $0.kernelSendBuffer = 16_384 }
            let (client, id) = try await hub.connect(receiveBuffer: 4_096)
            for _ in 0..<200 { hub.post(.frame(Frame(String(repeating: "f", count: 10_000)), to: id)) }
            try await eventually("a queue") { hub.metrics.sendQueueBytes.value > 100_000 }
            switch way {
            case .closeFrame: try client.sendClose()
            case .fin: client.close()
            case .reset: client.reset()
            case .halfClose: client.halfClose()
            }
            try await eventually("the end", within: .seconds(2)) { hub.sink().ends.count == 1 }
            try await eventually("an empty queue") { hub.metrics.sendQueueBytes.value == 0 }
        }

        @Test("waits for a client that does not answer the close frame, but not for long")
        func noAnswer() async throws {
            let hub = try LiveGateway()
            let (client, id) = try await hub.connect()
            hub.post(.close(id, .superseded))
            #expect(try client.receiveEnd()?.closeCode == 4409)
            try await eventually("the end") { hub.sink().ends.map(\.reason) == [.superseded] }
            let start = ContinuousClock.now
            #expect(try client.receiveEnd() == nil)
            #expect(ContinuousClock.now - start < .seconds(6))
        }

        @Test("of all sessions comes spread over the drain, with 1001, and new clients are refused")
        func drain() async throws {
            let hub = try LiveGateway { $0.loops = 2 }
            var clients: [RawWebSocketClient] = []
            for _ in 0..<40 { clients.append(try RawWebSocketClient(port: hub.port)) }
            try await eventually("all open") { hub.sink().openings.count == 40 }
            let start = ContinuousClock.now
            hub.gateway.drain(over: .milliseconds(300))
            for client in clients { #expect(try client.receiveEnd()?.closeCode == 1001) }
            #expect(ContinuousClock.now - start > .milliseconds(150))
            try await eventually("all ended") { hub.sink().ends.count == 40 }
            #expect(hub.sink().ends.allSatisfy { $0.reason == .serverStopping })
            #expect(throws: RawSocketError.self) { try RawWebSocketClient(port: hub.port, within: .seconds(2)) }
            hub.gateway.stop()
            #expect(ContinuousClock.now - start < .seconds(5))
        }

        @Test("comes for everybody when the gateway stops without a drain")
        func stop() async throws {
            let hub = try LiveGateway { $0.loops = 2 }
            var clients: [RawWebSocketClient] = []
            for _ in 0..<10 { clients.append(try RawWebSocketClient(port: hub.port)) }
            let half = try RawSocket(port: hub.port)
            try half.send(Array("GET /.ws".utf8))
            try await eventually("all open") { hub.sink().openings.count == 10 }
            hub.gateway.stop()
            #expect(hub.sink().ends.count == 10)
            for client in clients { #expect(try client.receiveEnd() == nil) }
            for outlet in 0..<2 { hub.post(.frame(Frame("late"), to: hub.sink().openings[0].id), loop: UInt16(outlet)) }
        }
    }
}

extension LiveTests {
    @Suite("Silent clients")
    struct SilenceTests {
        @Test("are asked by a PING that is really on the wire, and stay when they answer")
        func answering() async throws {
            let hub = try LiveGateway { $0.deadPeerSeconds = 2 }
            let (client, _) = try await hub.connect()
            #expect(try client.isSilent(for: .seconds(5)))
            #expect(client.pingCount >= 2)
            #expect(client.pingCount <= 6)
            #expect(hub.sink().ends.isEmpty)
        }

        @Test("are dead after the dead-peer time when they answer nothing, and hear nothing from libwebsockets itself")
        func dead() async throws {
            let hub = try LiveGateway { $0.deadPeerSeconds = 2 }
            let (client, _) = try await hub.connect()
            client.answersPings = false
            let start = ContinuousClock.now
            _ = try client.receiveEnd()
            let silence = ContinuousClock.now - start
            #expect(silence > .milliseconds(1_500))
            #expect(silence < .seconds(4))
            #expect(client.pingCount == 1)
            try await eventually("the end") { hub.sink().ends.map(\.reason) == [.timedOut] }
        }

        @Test("are not asked when they are the Java Admin SDK; the kernel watches them")
        func adminJava() async throws {
            let hub = try LiveGateway { $0.deadPeerSeconds = 2 }
            let (client, _) = try await hub.connect(headers: [("User-Agent", "Firebase/5/9.2.0/17/AdminJava")])
            #expect(try client.isSilent(for: .seconds(4)))
            #expect(client.pingCount == 0)
            #expect(hub.sink().ends.isEmpty)
        }

        @Test("live on what they send, and not on what is sent to them", arguments: [true, false])
        func oneWay(clientSends: Bool) async throws {
            let hub = try LiveGateway { $0.deadPeerSeconds = 3 }
            let (client, id) = try await hub.connect()
            client.answersPings = false
            let deadline = ContinuousClock.now + .seconds(7)
            while ContinuousClock.now < deadline, hub.sink().ends.isEmpty {
                if clientSends { try client.send(text: "0") }
                hub.post(.frame(Frame("news"), to: id))
                _ = try? client.receiveText(within: .milliseconds(100))
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(hub.sink().ends.map(\.reason) == (clientSends ? [] : [.timedOut]))
        }

        @Test("are not blamed for the time that the machine was paused")
        func paused() async throws {
            let clock = PushedClock()
            let hub = try LiveGateway(clock: clock) { $0.deadPeerSeconds = 4 }
            let (client, _) = try await hub.connect()
            for _ in 0..<3 {
                clock.push(milliseconds: 600_000)
                #expect(try client.isSilent(for: .milliseconds(600)))
            }
            #expect(hub.sink().ends.isEmpty)
        }

        // The client has to read on time, which it does not in a slow build.
        @Test(
            "on a slow line have longer while their kernel takes what precedes the PING",
            .enabled(if: !TestScale.isShort))
        func slowLine() async throws {
            let hub = try LiveGateway {
                $0.deadPeerSeconds = 2
                $0.kernelSendBuffer = 65_536
            }
            let (client, id) = try await hub.connect(receiveBuffer: 4_096)
            client.answersPings = false
            for _ in 0..<300 { hub.post(.frame(Frame(String(repeating: "f", count: 1_000)), to: id)) }
            // Reads a little all the time: its kernel goes on acknowledging.
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .milliseconds(3_500) {
                _ = try? client.socket.receive(upTo: 2_000, until: .now + .milliseconds(20))
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(hub.sink().ends.isEmpty, "given up although it was receiving")
            try await eventually("given up in the end") { hub.sink().ends.map(\.reason) == [.timedOut] }
            #expect(ContinuousClock.now - start < .seconds(9))
        }
    }
}
