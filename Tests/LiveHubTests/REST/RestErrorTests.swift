import TestSupport
import Testing

@Suite("REST: errors of paths, keys and bodies", .blocking)
struct RestErrorTests {
    private static let invalidPath = "400 error: Invalid path: Invalid token in path"

    private func invalidKey(_ place: String) -> String {
        "400 error: Invalid data; couldn't parse key beginning at \(place). "
            + "Key value can't be empty or contain $ # [ ] / or ."
    }

    @Test("51, a body that is no JSON")
    func noJSON() throws {
        let rest = try RestHub.open(51)
        for body in [#"{"a":"#, "{'a':1}", "[1,]", "1 2", "tru", "\u{1}", #"{"a" 1}"#] {
            let answer = try rest.put("/a.json", body)
            #expect(
                answer.outcome == "400 error: Invalid data; couldn't parse JSON object, array, or value.", "\(body)")
        }
    }

    @Test("52, no body at all")
    func noBody() throws {
        let rest = try RestHub.open(52)
        for method in ["PUT", "POST", "PATCH"] {
            let empty = try rest.request(method, "/a.json", "")
            #expect(empty.status == 400 && empty.error != nil, "\(empty.outcome)")
            let unsaid = try rest.request(method, "/a.json")
            #expect(unsaid.status == 400 && unsaid.error != nil, "\(unsaid.outcome)")
        }
    }

    @Test("53, 54, 55, a bad key is named by line and column")
    func keys() throws {
        let rest = try RestHub.open(53)
        #expect(try rest.put("/a.json", #"{"a.b":1}"#).outcome == invalidKey("1:2"))
        #expect(try rest.put("/a.json", #"{"ok":1,"":2}"#).outcome == invalidKey("1:9"))
        #expect(try rest.put("/a.json", #"{"a":{"x/y":1}}"#).outcome == invalidKey("1:7"))
        #expect(try rest.put("/a.json", "{\"é\":1,\n \"a$\":1}").outcome == invalidKey("2:2"))
        #expect(try rest.post("/a.json", "{\"a#\":1}").outcome == invalidKey("1:2"))
        #expect(try rest.patch("/a.json", #"{"a":{"x/y":1}}"#).outcome == invalidKey("1:7"))
    }

    @Test("56, a bad name of a PATCH is quoted")
    func name() throws {
        let answer = try RestHub.open(56).patch("/a.json", #"{"a/b$":1}"#)
        #expect(answer.status == 400 && answer.error?.contains(#""a/b$""#) == true, "\(answer.outcome)")
    }

    @Test(
        "57, characters that no key may have are refused in paths, raw and encoded",
        arguments: [
            "/a%2Eb.json", "/a.b.json", "/a$b.json", "/a%24b.json", "/a%5Bb.json", "/a[b.json", "/a%5Db.json",
            "/a%23b.json", "/a%5Cb.json", "/a%01b.json", "/a%7Fb.json", "/%FF.json", "/a%C3.json/x.json",
        ])
    func path(_ target: String) throws {
        for method in ["GET", "PUT", "DELETE"] {
            let answer = try RestHub.open(57).request(method, target, method == "PUT" ? "1" : nil)
            #expect(answer.outcome == RestErrorTests.invalidPath, "\(method) \(target)")
        }
    }

    /// libwebsockets decodes and folds the path before anybody else sees it (`protocol/rest.md`, "Paths").
    @Test("57, what libwebsockets changes in a path before the hub sees it")
    func folded() throws {
        let rest = try RestHub.open(57)
        _ = try rest.put("/deep/x.json", "1")
        _ = try rest.put("/x.json", "2")
        #expect(try rest.get("/deep%2Fx.json").outcome == "200 1")
        #expect(try rest.get("/../x.json").outcome == "200 2")
        #expect(try rest.get("/deep/../x.json").outcome == "200 2")
        #expect(try rest.get("/./deep/./x.json").outcome == "200 1")
        // A NUL in a path ends the connection.
        #expect(throws: RawSocketError.ended) { try rest.get("/x%00y.json") }
    }

    @Test("58, a space is part of a key; a plus in a path is one too, because libwebsockets decodes it")
    func space() throws {
        let rest = try RestHub.open(58)
        #expect(try rest.put("/a%20b.json", "1").outcome == "200 1")
        #expect(try rest.get("/.json").outcome == #"200 {"a b":1}"#)
        #expect(try rest.get("/a+b.json").outcome == "200 1")
        #expect(try rest.get("/a%2Bb.json").outcome == "200 null")
    }

    @Test("59, keys of other alphabets, encoded and raw")
    func unicode() throws {
        let rest = try RestHub.open(59)
        _ = try rest.put("/caf%C3%A9.json", #""é€😀""#)
        #expect(try rest.get("/.json").outcome == #"200 {"café":"é€😀"}"#)
        #expect(try rest.get("/café.json").outcome == #"200 "é€😀""#)
        // Another way to write the letter is another key.
        #expect(try rest.get("/cafe%CC%81.json").outcome == "200 null")
    }

    @Test("60, a key has at most 768 bytes, in a path and in a body")
    func longKey() throws {
        let rest = try RestHub.open(60)
        let longest = String(repeating: "k", count: 768)
        let accents = String(repeating: "é", count: 384)
        let encoded = String(repeating: "%C3%A9", count: 384)
        #expect(try rest.put("/\(longest).json", "1").outcome == "200 1")
        #expect(try rest.put("/\(longest)k.json", "1").status == 400)
        #expect(try rest.put("/\(encoded).json", "1").outcome == "200 1")
        #expect(try rest.put("/\(encoded)k.json", "1").status == 400)
        for (key, status) in [(longest, 200), (longest + "k", 400), (accents, 200), (accents + "k", 400)] {
            #expect(try rest.put("/b.json", #"{"\#(key)":1}"#).status == status)
            #expect(try rest.patch("/b.json", #"{"\#(key)":1}"#).status == status)
        }
    }

    @Test("61, data has at most 32 levels, from the root on")
    func depth() throws {
        let rest = try RestHub.open(61)
        func body(_ levels: Int) -> String {
            String(repeating: #"{"d":"#, count: levels) + "1" + String(repeating: "}", count: levels)
        }
        func path(_ levels: Int) -> String { String(repeating: "/d", count: levels) + ".json" }
        #expect(try rest.put(path(32), "1").outcome == "200 1")
        #expect(try rest.put(path(33), "1").status == 400)
        #expect(try rest.get(path(33)).status == 400)
        #expect(try rest.put("/.json", body(32)).status == 200)
        #expect(try rest.put("/.json", body(33)).status == 400)
        #expect(try rest.put("/a.json", body(31)).status == 200)
        #expect(try rest.put("/a.json", body(32)).status == 400)
        #expect(try rest.patch("/.json", #"{"a/b":\#(body(31))}"#).status == 400)
        #expect(try rest.post(path(32), "1").status == 400)
        #expect(try rest.put("/.json", body(5000)).status == 400)
    }

    @Test("62, a text has at most 10 MiB")
    func longText() throws {
        let rest = try RestHub.open(62)
        let text = String(repeating: "x", count: 10_485_760)
        #expect(try rest.put("/s.json?print=silent", "\"\(text)\"").outcome == "204")
        #expect(try rest.get("/s.json").bytes.count == 10_485_762)
        let answer = try rest.put("/s.json?print=silent", "\"\(text)x\"")
        #expect(answer.status == 400 && answer.error?.contains("10485760") == true, "\(answer.error ?? "")")
        _ = try rest.delete("/s.json")
    }

    @Test("63, a body above the cap is refused by its announced length")
    func largeBody() throws {
        let rest = try RestHub.open(63)
        try rest.send(rest.text("PUT", "/a.json", nil, ["Content-Length": "268435457"]) + "[1,2")
        #expect(try rest.receive().outcome == "413 error: Payload is too large")
        #expect(!rest.isConnected)
        try rest.send(rest.text("PUT", "/a.json", nil, ["Content-Length": "268435457", "Expect": "100-continue"]))
        #expect(try rest.receive().outcome == "413 error: Payload is too large")
        #expect(try rest.get("/a.json").outcome == "200 null")
    }

    @Test("64, the error of a denied request, to the byte")
    func denied() throws {
        let answer = try RestHub.ruled(64).anonymous.get("/a.json")
        #expect(answer.status == 401 && answer.bytes == Array("{\n  \"error\" : \"Permission denied\"\n}\n".utf8))
        #expect(answer.bytes.count == 36)
        #expect(answer.header("content-type") == "application/json; charset=utf-8")
    }

    @Test("65, unknown parameters are ignored")
    func unknownParameter() throws {
        let rest = try RestHub.open(65)
        #expect(try rest.put("/a.json?_=1&cb=2&disableTriggers=true&&=&x", "1").outcome == "200 1")
        #expect(try rest.get("/a.json?_=1&print=unknown&format=unknown").outcome == "200 1")
        // What follows an empty parameter counts: the namespace above, and a credential.
        #expect(try rest.get("/a.json?&&auth=garbage").status == 200)
        #expect(try rest.anonymous.get("/a.json?&&auth=garbage").status == 401)
    }
}
