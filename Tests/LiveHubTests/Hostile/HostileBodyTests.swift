import Glibc
import TestSupport
import Testing

@Suite("a hub and hostile bodies", .blocking, .serialized)
struct HostileBodyTests {
    private static let hub = Result { try HubProcess("--dev", "--memory") }
    private let scene: HTTPScene
    private let folder = TemporaryFolder()

    init() throws { scene = try HTTPScene(HostileBodyTests.hub.get()) }

    private static let chunkedHead =
        "PUT /a.json?ns=demo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(
        "chunks that are none, or more frame than data, are refused",
        arguments: [
            "zz\r\n", "\r\n", "-1\r\n", "ffffffffffffffffff\r\n", "1\r\n12\r\n0\r\n\r\n",
            String(repeating: "1\r\nx\r\n", count: 30_000), "1;" + String(repeating: "e", count: 100_000),
            "0\r\n" + String(repeating: "T: 1\r\n", count: 30_000),
        ])
    func chunks(_ body: String) throws {
        let socket = try scene.open()
        try? socket.send(Array((HostileBodyTests.chunkedHead + body).utf8))
        let answer = try? AnswerReader(socket).answer(until: .now + .seconds(30))
        // What is sent on after the answer makes the system take the answer back.
        #expect(answer == nil || answer?.status == 400, "\(answer?.outcome ?? "")")
        socket.close()
        try scene.expectCalm()
    }

    @Test("small chunks that make up for their frames are read, cut anywhere")
    func smallChunks() throws {
        let digits = String(repeating: "7", count: 400)
        let body = "1\r\n\"\r\n" + digits.map { "1\r\n\($0)\r\n" }.joined() + "1\r\n\"\r\n0\r\n\r\n"
        let socket = try scene.open()
        for byte in Array((HostileBodyTests.chunkedHead + body).utf8) { try socket.send([byte]) }
        #expect(try AnswerReader(socket).answer(until: .now + .seconds(30)).outcome == "200 \"\(digits)\"")
        socket.close()
        try scene.expectCalm()
    }

    /// A file compressed by the system's gzip.
    private func compressed(_ command: String) throws -> [UInt8] {
        let path = folder.path(of: "body.gz")
        let run = try HubProcess.run(command: ["/bin/sh", "-c", "\(command) | gzip -1 > '\(path)'"])
        guard run.exit == .code(0) else { throw DeviceError.missing("gzip: \(run.error)") }
        return try DataFiles.read(path)
    }

    private func send(_ bytes: [UInt8]) throws -> ReceivedAnswer {
        let head = scene.rest.text(
            "PUT", "/z.json", nil, ["Content-Encoding": "gzip", "Content-Length": "\(bytes.count)"])
        try scene.rest.send(Array(head.utf8) + bytes)
        return try scene.rest.receive()
    }

    @Test("a compressed body is read; one that would fill the memory is not, however it is made")
    func bombs() throws {
        #expect(try send(compressed(#"printf '{"a":[1,2]}'"#)).outcome == #"200 {"a":[1,2]}"#)
        let before = try ProcessFigures(of: scene.hub.processID)
        for command in [
            "head -c 400000000 /dev/zero | tr '\\0' ' '", "(printf '['; yes 0, | head -c 100000000)",
            "(printf '\"'; head -c 100000000 /dev/zero | tr '\\0' x)", "head -c 100000000 /dev/zero | tr '\\0' '['",
        ] {
            let answer = try send(compressed(command))
            #expect(answer.status == 413 || answer.status == 400, "\(answer.outcome)")
        }
        try ProcessFigures(of: scene.hub.processID).expectGrowth(since: before, below: 100)
        #expect(try scene.rest.get("/z.json").outcome == #"200 {"a":[1,2]}"#)
        try scene.expectCalm()
    }

    @Test("a compressed body that ends too early, or is something else, is not taken for a shorter one")
    func brokenCompression() throws {
        let whole = try compressed("(printf 1; head -c 5000 /dev/zero | tr '\\0' 2)")
        #expect(try send(Array(whole.dropLast(9))).status == 400)
        #expect(try send(Array("12345".utf8)).status == 400)
        #expect(try scene.rest.get("/z.json").outcome != "200 1")
        try scene.expectCalm()
    }

    @Test("a body that is cut off writes nothing")
    func cutOff() throws {
        _ = try scene.rest.put("/cut.json", "0")
        for (index, body) in ["[1,2", "1", "{\"a\":1}"].enumerated() {
            let socket = try scene.open()
            let head = "PUT /cut.json?ns=demo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
            try socket.send(Array((head + body).utf8))
            if index == 0 { socket.reset() } else { socket.close() }
            let chunked = try scene.open()
            let chunk = HostileBodyTests.chunkedHead.replacing("/a.json", with: "/cut.json")
            try chunked.send(Array((chunk + "1\r\n1\r\n").utf8))
            chunked.close()
        }
        try scene.expectCalm()
        #expect(try scene.rest.get("/cut.json").outcome == "200 0")
    }

    @Test("clients that never read their large answers cost little, and others are served")
    func neverReading() throws {
        let text = "[\"" + String(repeating: "x", count: 4_000_000) + "\"]"
        _ = try scene.rest.put("/large.json?print=silent", text)
        let before = try ProcessFigures(of: scene.hub.processID)
        var sockets: [RawSocket] = []
        for number in 0..<40 {
            let socket = try scene.open(receiveBuffer: 4096)
            let accept = number % 2 == 0 ? "" : "Accept: text/event-stream\r\n"
            let compress = number % 4 == 0 ? "Accept-Encoding: gzip\r\n" : ""
            try socket.send(
                Array("GET /large.json?ns=demo HTTP/1.1\r\nHost: x\r\n\(accept)\(compress)\r\n".utf8))
            sockets.append(socket)
        }
        for round in 1...20 { try scene.expectService(round) }
        try ProcessFigures(of: scene.hub.processID).expectGrowth(since: before, below: 80)
        for (index, socket) in sockets.enumerated() {
            if index % 3 == 0 { socket.reset() } else { socket.close() }
        }
        try scene.expectCalm()
    }
}
