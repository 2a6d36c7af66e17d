import Testing
import WireProtocol

@Suite("Putting a client's messages together")
struct SegmentAssemblerTests {
    typealias Assembled = SegmentAssembler.Assembled

    private func receive(
        _ assembler: inout SegmentAssembler, _ text: String, isFinal: Bool = true
    ) throws -> Assembled {
        try Array(text.utf8).withUnsafeBytes { bytes in
            try assembler.receive(fragment: bytes, isFinal: isFinal)
        }
    }

    private func message(_ text: String) -> Assembled { .message(Array(text.utf8)) }

    @Test(
        "a text alone",
        arguments: [
            ("0", .keepAlive), ("{}", .whole), ("{\"t\":\"c\"}", .whole), ("3", .partial), ("999999", .partial),
            ("1234567", .whole), ("12a", .whole), ("-1", .whole), ("00", .keepAlive), ("000000", .keepAlive),
            (" 1", .whole), ("", .whole),
        ] as [(String, Assembled)])
    func single(text: String, expected: Assembled) throws {
        var assembler = SegmentAssembler()
        let result = try receive(&assembler, text)
        #expect(result == expected)
        #expect(assembler.heldBytes == 0)
    }

    @Test("a count and its segments are one message")
    func segments() throws {
        var assembler = SegmentAssembler()
        for text in ["3", "{\"a\":", "\"b\""] {
            let result = try receive(&assembler, text)
            #expect(result == .partial)
        }
        let result = try receive(&assembler, "}")
        #expect(result == message("{\"a\":\"b\"}"))
        #expect(assembler.heldBytes == 0)
        let next = try receive(&assembler, "{}")
        #expect(next == .whole)
    }

    @Test("a count of one is followed by the message")
    func one() throws {
        var assembler = SegmentAssembler()
        _ = try receive(&assembler, "1")
        let result = try receive(&assembler, "{}")
        #expect(result == message("{}"))
    }

    @Test("a keep-alive between segments belongs to no message")
    func keepAliveInside() throws {
        var assembler = SegmentAssembler()
        var results: [Assembled] = []
        for text in ["2", "{\"a\":", "0", "1}"] { results.append(try receive(&assembler, text)) }
        #expect(results == [.partial, .partial, .keepAlive, message("{\"a\":1}")])
    }

    @Test("digits other than 0 between segments are data")
    func digitsInside() throws {
        var assembler = SegmentAssembler()
        var results: [Assembled] = []
        for text in ["3", "{\"a\":", "12", "}"] { results.append(try receive(&assembler, text)) }
        #expect(results.last == message("{\"a\":12}"))
    }

    @Test("fragments of the WebSocket are joined before anything else")
    func fragments() throws {
        var assembler = SegmentAssembler()
        var results: [Assembled] = []
        for (text, isFinal) in [("{\"a\"", false), (":1", false), ("}", true)] {
            results.append(try receive(&assembler, text, isFinal: isFinal))
        }
        #expect(results == [.partial, .partial, message("{\"a\":1}")])
        // A count, a keep-alive and segments, each in fragments.
        results = []
        for (text, isFinal) in [
            ("", false), ("2", true), ("{\"b", false), ("\":", true), ("", false), ("0", true), ("2", false),
            ("}", true),
        ] {
            results.append(try receive(&assembler, text, isFinal: isFinal))
        }
        #expect(results.last == message("{\"b\":2}"))
        #expect(results.contains(.keepAlive))
        #expect(assembler.heldBytes == 0)
    }

    @Test("a message above the limit keeps its head and nothing more", arguments: [false, true])
    func oversized(inSegments: Bool) throws {
        var assembler = SegmentAssembler(limit: 10_000)
        let head = "{\"t\":\"d\",\"d\":{\"r\":7,\"a\":\"p\",\"b\":{\"p\":\"/a\",\"d\":\""
        let body = head + String(repeating: "x", count: 20_000)
        var result = Assembled.partial
        if inSegments {
            _ = try receive(&assembler, "3")
            _ = try receive(&assembler, body)
            #expect(assembler.heldBytes <= SegmentAssembler.headBytes)
            _ = try receive(&assembler, "0")
            _ = try receive(&assembler, "yy")
            result = try receive(&assembler, "z\"}}}")
        } else {
            result = try receive(&assembler, body)
        }
        guard case .oversized(let kept, let count) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(kept == Array(body.utf8.prefix(SegmentAssembler.headBytes)))
        #expect(count == body.utf8.count + (inSegments ? 7 : 0))
        let next = try receive(&assembler, "{}")
        #expect(next == .whole)
    }

    @Test("a message without end closes the connection with a text that says what to do")
    func endless() throws {
        var assembler = SegmentAssembler(limit: 1_000)
        _ = try receive(&assembler, "999999")
        let segment = String(repeating: "x", count: 500)
        let failure = #expect(throws: AssemblyError.self) {
            for _ in 0..<100 { _ = try receive(&assembler, segment) }
        }
        #expect(failure == .endless(limit: 1_000))
        #expect(
            failure?.description
                == "a message went on far beyond the limit of 1000 bytes; split the write into smaller ones or raise the "
                + "hub's message limit")
        #expect(assembler.heldBytes <= SegmentAssembler.headBytes)
    }
}
