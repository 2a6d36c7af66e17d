import HubEngine
import TestSupport
import Testing
import WireProtocol

@testable import Gateway

extension LiveTests {
    @Suite("Going on with a WebSocket")
    struct LongPollUpgradeTests {
        private static let acknowledge = #"{"t":"c","d":{"t":"a","d":{}}}"#
        private static let end = #"{"t":"c","d":{"t":"n","d":{}}}"#

        private func connect(_ hub: LiveGateway) async throws -> (client: LongPollClient, id: ConnectionID) {
            let before = hub.sink().openings.count
            let client = try LongPollClient(port: hub.port)
            try await eventually("the session opens") { hub.sink().openings.count > before }
            let id = hub.sink().openings[before].id
            hub.post(
                .frame(ServerMessage.hello(timestamp: 1, host: "h", session: "1.secret\(before)"), to: id),
                loop: id.loop)
            _ = try client.receive()
            return (client, id)
        }

        private func offer(_ hub: LiveGateway, session: String) throws -> RawWebSocketClient {
            let socket = try RawWebSocketClient(port: hub.port, path: "/.ws?v=5&ns=demo&s=\(session)")
            #expect(try socket.receiveText() == Self.acknowledge)
            return socket
        }

        @Test("loses and doubles nothing and keeps the order, whichever loops serve the two", arguments: [1, 3])
        func switching(loops: Int) async throws {
            let hub = try LiveGateway(decode: LongPollTests.decoder) { $0.loops = loops }
            for round in 0..<(loops * 2) {
                let (client, id) = try await connect(hub)
                let socket = try offer(hub, session: "1.secret\(round)")
                let texts = hub.sink().texts.count
                for _ in 0..<2 {
                    try socket.send(text: #"{"t":"c","d":{"t":"p","d":{}}}"#)
                    #expect(try socket.receiveText() == #"{"t":"c","d":{"t":"o","d":{}}}"#)
                }
                client.isPolling = false
                try client.send(text: "first")
                try socket.send(text: Self.acknowledge)
                // It overtakes what is still under way on the polls.
                try socket.send(text: "third")
                try await eventually("nothing is taken early") { hub.sink().texts.count == texts }
                try client.send(text: "second")
                hub.post(.frame(Frame("[1]"), to: id), loop: id.loop)
                #expect(try client.receive() == .message("[1]"))
                try client.send(text: Self.end)
                client.isPolling = true
                var polled: [String] = []
                while case .message(let text) = try client.receive() { polled.append(text) }
                #expect(polled == [Self.end])
                try socket.send(text: "fourth")
                try await eventually("all arrive") { hub.sink().texts.count == texts + 4 }
                #expect(hub.sink().texts.suffix(4) == ["first", "second", "third", "fourth"])
                hub.post(.frame(Frame("[2]"), to: id), .frame(Frame("[3]"), to: id), loop: id.loop)
                #expect(try socket.receiveText() == "[2]")
                #expect(try socket.receiveText() == "[3]")
                #expect(hub.metrics.connections(.webSocket).value == 1)
                #expect(hub.metrics.connections(.longPoll).value == 0)
                // The frame of the polls goes, and with it a goodbye that means nothing any more.
                try client.disconnect()
                hub.post(.frame(Frame("[4]"), to: id), loop: id.loop)
                #expect(try socket.receiveText() == "[4]")
                #expect(hub.sink().openings.count == round + 1 && hub.sink().ends.count == round)

                if round % 2 == 0 {
                    try socket.sendClose()
                    try await eventually("the session ends") { hub.sink().ends.count == round + 1 }
                    #expect(hub.sink().ends.last?.reason == .closedByClient)
                } else {
                    hub.post(.close(id, .kicked), loop: id.loop)
                    #expect(try socket.receiveEnd()?.closeCode == 4403)
                    #expect(hub.sink().ends.last?.reason == .kicked)
                }
                #expect(hub.sink().ends.last?.id == id)
                #expect(hub.metrics.connections(.webSocket).value == 0)
            }
        }

        @Test("is given up without harm when the socket is lost first")
        func lost() async throws {
            let hub = try LiveGateway(decode: LongPollTests.decoder)
            let (client, id) = try await connect(hub)
            let socket = try offer(hub, session: "1.secret0")
            socket.reset()
            try client.send(text: "on")
            try await eventually("the polls go on") { hub.sink().texts == ["on"] }
            hub.post(.frame(Frame("[1]"), to: id))
            #expect(try client.receive() == .message("[1]"))
            let second = try offer(hub, session: "1.secret0")
            _ = second
            #expect(hub.sink().ends.isEmpty)
        }

        @Test("is refused for a session that is not there, and ends with one that ends")
        func refused() async throws {
            let hub = try LiveGateway(decode: LongPollTests.decoder)
            let (client, _) = try await connect(hub)
            for target in ["/.ws?ns=demo&s=1.other", "/.ws?ns=elsewhere&s=1.secret0"] {
                let error = #expect(throws: RawSocketError.self) {
                    _ = try RawWebSocketClient(port: hub.port, path: target)
                }
                #expect(error.map { "\($0)".contains("status 404") } == true)
            }
            let socket = try offer(hub, session: "1.secret0")
            try client.disconnect()
            #expect(try socket.receiveEnd()?.closeCode == 1000)
            #expect(hub.sink().openings.count == 1 && hub.sink().ends.count == 1)
            #expect(throws: RawSocketError.self) {
                _ = try RawWebSocketClient(port: hub.port, path: "/.ws?ns=demo&s=1.secret0")
            }
        }
    }
}
