import HubEngine
import TestSupport
import Testing
import WireProtocol

@testable import Gateway

extension LiveTests {
    @Suite("Long-polling")
    struct LongPollTests {
        /// Decodes control messages as they are, and everything else to its text.
        static let decoder = MessageDecoder { text in
            if text.starts(with: Array(#"{"t":"c""#.utf8)) { return try RequestDecoder.decode(text) }
            return try TestMessage.decoder.decode(text)
        }

        /// A hub whose engine greets, by hand.
        private func connect(
            _ hub: LiveGateway, query: String = "v=5&ns=demo", polls: Bool = true
        ) async throws -> (client: LongPollClient, id: ConnectionID) {
            let before = hub.sink().openings.count
            let client = try LongPollClient(port: hub.port, query: query)
            client.isPolling = polls
            try await eventually("the session opens") { hub.sink().openings.count > before }
            let id = hub.sink().openings[before].id
            let hello = ServerMessage.hello(timestamp: 1, host: "h", session: "1.secret\(before)")
            hub.post(.frame(hello, to: id), loop: id.loop)
            guard case .message(let text) = try client.receive() else { throw RawSocketError.timedOut("hello") }
            #expect(text.contains("1.secret\(before)"))
            return (client, id)
        }

        private func get(_ hub: LiveGateway, _ target: String, method: String = "GET") throws -> RawResponse {
            try RawWebSocketClient.http(port: hub.port, "\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        }

        @Test("opens a session, carries messages both ways, and ends it when the client says so")
        func roundTrip() async throws {
            let hub = try LiveGateway()
            let (client, id) = try await connect(hub, query: "v=5&ns=demo&ls=1.old")
            let opening = try #require(hub.sink().openings.first?.opening)
            #expect(opening.transport == .longPoll && opening.lastSession == "1.old")
            #expect(opening.userAgent.hasPrefix("Mozilla"))
            #expect(hub.metrics.connections(.longPoll).value == 1)
            #expect(client.opening.contains("parent.window[\"pRTLPCB7\"]"))

            try client.send(text: "one")
            try client.send(text: String(repeating: "é", count: 5000))
            try client.send(text: "three")
            hub.post(
                .frame(Frame(#"{"a":"it's \"x\" \\ "}"#), to: id), .frame(Frame(#"["__proto__"]"#), to: id))
            #expect(try client.receive() == .message(#"{"a":"it's \"x\" \\ "}"#))
            #expect(try client.receive() == .message(#"["__proto__"]"#))
            while hub.sink().texts.count < 3 { _ = try client.receive(within: .milliseconds(20)) }
            #expect(hub.sink().texts == ["one", String(repeating: "é", count: 5000), "three"])

            try client.disconnect()
            try await eventually("the session ends") { hub.sink().ends.count == 1 }
            #expect(hub.sink().ends[0].reason == .closedByClient)
            #expect(hub.metrics.connections(.longPoll).value == 0)
        }

        @Test("hands over messages that are larger than what a socket takes at once")
        func large() async throws {
            let hub = try LiveGateway()
            let (client, id) = try await connect(hub)
            let text = "[\"" + String(repeating: "large ", count: 500_000) + "\"]"
            hub.post(.frame(Frame(text), to: id), .frame(Frame("[2]"), to: id))
            #expect(try client.receive() == .message(text))
            #expect(try client.receive() == .message("[2]"))
        }

        @Test("sends many small messages in one request")
        func manySegments() async throws {
            let hub = try LiveGateway()
            let (client, _) = try await connect(hub)
            let text = String(repeating: "x", count: 44)
            client.isPolling = false
            for number in 0..<60 { try client.send(text: "\(number) \(text)") }
            client.isPolling = true
            while hub.sink().texts.count < 60 {
                guard try client.receive(within: .milliseconds(20)) == .nothing else { break }
            }
            #expect(hub.sink().texts == (0..<60).map { "\($0) \(text)" })
        }

        @Test("holds one poll: a second one lets the first go empty")
        func onePoll() async throws {
            let hub = try LiveGateway()
            let (client, _) = try await connect(hub, polls: false)
            let first = try RawSocket(port: hub.port)
            let second = try RawSocket(port: hub.port)
            let request = "GET /.lp?id=\(client.id)&pw=\(client.password) HTTP/1.1\r\nHost: x\r\n\r\n"
            try first.send(Array(request.utf8))
            #expect(throws: RawSocketError.timedOut("bytes")) {
                try RawWebSocketClient.readResponse(first, within: .milliseconds(100))
            }
            try second.send(Array(request.utf8))
            let answer = try RawWebSocketClient.readResponse(first).response
            #expect(answer.body == "pRTLPCB(1,JSON.parse('[]'));\n")
            #expect(answer.header("content-type") == "text/javascript; charset=utf-8")
            #expect(answer.header("x-content-type-options") == "nosniff")
            #expect(answer.header("cache-control") == "no-store")
        }

        @Test("lets a poll go after a while, and ends a session that no poll comes for")
        func silence() async throws {
            let hub = try LiveGateway { $0.deadPeerSeconds = 2 }
            let (client, _) = try await connect(hub)
            let before = client.answerCount
            #expect(try client.receive(within: .milliseconds(50)) == .nothing)
            client.isPolling = false
            try await eventually("the poll is let go") {
                _ = try client.receive(within: .milliseconds(50))
                return client.answerCount == before + 1
            }
            #expect(hub.sink().ends.isEmpty)
            try await eventually("the session ends") { hub.sink().ends.count == 1 }
            #expect(hub.sink().ends.first?.reason == .timedOut)
        }

        @Test("ends the session when the connection of its poll breaks")
        func broken() async throws {
            let hub = try LiveGateway()
            let (client, _) = try await connect(hub)
            #expect(try client.receive(within: .milliseconds(50)) == .nothing)
            client.hangUp()
            try await eventually("the session ends") { hub.sink().ends.count == 1 }
            #expect(hub.sink().ends[0].reason == .connectionLost)
        }

        @Test("refuses wrong names and passwords without effect, and numbers that are none")
        func refusals() async throws {
            let hub = try LiveGateway()
            let (client, _) = try await connect(hub)
            let wrong = String(client.password.dropLast()) + (client.password.hasSuffix("0") ? "1" : "0")
            for target in [
                "/.lp?id=\(client.id)&pw=\(wrong)&seg0=0&ts0=1&d0=eHh4", "/.lp?id=\(client.id)&pw=\(wrong)&disconn=t",
                "/.lp?id=\(client.id)&pw=", "/.lp?id=9.9.9&pw=\(client.password)", "/.lp?id=0.99999999999.0&pw=x",
                "/.lp",
                "/.lp?id=0.70000.0&pw=x",
            ] {
                let answer = try get(hub, target)
                #expect(answer.status == 404, "\(target)")
                #expect(answer.body.contains("/.lp?start=t"))
            }
            #expect(try get(hub, "/.lp?start=t&cb=1'alert").status == 400)
            #expect(try get(hub, "/.lp?start=t&ns=nowhere&cb=1").status == 404)
            #expect(try get(hub, "/.lp?id=\(client.id)&pw=\(client.password)&seg0=x&ts0=1&d0=eHh4").status == 400)
            #expect(try get(hub, "/.lp?start=t", method: "DELETE").status == 405)
            #expect(hub.sink().texts.isEmpty && hub.sink().ends.isEmpty)
        }

        @Test("serves the page that says goodbye, with nothing of the request in it")
        func farewell() throws {
            let hub = try LiveGateway()
            let page = try get(hub, "/.lp?dframe=t&id=0.1.2&pw=%3Cscript%3E")
            #expect(page.status == 200 && page.header("content-type") == "text/html; charset=utf-8")
            #expect(page.body == LongPollScript.farewellPage)
        }

        @Test("tells the client that the hub has closed, behind what was sent before")
        func close() async throws {
            let hub = try LiveGateway()
            let (client, id) = try await connect(hub)
            hub.post(.frame(Frame("[1]"), to: id), .close(id, .kicked))
            #expect(try client.receive() == .message("[1]"))
            #expect(try client.receive() == .closed)
            #expect(hub.sink().ends.first?.reason == .kicked)

            let (late, other) = try await connect(hub, polls: false)
            hub.post(.frame(Frame("[2]"), to: other), .close(other, .superseded))
            try await eventually("the session ends") { hub.sink().ends.count == 2 }
            late.isPolling = true
            #expect(try late.receive() == .message("[2]"))
            #expect(try late.receive() == .closed)
        }

        @Test("ends the session of a client that breaks the protocol, or takes too little")
        func misbehaviour() async throws {
            let hub = try LiveGateway { $0.queueLimit = 10_000 }
            let (bad, _) = try await connect(hub)
            try bad.send(text: "bad")
            #expect(try bad.receive() == .closed)
            let (slow, id) = try await connect(hub)
            slow.isPolling = false
            _ = try slow.receive(within: .milliseconds(20))
            hub.post(all: (0..<9).map { .frame(Frame(String(repeating: "\($0)", count: 2000)), to: id) })
            try await eventually("both end") { hub.sink().ends.count == 2 }
            #expect(hub.sink().ends.map(\.reason) == [.protocolError, .tooSlow])
        }

        @Test("closes its sessions with the hub")
        func drain() async throws {
            let hub = try LiveGateway()
            let (client, _) = try await connect(hub)
            hub.gateway.drain(over: .milliseconds(20))
            #expect(try client.receive() == .closed)
            #expect(hub.sink().ends.first?.reason == .serverStopping)
        }
    }
}
