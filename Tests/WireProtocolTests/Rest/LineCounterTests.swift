import DataTree
import Testing
import WireProtocol

@Suite("Lines and columns in slices")
struct LineCounterTests {
    /// Where `offset` is, asked when the slice is at hand in which it lies or the one `later` behind it.
    func position(_ text: String, _ offset: Int, cut: Int, later: Int = 0) -> String? {
        var counter = LineCounter()
        let bytes = Array(text.utf8)
        var start = 0
        while true {
            let end = min(bytes.count, start + cut)
            let found = bytes[start..<end].withUnsafeBytes { slice in
                if offset < end - later || end == bytes.count { return true }
                counter.advance(over: slice)
                return false
            }
            if found {
                return bytes[start..<end].withUnsafeBytes { counter.position(of: offset, in: $0)?.description }
            }
            start = end
        }
    }

    @Test(
        "lines count from 1, columns count characters from 1",
        arguments: [
            (0, "1:1"), (1, "1:2"), (3, "2:1"), (5, "2:3"), (7, "2:4"), (10, "2:5"), (14, "2:6"), (15, "3:1"),
            (16, "3:2"),
        ])
    func positions(offset: Int, position: String) {
        // Bytes: a b \n, c d é(2) €(3) 😀(4) \n, x y
        let text = "ab\ncdé€😀\nxy"
        for cut in 1...text.utf8.count {
            for later in 0...3 { #expect(self.position(text, offset, cut: cut, later: later) == position) }
        }
    }

    @Test("53 and 54, a key's position is that of its opening quote, however the body is cut")
    func keys() {
        for (body, text) in [
            (#"{"a.b":1}"#, "1:2"), (#"{"ok":1,"":2}"#, "1:9"), ("{\n \"a\": {\"x/y\": 1}\n}", "2:8"),
            ("{\"é\":{\n\n\"\u{1F600}$\":1}}", "3:1"),
        ] {
            for cut in 1...body.utf8.count {
                #expect(
                    refusal(of: body, cut: cut)
                        == "Invalid data; couldn't parse key beginning at \(text). "
                        + "Key value can't be empty or contain $ # [ ] / or .")
            }
        }
    }

    /// The text of the error that a body ends with.
    func refusal(of body: String, cut: Int) -> String? {
        var decoder = NodeDecoder()
        var counter = LineCounter()
        let bytes = Array(body.utf8)
        do {
            for start in stride(from: 0, to: bytes.count, by: cut) {
                let slice = Array(bytes[start..<min(bytes.count, start + cut)])
                try slice.withUnsafeBytes { buffer in
                    do throws(JSONError) {
                        try decoder.feed(buffer)
                    } catch {
                        throw RestError(body: error, at: counter.position(of: error.offset, in: buffer))
                    }
                    counter.advance(over: buffer)
                }
            }
        } catch {
            return (error as? RestError)?.text
        }
        return nil
    }

    @Test("what is far behind is not known any more, what is near is, in texts of any length")
    func forgetting() {
        var counter = LineCounter()
        let line = Array((String(repeating: "é", count: 49) + "\n").utf8)
        for _ in 0..<1000 { line.withUnsafeBytes { counter.advance(over: $0) } }
        let count = 1000 * line.count
        let next = Array("ab".utf8)
        next.withUnsafeBytes { slice in
            #expect(counter.position(of: count + 1, in: slice)?.description == "1001:2")
            #expect(counter.position(of: count + 2, in: slice)?.description == "1001:3")
            #expect(counter.position(of: count - 3, in: slice)?.description == "1000:49")
            #expect(counter.position(of: count - LineCounter.rememberedBytes, in: slice) != nil)
            #expect(counter.position(of: count - LineCounter.rememberedBytes - 1, in: slice) == nil)
            #expect(counter.position(of: count + 3, in: slice) == nil)
        }
        let large = [UInt8](repeating: 0x0A, count: 100_000)
        large.withUnsafeBytes { counter.advance(over: $0) }
        next.withUnsafeBytes { slice in
            #expect(counter.position(of: count + 100_000, in: slice)?.description == "101001:1")
        }
    }
}
