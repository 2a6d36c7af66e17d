import Testing

@testable import SecurityRules

@Suite("Rules as strict JSON")
struct StrictRulesTextTests {
    @Test(
        "leave out comments and trailing commas, and nothing else",
        arguments: [
            (#"{"rules":{".read":true}}"#, #"{"rules":{".read":true}}"#),
            ("{\"rules\": { // who\n  \".read\": true, /* all */ }}", "{\"rules\": { \n  \".read\": true  }}"),
            (#"{"a":"http://x/*no*/", "b": "\"//"}"#, #"{"a":"http://x/*no*/", "b": "\"//"}"#),
            ("{\"a\":[1,2,\n],}", "{\"a\":[1,2\n]}"),
            ("{\"a\":\"x\ny\tz\"}", "{\"a\":\"x\\u000ay\\u0009z\"}"),
        ])
    func strict(_ text: String, _ expected: String) {
        #expect(StrictRulesText.make(from: text) == expected)
    }

    @Test("mean the same")
    func sameMeaning() throws {
        let text = """
            { // comment
              "rules": { ".read": "auth != null", /* why */
                "a": { ".write": true, }, },
            }
            """
        let strict = StrictRulesText.make(from: text)
        #expect(throws: Never.self) { try CompiledRules(Array(strict.utf8)) }
        #expect(!strict.contains("comment"))
    }
}
