import Glibc
import TestSupport
import Testing

/// What the hub, or libwebsockets before it, does with requests that no decent client sends (`protocol/rest.md`, "HTTP").
@Suite("a hub and hostile requests", .blocking, .serialized)
struct HostileHTTPTests {
    private static let hub = Result { try HubProcess("--dev", "--memory") }
    private let scene: HTTPScene

    init() throws { scene = try HTTPScene(HostileHTTPTests.hub.get()) }

    private func put(_ headers: String, _ body: String, target: String = "/a.json?ns=demo") -> String {
        "PUT \(target) HTTP/1.1\r\nHost: x\r\n\(headers)\r\n\(body)"
    }

    @Test("heads and bodies that never end are given up after ten seconds, a thousand of them too; others are served")
    func halfOpen() throws {
        let count = TestScale.pick(1000, short: 200)
        var sockets: [RawSocket] = []
        for number in 0..<count {
            let socket = try scene.open()
            let start =
                switch number % 4 {
                case 0: ""
                case 1: "GET /a.json?ns=demo HT"
                case 2: "GET /a.json?ns=demo HTTP/1.1\r\nHost: x\r\nX-Slow: 1"
                default: put("Content-Length: 100\r\n", "[1,2,3,")
                }
            try socket.send(Array(start.utf8))
            sockets.append(socket)
        }
        try scene.expectService(2)
        for socket in sockets {
            // Silent ones end with a reset when something of theirs was not read.
            #expect { _ = try socket.receive(until: .now + .seconds(60)) } throws: { error in
                error as? RawSocketError == .ended || error as? RawSocketError == .reset
            }
        }
        try scene.expectCalm()
    }

    @Test("many headers are read, a head of more than 16 KiB ends the connection without an answer")
    func longHeads() throws {
        let many = (0..<1000).map { "X-\($0): y\r\n" }.joined()
        let head = "GET /a.json?ns=demo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        #expect(try scene.exchange(head + many + "\r\n").hasPrefix("HTTP/1.1 200 "))
        let long = String(repeating: "y", count: 20_000)
        #expect(try scene.exchange(head + "X-Long: \(long)\r\n\r\n") == "")
        #expect(try scene.exchange("GET /a.json?x=\(long) HTTP/1.1\r\nHost: x\r\n\r\n") == "")
        // A head that goes on for ever.
        let socket = try scene.open()
        try socket.send(Array(head.utf8))
        #expect(throws: RawSocketError.self) {
            for number in 0..<1_000_000 { try socket.send(Array("X-\(number): flood\r\n".utf8)) }
        }
        socket.close()
        try scene.expectCalm()
    }

    @Test("requests without bodies are answered in order while the ones before them wait")
    func pipelinedReads() throws {
        _ = try scene.rest.put("/n.json", #"{"a":1,"b":2,"c":3}"#)
        let socket = try scene.open()
        let names = (0..<60).map { ["a", "b", "c"][$0 % 3] }
        let requests = names.map { "GET /n/\($0).json?ns=demo HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
        try socket.send(Array((requests + "DELETE /n.json?ns=demo HTTP/1.1\r\nHost: x\r\n\r\n").utf8))
        let reader = AnswerReader(socket)
        for name in names {
            let value = ["a": 1, "b": 2, "c": 3][name] ?? 0
            #expect(try reader.answer(until: .now + .seconds(30)).outcome == "200 \(value)")
        }
        #expect(try reader.answer(until: .now + .seconds(30)).outcome == "200 null")
        socket.close()
        try scene.expectCalm()
    }

    /// libwebsockets 4.1 takes the head of such a request for its body, and then never comes back.
    @Test(
        "a request with a body that comes before its time is refused, and the connection ends",
        arguments: ["GP", "PP", "DP", "ZP", "GGGP", "PGP", "GC", "GU", "GB", "GPG"])
    func pipelinedWrites(_ kinds: String) throws {
        let requests: [Character: String] = [
            "G": "GET /p.json?ns=demo HTTP/1.1\r\nHost: x\r\n\r\n", "Z": "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
            "D": "DELETE /q.json?ns=demo HTTP/1.1\r\nHost: x\r\n\r\n", "P": put("Content-Length: 3\r\n", "123"),
            "C": put("Transfer-Encoding: chunked\r\n", "3\r\n123\r\n0\r\n\r\n"), "U": put("", ""),
            "B": "GET /p.json?ns=demo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n123",
        ]
        let text = try scene.exchange(kinds.compactMap { requests[$0] }.joined())
        let statuses = text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
        let refused = kinds.dropFirst().firstIndex { "PCUB".contains($0) } ?? kinds.endIndex
        let served = kinds.distance(from: kinds.startIndex, to: refused)
        #expect(statuses == Array(repeating: "200", count: served) + ["503"], "\(text)")
        try scene.expectCalm()
    }

    @Test("a write, its answer, a write: nothing is refused when the client waits")
    func sequence() throws {
        for number in 0..<50 {
            #expect(try scene.rest.put("/a.json", "\(number)").outcome == "200 \(number)")
            #expect(try scene.rest.get("/a.json").outcome == "200 \(number)")
            #expect(scene.rest.isConnected)
        }
        try scene.expectCalm()
    }

    @Test(
        "what libwebsockets refuses by itself: with a page of its own, or with silence",
        arguments: [
            ("GET http://x/a.json?ns=demo HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.0 403 "),
            ("GET /%zz.json?ns=demo HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.0 403 "),
            ("BREW /a.json?ns=demo HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.0 403 "),
            ("GET /a%00b.json?ns=demo HTTP/1.1\r\nHost: x\r\n\r\n", ""), ("\u{16}\u{3}\u{1}\r\n\r\n", ""),
        ])
    func refusedEarly(_ request: String, _ answer: String) throws {
        let received = try scene.exchange(request)
        #expect(answer.isEmpty ? received.isEmpty || received.hasPrefix("HTTP/1.0 403 ") : received.hasPrefix(answer))
        try scene.expectCalm()
    }

    @Test(
        "lengths that two servers could take for different ones are refused, and the connection ends",
        arguments: [
            "Content-Length: 1\r\nContent-Length: 2\r\n", "Content-Length: 1\r\nContent-Length: 1\r\n",
            "Content-Length: -1\r\n", "Content-Length: +1\r\n", "Content-Length: 0x1\r\n", "Content-Length: 1 1\r\n",
            "Content-Length: 99999999999999999999\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
            "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: identity\r\n",
        ])
    func lengths(_ headers: String) throws {
        let received = try scene.exchange(put(headers, "1\r\n1\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"))
        #expect(received.hasPrefix("HTTP/1.1 400 ") && received.contains("connection: close"), "\(received)")
        #expect(received.split(separator: "HTTP/1.1 ").count == 1, "\(received)")
        try scene.expectCalm()
    }

    /// A name that is the beginning of one that libwebsockets knows makes it lose the next header.
    @Test("a header that hides the next one hides it from everybody: the request is another one, the connection whole")
    func prefixes() throws {
        for name in ["X-Auth", "Content", "A", "H", "Accept-E"] {
            let received = try scene.exchange(put("\(name): v\r\nContent-Length: 1\r\n", "1GET / HTTP/1.1\r\n\r\n"))
            #expect(received.hasPrefix("HTTP/1.1 400 ") && received.contains("connection: close"), "\(received)")
            #expect(received.split(separator: "HTTP/1.1 ").count == 1, "\(received)")
        }
        try scene.expectCalm()
    }
}
