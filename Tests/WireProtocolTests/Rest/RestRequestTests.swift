import DataTree
import Testing
import WireProtocol

@Suite("What REST requests ask for")
struct RestRequestTests {
    func request(_ method: String, _ text: String = "", _ change: (inout RestHead) -> Void = { _ in })
        throws(RestError) -> RestRequest
    {
        try RestRequest(RestHead(method, "/a.json", text).with(change))
    }

    @Test("methods, and those that are none")
    func methods() throws {
        #expect(try request("GET").operation == .get)
        #expect(try request("PUT").operation == .put)
        #expect(try request("PATCH").operation == .patch)
        #expect(try request("POST").operation == .post)
        #expect(try request("DELETE").operation == .delete)
        let head = try request("HEAD")
        #expect(head.operation == .get && head.isHead)
        #expect(
            RestHead("TRACE", "/a.json").refusal
                == "405 Method not supported; use GET, PUT, PATCH, POST or DELETE")
    }

    @Test("21 to 24, a POST may name another method; the header wins, and other methods ignore it")
    func override() throws {
        #expect(try request("POST") { $0.methodOverride = "DELETE" }.operation == .delete)
        #expect(try request("POST", "x-http-method-override=PUT").operation == .put)
        #expect(try request("POST", "X-HTTP-Method-Override=patch").operation == .patch)
        #expect(try request("POST", "x-http-method-override=PUT") { $0.methodOverride = "get" }.operation == .get)
        #expect(try request("POST") { $0.methodOverride = "" }.operation == .post)
        #expect(try request("GET") { $0.methodOverride = "DELETE" }.operation == .get)
        #expect(try request("GET", "x-http-method-override=DELETE").operation == .get)
        #expect(throws: RestError(status: 405, text: "Method not supported; use GET, PUT, PATCH, POST or DELETE")) {
            try request("POST") { $0.methodOverride = "HEAD" }
        }
        // What is asked for is checked as such.
        #expect(
            RestHead("POST", "/a.json").with {
                $0.methodOverride = "PATCH"
                $0.ifMatch = "x"
            }.refusal == "if-match is not supported on PATCH requests")
    }

    @Test("104 and 111, only a GET that accepts event streams gets one")
    func streams() throws {
        #expect(try request("GET") { $0.accept = "text/event-stream" }.isStream)
        #expect(try request("GET") { $0.accept = "application/json, Text/Event-Stream;q=0.5" }.isStream)
        #expect(try !request("GET") { $0.accept = "*/*" }.isStream)
        #expect(try !request("PUT") { $0.accept = "text/event-stream" }.isStream)
        #expect(try !request("HEAD") { $0.accept = "text/event-stream" }.isStream)
        let query = try request("GET", #"orderBy="$key"&limitToLast=1"#) { $0.accept = "text/event-stream" }
        #expect(query.query?.limit == Query.Limit(count: 1, anchor: .last))
        #expect(
            RestHead("GET", "/a.json", "shallow=true").with { $0.accept = "text/event-stream" }.refusal
                == "Mixing 'shallow' and event streams is not supported")
    }

    @Test("29 to 33, print; unknown values are ignored")
    func printing() throws {
        #expect(try request("GET", "print=pretty").output.isPretty)
        for method in ["GET", "PUT", "POST", "PATCH", "DELETE"] {
            #expect(try request(method, "print=silent").output.isSilent)
        }
        #expect(try request("GET", "print=loud").output == RestOutput())
        #expect(try !request("GET", "print=silent") { $0.accept = "text/event-stream" }.output.isSilent)
    }

    @Test("34 and 35, a callback is the name of a function")
    func callback() throws {
        let output = try request("GET", "callback=jQuery.cb_1[$0]").output
        #expect(output.callback == "jQuery.cb_1[$0]")
        #expect(output.wrapping.head == Array("jQuery.cb_1[$0](".utf8))
        #expect(output.wrapping.tail == Array(");".utf8))
        #expect(output.contentType == "application/javascript; charset=utf-8")
        #expect(try request("PUT", "callback=alert(1)").output.callback == nil)
        let text = "callback must name a function with letters, digits, _ . $ [ ], in at most 128 characters"
        for callback in ["alert(1)-", "", "a b", "é", String(repeating: "c", count: 129)] {
            #expect(RestHead("GET", "/a.json", "callback=\(callback)").refusal == text)
        }
    }

    @Test("36, a download has a file name without what could leave its quotes")
    func download() throws {
        #expect(try request("GET", "download=x.json").output.contentDisposition == "attachment; filename=\"x.json\"")
        #expect(try request("GET", "download=../a\"\r\né;b").output.download == ".._a_____b")
        #expect(try request("GET", "download=").output.download == "data.json")
        #expect(try request("GET").output.contentDisposition == nil)
    }

    @Test("37, the export form is for reads")
    func export() throws {
        #expect(try request("GET", "format=export").output.form == RestForm(keepsPriorities: true))
        #expect(try request("GET", "format=export&print=pretty").output.form.isPretty)
        #expect(try !request("PUT", "format=export").output.isExport)
        #expect(try !request("GET", "format=strict").output.isExport)
    }

    @Test("65, unknown parameters are ignored, known ones may not be repeated")
    func unknown() {
        #expect(RestHead("GET", "/a.json", "_=1&_=2&cb=3&dryRun=true&disableTriggers=true&ns=x").refusal == nil)
        #expect(RestHead("GET", "/a.json", "print=pretty&print=pretty").refusal == "print may be specified only once")
        #expect(
            RestHead("GET", "/a.json", #"orderBy="$key"&orderBy="$key""#).refusal
                == "orderBy may be specified only once")
    }

    @Test("85 to 88, shallow goes with a limit and a bare key, not with other query parameters")
    func shallow() throws {
        #expect(try request("GET", "shallow=true").shallow == RestRequest.Shallow())
        #expect(try request("GET", "shallow=false").shallow == nil)
        let some = try request("GET", "shallow=true&limitToFirst=100&startAfter=k \"1&timeout=5000ms&print=pretty")
        #expect(some.shallow == RestRequest.Shallow(limit: 100, startAfter: "k \"1"))
        #expect(some.query == nil && some.timeout == 5000 && some.output.isPretty)
        for other in ["orderBy=\"$key\"", "startAt=1", "endAt=1", "endBefore=1", "equalTo=1", "limitToLast=1"] {
            #expect(
                RestHead("GET", "/a.json", "shallow=true&\(other)").refusal
                    == "Mixing 'shallow' and querying parameters is not supported")
        }
        #expect(
            RestHead("GET", "/a.json", "shallow=true&startAfter=a.b").refusal
                == "Constraint key field must be a valid key name")
        #expect(RestHead("GET", "/a.json", "shallow=true&limitToFirst=0").refusal == "limitToFirst must be positive")
    }

    @Test("89, a timeout has a unit and at most 15 minutes")
    func timeout() throws {
        #expect(try request("GET").timeout == 900_000)
        for (text, milliseconds) in [("10s", 10_000), ("1ms", 1), ("15min", 900_000), ("900s", 900_000)] {
            #expect(try request("GET", "timeout=\(text)").timeout == milliseconds)
        }
        for text in ["0s", "16min", "abc", "", "10", "ms", "-1s", "1.5s", "901s", "99999999999999999999s", "1 s"] {
            #expect(
                RestHead("GET", "/a.json", "timeout=\(text)").refusal
                    == "timeout must be a positive integer with the unit ms, s or min, at most 15min")
        }
        #expect(RestHead("PUT", "/a.json", "timeout=abc").refusal == nil)
    }

    @Test("130, a write may name its limit")
    func writeSizeLimit() throws {
        #expect(try request("DELETE", "writeSizeLimit=tiny").writeSizeLimit == .tiny)
        #expect(try request("PUT").writeSizeLimit == nil)
        #expect(try request("GET", "writeSizeLimit=huge").writeSizeLimit == nil)
        #expect(
            RestHead("PATCH", "/a.json", "writeSizeLimit=huge").refusal
                == "writeSizeLimit must be tiny, small, medium, large or unlimited")
    }
}
