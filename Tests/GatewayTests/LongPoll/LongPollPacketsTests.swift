import TestSupport
import Testing

@testable import Gateway

@Suite("Packets of a long-polling client")
struct LongPollPacketsTests {
    private func segments(_ text: String, from number: Int = 0, size: Int = 8) -> [LongPollSegment] {
        let base64 = Array(LongPollClient.base64(Array(text.utf8)))
        let pieces = stride(from: 0, to: base64.count, by: size).map {
            Array(base64[$0..<min($0 + size, base64.count)])
        }
        return pieces.enumerated().map {
            LongPollSegment(number: number + $0.offset, count: pieces.count, text: $0.element)
        }
    }

    private func message(_ text: String) -> LongPollPackets.Packet { .message(Array(text.utf8)) }

    @Test("are put together from their segments")
    func together() throws {
        var packets = LongPollPackets(limit: 1000)
        let parts = segments("one message in several segments")
        #expect(parts.count > 3)
        for part in parts.dropLast() { #expect(try packets.receive(part).isEmpty) }
        #expect(try packets.receive(parts[parts.count - 1]) == [message("one message in several segments")])
        #expect(
            try packets.receive(segments("next", from: parts.count, size: 100)[0]) == [message("next")])
    }

    @Test("come out in order when their requests overtake each other")
    func order() throws {
        var packets = LongPollPackets(limit: 1000)
        let first = segments("first")
        let second = segments("second", from: first.count, size: 100)
        #expect(try packets.receive(second[0]).isEmpty)
        var got: [LongPollPackets.Packet] = []
        for part in first.reversed() { got += try packets.receive(part) }
        #expect(got == [message("first"), message("second")])
    }

    @Test("are taken once, however often their segments come")
    func duplicates() throws {
        var packets = LongPollPackets(limit: 1000)
        let parts = segments("twice")
        var got: [LongPollPackets.Packet] = []
        for part in parts + parts { got += try packets.receive(part) }
        #expect(got == [message("twice")])
    }

    @Test("have a limit, above which their beginning is kept for an answer")
    func limit() throws {
        var packets = LongPollPackets(limit: 6000)
        let text = String(repeating: "abc", count: 3000)
        var got: [LongPollPackets.Packet] = []
        let parts = segments(text, size: 400)
        for part in parts { got += try packets.receive(part) }
        guard case .oversized(let head, let byteCount) = try #require(got.first) else {
            Issue.record("it was taken whole")
            return
        }
        #expect(text.utf8.starts(with: head) && head.count > 3000)
        #expect(byteCount == 9000)
        #expect(try packets.receive(segments("on", from: parts.count)[0]) == [message("on")])
    }

    @Test("that never end are given up")
    func endless() throws {
        var packets = LongPollPackets(limit: 100)
        #expect(throws: LongPollPacketError.endless(limit: 100)) {
            for number in 0..<1000 {
                _ = try packets.receive(
                    LongPollSegment(number: number, count: 1000, text: [UInt8](repeating: 65, count: 40)))
            }
        }
    }

    @Test("of which a distant segment comes are given up, so that little is kept")
    func gap() throws {
        var packets = LongPollPackets(limit: 1000)
        #expect(try packets.receive(LongPollSegment(number: 127, count: 1, text: [])).isEmpty)
        let error = #expect(throws: LongPollPacketError.self) {
            _ = try packets.receive(LongPollSegment(number: 128, count: 1, text: []))
        }
        #expect(
            error.map { "\($0)" }
                == "segment 128 came while segment 0 is missing; send segments in order, two requests at a time")
    }

    @Test("that are no base64, or have no segments, are refused")
    func malformed() throws {
        var packets = LongPollPackets(limit: 1000)
        #expect(throws: LongPollPacketError.segmentCount(0)) {
            _ = try packets.receive(LongPollSegment(number: 0, count: 0, text: Array("e30.".utf8)))
        }
        var others = LongPollPackets(limit: 1000)
        #expect(throws: LongPollPacketError.notBase64) {
            _ = try others.receive(LongPollSegment(number: 0, count: 1, text: Array("e3*.".utf8)))
        }
    }

    @Test("become valid UTF-8: half a surrogate pair is replaced as a WebSocket would")
    func surrogates() throws {
        var packets = LongPollPackets(limit: 1000)
        let text = Array(LongPollClient.base64([0x22, 0xED, 0xA0, 0x80, 0x22]))
        guard case .message(let bytes)? = try packets.receive(LongPollSegment(number: 0, count: 1, text: text)).first
        else {
            Issue.record("no message")
            return
        }
        let repaired = String(decoding: bytes, as: UTF8.self)
        #expect(repaired.hasPrefix("\"\u{FFFD}") && repaired.hasSuffix("\u{FFFD}\""))
    }
}
