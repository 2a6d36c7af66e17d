import TestSupport
import Testing

/// Titles begin with the numbers of what clients of the official service rely on; `RestCheckListTests` looks for all of them.
@Suite("REST: reads and writes", .blocking)
struct RestBasicsTests {
    @Test("1, nothing is null, in four bytes")
    func absent() throws {
        let answer = try RestHub.open(1).get("/none.json")
        #expect(answer.status == 200 && answer.bytes == Array("null".utf8))
        #expect(answer.header("content-length") == "4")
    }

    @Test("2, what is put can be read, also a part of it")
    func put() throws {
        let rest = try RestHub.open(2)
        #expect(try rest.put("/a.json", #"{"x":1}"#).outcome == #"200 {"x":1}"#)
        #expect(try rest.get("/a/x.json").outcome == "200 1")
    }

    @Test("3, a slash before .json and doubled slashes mean nothing")
    func slashes() throws {
        let rest = try RestHub.open(3)
        #expect(try rest.put("/a/.json", #"{"x":1}"#).outcome == #"200 {"x":1}"#)
        #expect(try rest.get("/a.json").outcome == #"200 {"x":1}"#)
        #expect(try rest.get("//a///x.json").outcome == "200 1")
    }

    @Test("4, a text is a value")
    func text() throws {
        let rest = try RestHub.open(4)
        #expect(try rest.put("/s.json", #""hi""#).outcome == #"200 "hi""#)
        #expect(try rest.get("/s.json").outcome == #"200 "hi""#)
    }

