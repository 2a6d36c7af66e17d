import Testing

@testable import Gateway

@Suite("Scripts that answer polls")
struct LongPollScriptTests {
    private func escaped(_ pieces: [[UInt8]]) -> String {
        var escaper = LongPollEscaper()
        var bytes: [UInt8] = []
        for piece in pieces { escaper.append(piece, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "quote what would end the text or the line",
        arguments: [
            (#"{"a":1}"#, #"{"a":1}"#), (#"{"it's":"\n"}"#, #"{"it\'s":"\\n"}"#), (#""\\'""#, #""\\\\\'""#),
            ("\u{2028}x\u{2029}", #"\u2028x\u2029"#), ("\u{2027}\u{2030}€", "\u{2027}\u{2030}€"),
        ])
    func quoting(text: String, expected: String) {
        #expect(escaped([Array(text.utf8)]) == expected)
        #expect(escaped(text.utf8.map { [$0] }) == expected)
    }

    @Test("name the page's functions by their number")
    func definitions() {
        let script = LongPollScript.definitions(callback: 17)
        #expect(script.contains("parent.window[\"pLPCommand17\"]"))
        #expect(script.contains("parent.window[\"pRTLPCB17\"]"))
    }

    @Test("close with the last answer that counts, or at once")
    func close() {
        #expect(LongPollScript.close(after: 3) == "pLPCommand(\"close\",3);\n")
        #expect(LongPollScript.close() == "pLPCommand(\"close\");\n")
    }
}
