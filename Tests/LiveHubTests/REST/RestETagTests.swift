import TestSupport
import Testing

@Suite("REST: tags and conditions", .blocking)
struct RestETagTests {
    private func tag(_ rest: RestClient, _ target: String) throws -> String {
        let answer = try rest.get(target, ["X-Firebase-ETag": "true"])
        guard answer.status == 200, let tag = answer.header("etag") else {
            throw DeviceError.missing("the tag of \(target): \(answer.outcome)")
        }
        return tag
    }

    @Test("91, a tag comes when it is wanted, without quotes")
    func wanted() throws {
        let rest = try RestHub.open(91)
        _ = try rest.put("/a.json", "1")
        let tag = try tag(rest, "/a.json")
        #expect(tag.utf8.count == 28 && tag.hasSuffix("="))
        #expect(try self.tag(rest, "/none.json") == "null_etag")
        #expect(try rest.put("/a.json", "1", ["X-Firebase-ETag": "true"]).header("etag") == tag)
    }

    @Test("92, an unchanged value is 304 and nothing, another one comes with its tag")
    func ifNoneMatch() throws {
        let rest = try RestHub.open(92)
        _ = try rest.put("/a.json", "1")
        let tag = try tag(rest, "/a.json")
        for form in [tag, "\"\(tag)\"", "W/\"\(tag)\""] {
            let same = try rest.get("/a.json", ["If-None-Match": form])
            #expect(same.outcome == "304" && same.header("content-length") == nil)
        }
        let other = try rest.get("/a.json", ["If-None-Match": "wrong"])
        #expect(other.outcome == "200 1" && other.header("etag") == tag)
        #expect(try rest.get("/none.json", ["If-None-Match": "null_etag"]).outcome == "304")
    }

    @Test("93, the right tag lets a write through")
    func right() throws {
        let rest = try RestHub.open(93)
        _ = try rest.put("/a.json", "1")
        let tag = try tag(rest, "/a.json")
        #expect(try rest.put("/a.json", "2", ["if-match": tag]).outcome == "200 2")
        #expect(try self.tag(rest, "/a.json") != tag)
        #expect(try rest.put("/a.json", "3", ["if-match": "\"\(self.tag(rest, "/a.json"))\""]).outcome == "200 3")
    }

    @Test("94, a stale tag is 412, with what is there and its tag")
    func stale() throws {
        let rest = try RestHub.open(94)
        _ = try rest.put("/a.json", #"{"x":1}"#)
        let answer = try rest.put("/a.json", "2", ["if-match": "stale"])
        #expect(answer.outcome == #"412 {"x":1}"#)
        #expect(try answer.header("etag") == tag(rest, "/a.json"))
        #expect(try rest.get("/a.json").outcome == #"200 {"x":1}"#)
    }

    @Test("95, null_etag creates only")
    func create() throws {
        let rest = try RestHub.open(95)
        #expect(try rest.put("/a.json", "1", ["if-match": "null_etag"]).outcome == "200 1")
        #expect(try rest.put("/a.json", "2", ["if-match": "null_etag"]).outcome == "412 1")
    }

    @Test("96, a conditional delete")
    func delete() throws {
        let rest = try RestHub.open(96)
        _ = try rest.put("/a.json", "1")
        #expect(try rest.delete("/a.json", ["if-match": "stale"]).outcome == "412 1")
        let answer = try rest.delete("/a.json", ["if-match": tag(rest, "/a.json"), "X-Firebase-ETag": "true"])
        #expect(answer.outcome == "200 null" && answer.header("etag") == "null_etag")
        #expect(try rest.delete("/a.json", ["if-match": "x"]).outcome == "412 null")
    }

    @Test("97, the tag of a POST is that of the new child")
    func post() throws {
        let rest = try RestHub.open(97)
        let answer = try rest.post("/l.json", #"{"n":1}"#, ["X-Firebase-ETag": "true"])
        let name = try RestBasicsTests.name(answer)
        #expect(try answer.header("etag") == tag(rest, "/l/\(name).json"))
    }

    @Test("98, 99, where conditions make no sense they are refused")
    func refused() throws {
        let rest = try RestHub.open(98)
        _ = try rest.put("/a.json", #"{"x":1}"#)
        #expect(try rest.patch("/a.json", #"{"x":2}"#, ["X-Firebase-ETag": "true"]).status == 400)
        #expect(try rest.patch("/a.json", #"{"x":2}"#, ["if-match": "x"]).status == 400)
        #expect(try rest.get("/a.json", ["if-match": "x"]).status == 400)
        #expect(try rest.post("/a.json", "1", ["if-match": "x"]).status == 400)
        #expect(try rest.put("/a.json", "1", ["if-match": "*"]).status == 400)
        #expect(try rest.put("/a.json", "1", ["if-match": "a, b"]).status == 400)
        #expect(try rest.get("/a.json").outcome == #"200 {"x":1}"#)
    }

    @Test("100, conditions do not mix with silence")
    func silent() throws {
        let answer = try RestHub.open(100).put("/a.json?print=silent", "1", ["if-match": "null_etag"])
        #expect(
            answer.outcome == "400 error: Mixing 'shallow', querying parameters or 'print=silent' and if-match or "
                + "if-none-match requests is not supported")
    }

    @Test("101, tags do not mix with queries")
    func query() throws {
        let rest = try RestHub.open(101)
        let query = try rest.get(#"/a.json?orderBy="$key""#, ["X-Firebase-ETag": "true"])
        #expect(query.outcome == "400 error: Mixing querying parameters and ETag requests is not supported")
        let shallow = try rest.get("/a.json?shallow=true", ["X-Firebase-ETag": "true"])
        #expect(shallow.outcome == "400 error: Mixing 'shallow' and etag requests is not supported")
    }

    @Test("102, of two writers with the same tag one wins")
    func race() throws {
        let rest = try RestHub.open(102)
        let (one, other) = (rest.another(bearer: "owner"), rest.another(bearer: "owner"))
        for round in 0..<20 {
            let tag = try tag(rest, "/a.json")
            try one.send(one.text("PUT", "/a.json", "\(round * 2 + 1)", ["if-match": tag]))
            try other.send(other.text("PUT", "/a.json", "\(round * 2 + 2)", ["if-match": tag]))
            let statuses = [try one.receive().status, try other.receive().status]
            #expect(statuses.sorted() == [200, 412])
        }
    }

    @Test("103, a tag changes with what is below, and only with it")
    func changes() throws {
        let rest = try RestHub.open(103)
        _ = try rest.put("/a.json", #"{"b":{"c":1}}"#)
        let tag = try tag(rest, "/a.json")
        _ = try rest.put("/a/b/c.json", "1")
        _ = try rest.put("/z.json", "1")
        #expect(try self.tag(rest, "/a.json") == tag)
        _ = try rest.put("/a/b/c.json", "2")
        let other = try self.tag(rest, "/a.json")
        #expect(other != tag)
        _ = try rest.put("/a/b/.priority.json", "1")
        #expect(try self.tag(rest, "/a.json") != other)
    }
}
