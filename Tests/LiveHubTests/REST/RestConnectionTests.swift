import TestSupport
import Testing

@Suite("REST: sizes, other origins and compression", .blocking)
struct RestConnectionTests {
    @Test("130, writeSizeLimit bounds what a write may change")
    func writeSize() throws {
        let rest = try RestHub.open(130)
        let refusal =
            "400 error: Data to write exceeds the maximum size that can be modified with a single request."
        // Bytes count as well as leaves: one of these costs a little more than `tiny` allows.
        let text = "\"" + String(repeating: "x", count: 8_000_100) + "\""
        #expect(try rest.put("/a.json?print=silent&writeSizeLimit=tiny", text).outcome == refusal)
        #expect(try rest.get("/a.json").outcome == "200 null")
        #expect(try rest.put("/a.json?print=silent&writeSizeLimit=small", text).outcome == "204")
        #expect(try rest.delete("/a.json?writeSizeLimit=tiny").outcome == "200 null")
        #expect(try rest.put("/a.json?writeSizeLimit=huge", "1").status == 400)
    }

    @Test(
        "130, deleting much needs a limit that allows it", .enabled(if: !TestScale.isShort),
        .timeLimit(.minutes(3)))
    func deepDelete() throws {
        let rest = try RestHub.open(130_130)
        let body = "[" + String(repeating: "0,", count: 500_000) + "0]"
        #expect(try rest.put("/a.json?print=silent", body).outcome == "204")
        let answer = try rest.delete("/a.json?writeSizeLimit=tiny")
        #expect(
            answer.outcome
                == "400 error: Data to write exceeds the maximum size that can be modified with a single request.")
        #expect(try rest.delete("/a.json?writeSizeLimit=unlimited").outcome == "200 null")
    }

    @Test("131, a page of another origin may ask, and see the tag")
    func preflight() throws {
        let rest = try RestHub.ruled(131).anonymous
        let answer = try rest.request(
            "OPTIONS", "/a.json", nil,
            [
                "Origin": "https://example.org", "Access-Control-Request-Method": "PUT",
                "Access-Control-Request-Headers": "if-match,content-type",
            ])
        #expect(answer.outcome == "200")
        #expect(answer.header("access-control-allow-origin") == "*")
        #expect(answer.header("access-control-allow-headers") == "if-match,content-type")
        #expect(answer.header("access-control-allow-methods")?.contains("PUT") == true)
        #expect(answer.header("access-control-max-age") == "3600")
        #expect(
            try rest.request("OPTIONS", "/a.json").header("access-control-allow-headers")?.contains("if-match") == true)
        let tagged = try rest.get("/readable.json", ["X-Firebase-ETag": "true"])
        #expect(tagged.header("access-control-expose-headers") == "ETag")
    }

    @Test("132, gzip for who asks for it and for what is long; never for streams")
    func gzip() throws {
        let rest = try RestHub.open(132)
        let body = "[" + (0..<1000).map { "\"value \($0)\"" }.joined(separator: ",") + "]"
        _ = try rest.put("/a.json?print=silent", body)
        let compressed = try rest.get("/a.json", ["Accept-Encoding": "deflate, gzip;q=0.5"])
        #expect(compressed.header("content-encoding") == "gzip" && compressed.header("vary") == "accept-encoding")
        #expect(compressed.bytes.count < body.utf8.count)
        #expect(try Gunzip.text(of: compressed.bytes) == body)
        let refused = try rest.get("/a.json", ["Accept-Encoding": "gzip;q=0"])
        #expect(refused.header("content-encoding") == nil && refused.text == body)
        let short = try rest.get("/a/0.json", ["Accept-Encoding": "gzip"])
        #expect(short.header("content-encoding") == nil && short.text == "\"value 0\"")
        let stream = try EventStreamClient(rest, "/a/0.json", headers: ["Accept-Encoding": "gzip"])
        #expect(stream.answer.header("content-encoding") == nil)
        #expect(try stream.change() == #"put {"path":"/","data":"value 0"}"#)
    }

    @Test("132, a long answer is compressed as it goes")
    func longGzip() throws {
        let rest = try RestHub.open(132_132)
        let body = "{" + (0..<20_000).map { "\"key\($0)\":\"value \($0)\"" }.sorted().joined(separator: ",") + "}"
        _ = try rest.put("/a.json?print=silent", body)
        let compressed = try rest.get("/a.json", ["Accept-Encoding": "gzip"])
        #expect(compressed.header("transfer-encoding") == "chunked" && compressed.header("content-encoding") == "gzip")
        let plain = try rest.get("/a.json")
        #expect(plain.bytes.count == body.utf8.count)
        #expect(try Gunzip.text(of: compressed.bytes) == plain.text)
    }
}

/// The system's gzip.
enum Gunzip {
    static func text(of bytes: [UInt8]) throws -> String {
        let folder = TemporaryFolder()
        try DataFiles.make(bytes, at: folder.path(of: "data.gz"))
        let run = try HubProcess.run(command: ["/bin/gzip", "-dc", folder.path(of: "data.gz")])
        guard run.exit == .code(0) else { throw DeviceError.missing("gzip data: \(run.error)") }
        return run.output
    }
}
