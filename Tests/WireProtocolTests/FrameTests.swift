import Testing
import WireProtocol

@Suite("Frames and long messages")
struct FrameTests {
    private func text(_ message: String) -> Frame { Frame(text: Array(message.utf8)) }

    @Test(
        "the header has the length that RFC 6455 asks for",
        arguments: [
            (0, [0x81, 0x00]), (1, [0x81, 0x01]), (125, [0x81, 0x7D]), (126, [0x81, 0x7E, 0x00, 0x7E]),
            (16_384, [0x81, 0x7E, 0x40, 0x00]),
        ] as [(Int, [UInt8])])
    func header(count: Int, header: [UInt8]) {
        let payload = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        let frame = Frame(text: payload)
        #expect(frame.bytes == header + payload)
        #expect(frame.byteCount == frame.bytes.count)
        #expect(frame.text == payload)
    }

    @Test("a text of 16,384 units travels alone, one unit more is announced")
    func boundary() {
        #expect(text(String(repeating: "a", count: 16_384)).messages.count == 1)
        let messages = text(String(repeating: "a", count: 16_385)).messages
        #expect(messages.count == 3)
        #expect(messages.first == "2")
        #expect(messages[1].utf16.count == 16_384)
        #expect(messages[2] == "a")
    }

    @Test("a text of many bytes but few units travels alone")
    func manyBytes() {
        // 16,384 units, 49,152 bytes: the largest message, still one frame below 65,536 bytes.
        let frame = text(String(repeating: "\u{20AC}", count: 16_384))
        #expect(frame.messages.count == 1)
        #expect(frame.bytes.prefix(4) == [0x81, 126, 0xC0, 0x00])
    }

    @Test("no surrogate pair is split", arguments: ["", "x", "xy", "\u{E9}", "\u{20AC}"])
    func emoji(lead: String) {
        let whole = lead + String(repeating: "\u{1F600}", count: 50_000)
        let messages = text(whole).messages
        #expect(messages.first == String(messages.count - 1))
        #expect(messages.dropFirst().allSatisfy { $0.utf16.count <= 16_384 && $0.utf8.count < 65_536 })
        #expect(messages.dropFirst().allSatisfy { !$0.utf8.isEmpty && !$0.contains("\u{FFFD}") })
        #expect(Array(messages.dropFirst().joined().utf8) == Array(whole.utf8))
        #expect(text(whole).text == Array(whole.utf8))
    }

    @Test("a client never sees an empty or a numeric text beside the count")
    func noEmptySegment() {
        for count in [32_767, 32_768, 32_769] {
            let messages = text(String(repeating: "b", count: count)).messages
            #expect(messages.dropFirst().allSatisfy { !$0.isEmpty })
        }
    }

    @Test("a text cut into pieces anywhere gives the very same frames", arguments: [1, 2, 3, 7, 1000, 16_384, 50_000])
    func splitter(pieceSize: Int) {
        var whole: [UInt8] = []
        for index in 0..<9_000 { whole += Array("ab\u{E9}\u{20AC}\u{1F600}\(index)".utf8) }
        var counter = SegmentCounter()
        var pieces: [ArraySlice<UInt8>] = []
        for start in stride(from: 0, to: whole.count, by: pieceSize) {
            pieces.append(whole[start..<min(start + pieceSize, whole.count)])
        }
        for piece in pieces { counter.feed(Array(piece)) }
        #expect(counter.bytes == whole.count)
        #expect(counter.units == String(decoding: whole, as: UTF8.self).utf16.count)
        var splitter = SegmentSplitter(segments: counter.segments)
        var output: [UInt8] = []
        for piece in pieces { splitter.feed(Array(piece), into: &output) }
        let isRight = splitter.finish(into: &output)
        #expect(isRight)
        #expect(output == Frame(text: whole).bytes)
    }

    @Test("a short text in pieces is one message without a count")
    func shortSplitter() {
        var splitter = SegmentSplitter(segments: 1)
        var output: [UInt8] = []
        splitter.feed([], into: &output)
        splitter.feed(Array("{\"a\":".utf8), into: &output)
        splitter.feed(Array("1}".utf8), into: &output)
        let isRight = splitter.finish(into: &output)
        #expect(isRight)
        #expect(output == Frame(text: Array("{\"a\":1}".utf8)).bytes)
    }

    @Test("a text that is not the one counted is noticed")
    func miscounted() {
        var splitter = SegmentSplitter(segments: 3)
        var output: [UInt8] = []
        splitter.feed([UInt8](repeating: 65, count: 20_000), into: &output)
        let isRight = splitter.finish(into: &output)
        #expect(!isRight)
    }

    @Test("more than 9,999 segments are too big")
    func tooBig() {
        var counter = SegmentCounter(segment: 9_998)
        let piece = [UInt8](repeating: 65, count: 16_384)
        for _ in 0..<2 { counter.feed(piece) }
        #expect(counter.segments == 9_999)
        #expect(!counter.isTooBig)
        counter.feed([65])
        #expect(counter.isTooBig)
    }

    @Test("what is framed is put together again by the receiver's rules")
    func roundTrip() throws {
        let whole = Array(("{\"d\":\"" + String(repeating: "\u{1F600}z", count: 40_000) + "\"}").utf8)
        var assembler = SegmentAssembler()
        var result = SegmentAssembler.Assembled.partial
        for message in Frame(text: whole).messages {
            result = try Array(message.utf8).withUnsafeBytes { (bytes) throws(AssemblyError) in
                try assembler.receive(bytes)
            }
        }
        #expect(result == .message(whole))
    }
}
