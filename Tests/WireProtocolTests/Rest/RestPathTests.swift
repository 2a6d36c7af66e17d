import DataTree
import Testing
import WireProtocol

@Suite("Paths of REST requests")
struct RestPathTests {
    static let invalid = "Invalid path: Invalid token in path"

    @Test(
        "3, 58 and 59, empty pieces mean nothing, and any text may be a key",
        arguments: [
            ("/.json", ""), ("/a.json", "a"), ("/a/.json", "a"), ("/a/b.json", "a/b"), ("//a//b/.json", "a/b"),
            ("/a b.json", "a b"), ("/café.json", "café"), ("/a+b.json", "a+b"), ("/json.json", "json"),
            ("/a/.priority.json", "a/.priority"), ("/.priority.json", ".priority"),
            ("/.info/serverTimeOffset.json", ".info/serverTimeOffset"),
        ])
    func taken(text: String, path: String) throws {
        #expect(try RestRequest(RestHead("GET", text)).path == Path(path))
    }

    @Test(
        "57, forbidden characters in a path are refused",
        arguments: [
            "/a.b.json", "/a$b.json", "/a[b.json", "/a]b.json", "/a#b.json", "/../x.json", "/a\\b.json",
            "/a\u{1}b.json", "/a\u{7F}.json", "/.settings/rules.json", "/a/.info.json", "/.value.json",
            "/.priority/a.json", "/a.json.json",
        ])
    func forbidden(text: String) {
        #expect(RestHead("GET", text).refusal == Self.invalid)
    }

    @Test("38, a priority may be read, written and deleted, not updated nor pushed to nor streamed")
    func priority() {
        for method in ["GET", "PUT", "DELETE"] { #expect(RestHead(method, "/p/.priority.json").refusal == nil) }
        for method in ["PATCH", "POST"] { #expect(RestHead(method, "/p/.priority.json").refusal == Self.invalid) }
        let stream = RestHead("GET", "/p/.priority.json").with { $0.accept = "text/event-stream" }
        #expect(stream.refusal == Self.invalid)
    }

    @Test("what belongs to the client cannot be written")
    func info() {
        #expect(RestHead("PUT", "/.info/x.json").refusal == Self.invalid)
    }

    @Test("27, without the suffix the answer is a plain text")
    func suffix() {
        let text = "append .json to your request URI to use the REST API."
        #expect(RestHead("GET", "/a").refusal == "404 \(text)")
        #expect(RestHead("HEAD", "/a.JSON").refusal == "404 \(text)")
        #expect(RestHead("PUT", "/").refusal == "405 \(text)")
        #expect(throws: RestError(status: 404, text: text, isPlainText: true)) {
            try RestRequest(RestHead("GET", "/a"))
        }
    }

    @Test("60, a key has at most 768 bytes, whatever its characters")
    func keyLength() {
        for character in ["a", "é", "€"] {
            let fits = String(repeating: character, count: 768 / character.utf8.count)
            #expect(RestHead("GET", "/\(fits).json").refusal == nil)
            #expect(
                RestHead("GET", "/\(fits)a.json").refusal
                    == "Invalid path: a key is longer than 768 bytes; use a shorter one")
        }
    }

    @Test("61, a path has at most 32 keys, without its .priority")
    func depth() {
        let fits = String(repeating: "/k", count: 32)
        #expect(RestHead("GET", "\(fits).json").refusal == nil)
        #expect(RestHead("PUT", "\(fits)/.priority.json").refusal == nil)
        #expect(
            RestHead("PUT", "\(fits)/k.json").refusal == "Invalid path: more than 32 keys; store the data flatter")
    }
}
