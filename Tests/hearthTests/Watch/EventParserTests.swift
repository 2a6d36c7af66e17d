import Testing

@testable import hearth

@Suite("server-sent events")
struct EventParserTests {
    private func events(_ text: String, pieces size: Int = .max) throws -> [StreamEvent] {
        var parser = EventParser()
        var events: [StreamEvent] = []
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + min(size, bytes.count))
            events += try bytes[start..<end].withUnsafeBytes { try parser.feed($0) }
            start = end
        }
        return events
    }

    private func event(_ name: String, _ data: String) -> StreamEvent {
        StreamEvent(name: name, data: Array(data.utf8))
    }

    @Test("end with an empty line; the last one that has none is not an event")
    func plain() throws {
        #expect(
            try events("event: put\ndata: {\"a\":1}\n\nevent: keep-alive\ndata: null\n\nevent: put\ndata: 2\n")
                == [event("put", "{\"a\":1}"), event("keep-alive", "null")])
    }

    @Test(
        "are read whatever stands in the lines",
        arguments: [
            ("data: a\ndata: b\n\n", "message", "a\nb"), ("data:a\nevent:x\n\n", "x", "a"),
            ("data:  a: b\n\n", "message", " a: b"),
            (": comment\nid: 1\nretry: 9\nother\ndata: a\n\n", "message", "a"),
            ("data\n\n", "message", ""), ("event: x\n\ndata: a\n\n", "message", "a"),
            ("\n\n\ndata: a\n\n", "message", "a"),
            ("\u{FEFF}data: a\n\n", "message", "a"), ("event: x\nevent: y\ndata: é\n\n", "y", "é"),
        ])
    func lines(text: String, name: String, data: String) throws {
        #expect(try events(text) == [event(name, data)])
    }

    @Test("are the same however the bytes are cut, and however lines end", arguments: ["\n", "\r\n", "\r"])
    func cuts(lineEnd: String) throws {
        let text = [
            "event: put", "data: {\"path\":\"/\",", "data: \"data\":\"é€😀\"}", "", ": hm", "", "data: 2", "", "",
        ].joined(separator: lineEnd)
        let expected = [event("put", "{\"path\":\"/\",\n\"data\":\"é€😀\"}"), event("message", "2")]
        for size in 1...40 { #expect(try events(text, pieces: size) == expected, "pieces of \(size)") }
    }

    @Test("are bounded")
    func limit() {
        #expect(throws: EventParser.Problem.tooLong(limit: 10)) {
            var parser = EventParser(limit: 10)
            try Array("data: 12345".utf8).withUnsafeBytes { _ = try parser.feed($0) }
        }
        #expect(throws: EventParser.Problem.tooLong(limit: 10)) {
            var parser = EventParser(limit: 10)
            for _ in 0..<4 { try Array("data: 12\n".utf8).withUnsafeBytes { _ = try parser.feed($0) } }
        }
    }
}

@Suite("waiting before the next attempt")
struct BackoffTests {
    /// Always the greatest number, or always the least.
    private struct Fixed: RandomNumberGenerator {
        let value: UInt64
        mutating func next() -> UInt64 { value }
    }

    @Test("doubles up to a limit, begins anew after a success, and differs from one client to another")
    func growth() {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(5))
        var least = Fixed(value: 0)
        #expect((0..<4).map { _ in backoff.pause(using: &least) } == [0.5, 1, 2, 2.5].map { .seconds($0) })
        backoff.reset()
        var greatest = Fixed(value: .max)
        let pause = backoff.pause(using: &greatest)
        #expect(pause > .milliseconds(990) && pause <= .seconds(1))
    }
}