    @Test("5, the type of a body does not matter")
    func contentType() throws {
        let rest = try RestHub.open(5)
        for type in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", ""] {
            #expect(try rest.put("/a.json", #"{"x":1}"#, ["Content-Type": type]).outcome == #"200 {"x":1}"#)
        }
        #expect(try rest.put("/a.json", "\u{FEFF}[1]").outcome == "200 [1]")
    }

    @Test("6, a body in chunks is taken after a 100 that the client waits for")
    func chunked() throws {
        let rest = try RestHub.open(6)
        let head = rest.text("PUT", "/a.json", nil, ["Transfer-Encoding": "chunked", "Expect": "100-continue"])
        try rest.send(head)
        #expect(try rest.receive().status == 100)
        try rest.send("5\r\n{\"x\":\r\n")
        try rest.send("2;extension=1\r\n9}\r\n0\r\nTrailer: 1\r\n\r\n")
        #expect(try rest.receive().outcome == #"200 {"x":9}"#)
        #expect(try rest.get("/a.json").outcome == #"200 {"x":9}"#)
    }

    @Test("7, null deletes")
    func putNull() throws {
        let rest = try RestHub.open(7)
        _ = try rest.put("/a.json", "1")
        #expect(try rest.put("/a.json", "null").outcome == "200 null")
        #expect(try rest.get("/a.json").outcome == "200 null")
    }

    @Test("8, what is empty is not there")
    func empty() throws {
        let rest = try RestHub.open(8)
        for body in [#"{"b":{}}"#, "{}", "[]", #"{"b":[null,{"c":[]}]}"#] {
            _ = try rest.put("/a.json", body)
            #expect(try rest.get("/a.json").outcome == "200 null")
        }
    }

    @Test("9, nulls in a body are left out")
    func nulls() throws {
        let rest = try RestHub.open(9)
        _ = try rest.put("/a.json", #"{"b":null,"c":1}"#)
        #expect(try rest.get("/a.json").outcome == #"200 {"c":1}"#)
    }

    @Test("10, deleting answers null, also where nothing was; with a body, without one and with an empty one")
    func delete() throws {
        let rest = try RestHub.open(10)
        _ = try rest.put("/a.json", "1")
        #expect(try rest.delete("/a.json").outcome == "200 null")
        #expect(try rest.delete("/a.json").outcome == "200 null")
        #expect(try rest.request("DELETE", "/a.json", "").outcome == "200 null")
        #expect(try rest.request("DELETE", "/a.json", "{no json").outcome == "200 null")
        #expect(try rest.get("/a.json").outcome == "200 null")
    }

    @Test("11, a POST makes a child and answers its name")
    func post() throws {
        let rest = try RestHub.open(11)
        let name = try RestBasicsTests.name(try rest.post("/l.json", #"{"n":1}"#))
        #expect(name.utf8.count == 20 && name.hasPrefix("-"))
        #expect(
            name.utf8.allSatisfy {
                "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8.contains($0)
            })
        #expect(try rest.get("/l/\(name).json").outcome == #"200 {"n":1}"#)
    }

    static func name(_ answer: ReceivedAnswer) throws -> String {
        let (head, tail) = (#"{"name":""#, #""}"#)
        guard answer.status == 200, answer.text.hasPrefix(head), answer.text.hasSuffix(tail) else {
            throw DeviceError.missing("the name in \(answer.outcome)")
        }
        return String(answer.text.dropFirst(head.count).dropLast(tail.count))
    }

    @Test("12, a thousand names come in strict order")
    func names() throws {
        let rest = try RestHub.open(12)
        let count = TestScale.pick(1000, short: 200)
        var names: [String] = []
        for _ in 0..<count { names.append(try RestBasicsTests.name(try rest.post("/l.json", "1"))) }
        #expect(zip(names, names.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        #expect(names.count == count)
    }

    @Test("13, a POST adds primitives too, also the empty text; null gets a name and nothing else")
    func postPrimitive() throws {
        let rest = try RestHub.open(13)
        let name = try RestBasicsTests.name(try rest.post("/l.json", #""""#))
        #expect(try rest.get("/l/\(name).json").outcome == #"200 """#)
        let nothing = try RestBasicsTests.name(try rest.post("/l.json", "null"))
        #expect(try rest.get("/l.json").outcome == #"200 {"\#(name)":""}"#)
        #expect(nothing > name)
    }

    @Test("14, a PATCH leaves what it does not name")
    func patch() throws {
        let rest = try RestHub.open(14)
        _ = try rest.put("/a.json", #"{"x":1}"#)
        #expect(try rest.patch("/a.json", #"{"y":2}"#).outcome == #"200 {"y":2}"#)
        #expect(try rest.get("/a.json").outcome == #"200 {"x":1,"y":2}"#)
        #expect(try rest.patch("/a.json", "{}").outcome == "200 {}")
        #expect(try rest.get("/a.json").outcome == #"200 {"x":1,"y":2}"#)
    }

    @Test("15, names in a PATCH may be paths")
    func patchPaths() throws {
        let rest = try RestHub.open(15)
        #expect(try rest.patch("/.json", #"{"p/q":1,"/r/s/":2}"#).status == 200)
        #expect(try rest.patch("/.json", #"{"p/t":1,"r/u":2}"#).outcome == #"200 {"p/t":1,"r/u":2}"#)
        #expect(try rest.get("/.json").outcome == #"200 {"p":{"q":1,"t":1},"r":{"s":2,"u":2}}"#)
        #expect(try rest.patch("/.json", #"{"p":1,"p/q":2}"#).status == 400)
    }

    @Test("16, null in a PATCH removes")
    func patchNull() throws {
        let rest = try RestHub.open(16)
        _ = try rest.put("/a.json", #"{"x":1,"y":2}"#)
        #expect(try rest.patch("/a.json", #"{"x":null}"#).outcome == #"200 {"x":null}"#)
        #expect(try rest.get("/a.json").outcome == #"200 {"y":2}"#)
    }

    @Test("17, a PATCH replaces what it names as a whole")
    func patchReplaces() throws {
        let rest = try RestHub.open(17)
        _ = try rest.put("/users.json", #"{"u":{"m":2}}"#)
        _ = try rest.patch("/users.json", #"{"u":{"n":1}}"#)
        #expect(try rest.get("/users.json").outcome == #"200 {"u":{"n":1}}"#)
    }

    @Test("18, null as a PATCH deletes, as the official command line wants it")
    func patchWholeNull() throws {
        let rest = try RestHub.open(18)
        _ = try rest.put("/a.json", "1")
        let answer = try rest.patch("/a.json?print=silent&writeSizeLimit=tiny&disableTriggers=false", "null")
        #expect(answer.outcome == "204")
        #expect(try rest.get("/a.json").outcome == "200 null")
        #expect(try rest.patch("/a.json", "null").outcome == "200 null")
    }

    @Test("19, a PATCH that is no object changes nothing")
    func patchPrimitive() throws {
        let rest = try RestHub.open(19)
        _ = try rest.put("/a.json", #"{"x":1}"#)
        for body in ["5", "[1]", #""text""#, "true"] {
            let answer = try rest.patch("/a.json", body)
            #expect(answer.status == 400 && answer.error != nil, "\(answer.outcome)")
        }
        #expect(try rest.get("/a.json").outcome == #"200 {"x":1}"#)
    }

    @Test("20, the root is a place like others")
    func root() throws {
        let rest = try RestHub.open(20)
        _ = try rest.put("/.json", #"{"old":1}"#)
        #expect(try rest.put("/.json", #"{"a":{"b":1},"c":2}"#).outcome == #"200 {"a":{"b":1},"c":2}"#)
        #expect(try rest.get("/.json").outcome == #"200 {"a":{"b":1},"c":2}"#)
    }

    @Test("21, a header makes a POST a DELETE")
    func overrideDelete() throws {
        let rest = try RestHub.open(21)
        _ = try rest.put("/a.json", "1")
        #expect(try rest.post("/a.json", "", ["X-HTTP-Method-Override": "DELETE"]).outcome == "200 null")
        #expect(try rest.get("/a.json").outcome == "200 null")
    }

    @Test("22, a parameter makes a POST a PUT; the header wins over it")
    func overridePut() throws {
        let rest = try RestHub.open(22)
        #expect(try rest.post("/a.json?x-http-method-override=PUT", "7").outcome == "200 7")
        #expect(try rest.get("/a.json").outcome == "200 7")
        let both = try rest.post("/a.json?x-http-method-override=PUT", "8", ["x-http-method-override": "get"])
        #expect(both.outcome == "200 7")
        #expect(try rest.post("/a.json?x-http-method-override=TRACE", "8").status == 405)
    }

    @Test("23, a header makes a POST a PATCH")
    func overridePatch() throws {
        let rest = try RestHub.open(23)
        _ = try rest.put("/a.json", #"{"j":1}"#)
        #expect(try rest.post("/a.json", #"{"k":1}"#, ["X-HTTP-Method-Override": "PATCH"]).outcome == #"200 {"k":1}"#)
        #expect(try rest.get("/a.json").outcome == #"200 {"j":1,"k":1}"#)
    }

    @Test("24, only a POST is taken for another method")
    func overrideGet() throws {
        let rest = try RestHub.open(24)
        _ = try rest.put("/a.json", "1")
        #expect(try rest.get("/a.json", ["X-HTTP-Method-Override": "DELETE"]).outcome == "200 1")
        #expect(try rest.get("/a.json?x-http-method-override=DELETE").outcome == "200 1")
        #expect(try rest.get("/a.json").outcome == "200 1")
    }

    @Test("25, namespaces do not see each other, whether a parameter or the host's name chooses one")
    func namespaces() throws {
        let (port, one) = (try RestHub.openPort(), try RestHub.open(25))
        _ = try one.put("/a.json", "1")
        #expect(try RestClient(port: port, namespace: "check-25-other").get("/a.json").outcome == "200 null")
        let socket = try RawSocket(port: port)
        try socket.send(Array("GET /a.json HTTP/1.1\r\nHost: check-25.localhost:\(port)\r\n\r\n".utf8))
        #expect(try AnswerReader(socket).answer(until: .now + .seconds(20)).outcome == "200 1")
    }

    @Test("26, without a name the default namespace is meant; a bad name is refused")
    func noNamespace() throws {
        let port = try RestHub.openPort()
        _ = try RestClient(port: port, namespace: "default").put("/check-26.json", "1")
        let nameless = RestClient(port: port, namespace: nil)
        #expect(try nameless.get("/check-26.json").outcome == "200 1")
        #expect(try nameless.get("/check-26.json?ns=").outcome == "200 1")
        for name in ["_hidden", "a.b", "a%20b", "%C3%A9"] {
            let answer = try nameless.get("/check-26.json?ns=\(name)")
            #expect(answer.outcome == "403 error: Invalid Firebase database name")
        }
    }

    @Test("27, without .json the answer is a text that says so")
    func noSuffix() throws {
        let rest = try RestHub.open(27)
        for (method, status) in [("GET", 404), ("PUT", 405), ("DELETE", 405)] {
            let answer = try rest.request(method, "/a", method == "PUT" ? "1" : nil)
            #expect(answer.outcome == "\(status) append .json to your request URI to use the REST API.")
            #expect(answer.header("content-type") == "text/plain; charset=utf-8")
        }
    }

    @Test("28, pages of any origin may read, nobody may keep it, and no tag comes unasked")
    func headers() throws {
        let rest = try RestHub.open(28)
        for target in ["/a.json", "/a$.json"] {
            let answer = try rest.get(target)
            #expect(answer.header("access-control-allow-origin") == "*")
            #expect(answer.header("cache-control") == "no-cache")
            #expect(answer.header("content-type") == "application/json; charset=utf-8")
            #expect(answer.header("etag") == nil)
        }
        let head = try rest.request("HEAD", "/a.json")
        #expect(head.status == 200 && head.header("content-length") == "4")
        #expect(try rest.get("/a.json").outcome == "200 null")
    }
}
