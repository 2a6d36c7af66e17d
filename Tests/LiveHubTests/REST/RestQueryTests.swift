import TestSupport
import Testing

@Suite("REST: queries", .blocking)
struct RestQueryTests {
    private static let dinosaurs = """
        {"bruhathkayosaurus":{"height":25,"ratings":{"pos":1}},"lambeosaurus":{"height":2.1,"ratings":{"pos":3}},\
        "linhenykus":{"height":0.6,"ratings":{"pos":4}},"pterodactyl":{"height":0.6,"ratings":{"pos":5}},\
        "stegosaurus":{"height":4,"ratings":{"pos":6}},"triceratops":{"height":3,"ratings":{"pos":2}}}
        """

    /// A namespace with the data that the checks speak of.
    private func prepared(_ check: Int) throws -> RestClient {
        let rest = try RestHub.ruled(check)
        _ = try rest.put("/dinosaurs.json", RestQueryTests.dinosaurs)
        _ = try rest.put("/scores.json", #"{"a":55,"b":81,"c":80,"d":93}"#)
        return rest
    }

    /// The keys of an object that is answered, as the shallow form shows them.
    private func keys(_ rest: RestClient, _ query: String, at path: String = "/dinosaurs") throws -> [String] {
        let answer = try rest.get("\(path).json?\(query)")
        guard answer.status == 200 else { throw DeviceError.missing("an answer to \(query): \(answer.outcome)") }
        // What is read goes to a place of its own, so that the hub itself tells its keys.
        let name = try RestBasicsTests.name(try rest.post("/open.json", answer.text))
        let shallow = try rest.get("/open/\(name).json?shallow=true").text
        if shallow == "null" { return [] }
        return shallow.split(separator: "\"").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    @Test(
        "66 to 73, what a query selects",
        arguments: [
            (66, #"orderBy="$key"&limitToFirst=2"#, ["bruhathkayosaurus", "lambeosaurus"]),
            (67, #"orderBy="height"&startAt=3.5"#, ["bruhathkayosaurus", "stegosaurus"]),
            (67, #"orderBy="height"&endAt=3.5"#, ["lambeosaurus", "linhenykus", "pterodactyl", "triceratops"]),
            (68, #"orderBy="height"&equalTo=0.6"#, ["linhenykus", "pterodactyl"]),
            (69, #"orderBy="ratings/pos"&startAt=4"#, ["linhenykus", "pterodactyl", "stegosaurus"]),
            (
                71, #"orderBy="height"&startAfter=0.6"#,
                ["bruhathkayosaurus", "lambeosaurus", "stegosaurus", "triceratops"]
            ),
            (71, #"orderBy="height"&endBefore=0.6"#, []),
            (
                72, #"orderBy="height"&startAt=0.6,"pterodactyl""#,
                ["bruhathkayosaurus", "lambeosaurus", "pterodactyl", "stegosaurus", "triceratops"]
            ),
            (72, #"orderBy="height"&endAt=0.6,"linhenykus""#, ["linhenykus"]),
            (72, #"orderBy="height"&startAt=0.6&endAt=0.6"#, ["linhenykus", "pterodactyl"]),
            (
                73, #"orderBy="$priority""#,
                ["bruhathkayosaurus", "lambeosaurus", "linhenykus", "pterodactyl", "stegosaurus", "triceratops"]
            ),
        ])
    func selection(_ check: Int, _ query: String, _ selected: [String]) throws {
        #expect(try keys(prepared(check), query) == selected)
    }

    @Test("70, the highest values")
    func values() throws {
        let rest = try prepared(70)
        let answer = try rest.get(#"/scores.json?orderBy="$value"&limitToLast=2"#)
        #expect(answer.outcome == #"200 {"b":81,"d":93}"#)
    }

    @Test("values of all kinds come in the order that SDKs have")
    func order() throws {
        let rest = try RestHub.open(31_031)
        _ = try rest.put(
            "/m.json",
            #"{"10":{"v":true},"2":{"v":false},"-1":{"v":-5},"a":{"v":"b"},"B":{"v":"a"},"n":{"w":1},"o":{"v":{"x":1}}}"#
        )
        let ordered = ["n", "2", "10", "-1", "B", "a", "o"]
        for count in 1...ordered.count {
            let first = try rest.get(#"/m.json?orderBy="v"&limitToFirst=\#(count)"#).text
            #expect(ordered.filter { first.contains("\"\($0)\":") }.count == count)
            #expect(ordered.prefix(count).allSatisfy { first.contains("\"\($0)\":") }, "\(count): \(first)")
        }
        #expect(try rest.get(#"/m.json?orderBy="$key"&limitToFirst=2"#).text.contains(#""-1":"#))
        #expect(try rest.get(#"/m.json?orderBy="v"&equalTo=null"#).outcome == #"200 {"n":{"w":1}}"#)
    }

    @Test(
        "74 to 83, what is wrong with a query is said, in the words that are known",
        arguments: [
            (74, "orderBy=height", "orderBy must be a valid JSON encoded path"),
            (74, "orderBy=5", "orderBy must be a valid JSON encoded path"),
            (74, "orderBy=", "orderBy must be a valid JSON encoded path"),
            (74, #"orderBy="a.b""#, "orderBy must be a valid JSON encoded path"),
            (74, #"orderBy=bad"json"#, "orderBy must be a valid JSON encoded path"),
            (75, "orderBy=%2522height%2522", "orderBy must be a valid JSON encoded path"),
            (76, "limitToFirst=2", "orderBy must be defined when other query parameters are defined"),
            (76, "equalTo=2", "orderBy must be defined when other query parameters are defined"),
            (77, #"orderBy="$key"&startAt=5"#, "Provided key index type is invalid, must be string"),
            (77, #"orderBy="$key"&equalTo=true"#, "Provided key index type is invalid, must be string"),
            (78, #"orderBy="height"&equalTo=abc"#, "Constraint index field must be a JSON primitive"),
            (78, #"orderBy="height"&equalTo={"a":1}"#, "Constraint index field must be a JSON primitive"),
            (78, #"orderBy="height"&equalTo="#, "Constraint index field must be a JSON primitive"),
            (79, #"orderBy="height"&startAt=1,"a.b""#, "Constraint key field must be a valid key name"),
            (
                80, #"orderBy="weight""#,
                #"Index not defined, add ".indexOn": "weight", for path "/dinosaurs", to the rules"#
            ),
            (
                80, #"orderBy="weight"&limitToLast=1"#,
                #"Index not defined, add ".indexOn": "weight", for path "/dinosaurs", to the rules"#
            ),
            (
                80, #"orderBy="$value"&limitToLast=1"#,
                #"Index not defined, add ".indexOn": ".value", for path "/dinosaurs", to the rules"#
            ),
            (
                81, #"orderBy="$key"&limitToFirst=1&limitToLast=1"#,
                "Only one of limitToFirst and limitToLast may be specified"
            ),
            (
                82, #"orderBy="height"&equalTo=1&startAt=1"#,
                "equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore"
            ),
            (82, #"orderBy="$key"&orderBy="$key""#, "orderBy may be specified only once"),
            (83, #"orderBy="$key"&limitToFirst=0"#, "limitToFirst must be positive"),
            (83, #"orderBy="$key"&limitToFirst=-1"#, "limitToFirst must be positive"),
            (83, #"orderBy="$key"&limitToLast=0"#, "limitToLast must be positive"),
            (83, #"orderBy="$key"&limitToFirst=x"#, "limitToFirst must be an integer"),
            (83, #"orderBy="$key"&limitToLast=1.5"#, "limitToLast must be an integer"),
        ])
    func refusal(_ check: Int, _ query: String, _ text: String) throws {
        let rest = try prepared(check)
        #expect(try rest.get("/dinosaurs.json?\(query)").outcome == "400 error: \(text)")
        let stream = try EventStreamClient(rest, "/dinosaurs.json?\(query)")
        #expect(stream.answer.outcome == "400 error: \(text)", "as a stream")
    }

    @Test("83, large limits are limits")
    func largeLimit() throws {
        let rest = try prepared(83)
        for limit in ["6", "1000000000", "99999999999999999999"] {
            #expect(
                try rest.get(#"/dinosaurs.json?orderBy="$key"&limitToFirst=\#(limit)"#).text == RestQueryTests.dinosaurs
            )
        }
    }

    @Test("84, writes take no query")
    func writes() throws {
        let rest = try prepared(84)
        for method in ["PUT", "PATCH", "POST", "DELETE"] {
            let answer = try rest.request(
                method, #"/scores.json?orderBy="$key""#, method == "DELETE" ? nil : #"{"a":1}"#)
            #expect(answer.outcome == "400 error: Querying related parameters not supported on this request type")
        }
        #expect(try rest.get("/scores/a.json").outcome == "200 55")
    }

    @Test("85, shallow shows keys alone")
    func shallow() throws {
        let rest = try prepared(85)
        #expect(try rest.get("/scores.json?shallow=true").outcome == #"200 {"a":true,"b":true,"c":true,"d":true}"#)
        #expect(try rest.get("/scores/a.json?shallow=true").outcome == "200 55")
        #expect(try rest.get("/none.json?shallow=true").outcome == "200 null")
    }

    @Test("86, shallow with a limit, and page after page")
    func shallowPages() throws {
        let rest = try prepared(86)
        #expect(try rest.get("/scores.json?shallow=true&limitToFirst=1").outcome == #"200 {"a":true}"#)
        let next = try rest.get("/scores.json?shallow=true&limitToFirst=2&startAfter=b&timeout=50000ms")
        #expect(next.outcome == #"200 {"c":true,"d":true}"#)
        #expect(try RestHub.open(86_086).get("/.json?shallow=true&limitToFirst=1").outcome == "200 null")
    }

    @Test("87, shallow and a query do not mix")
    func shallowQuery() throws {
        let rest = try prepared(87)
        let query = try rest.get(#"/scores.json?shallow=true&orderBy="$key""#)
        #expect(query.outcome == "400 error: Mixing 'shallow' and querying parameters is not supported")
        #expect(try rest.get("/scores.json?shallow=true&limitToLast=1").status == 400)
    }

    @Test("88, shallow and pretty do")
    func shallowPretty() throws {
        let answer = try prepared(88).get("/scores.json?shallow=true&print=pretty&limitToFirst=1")
        #expect(answer.text == "{\n  \"a\" : true\n}\n")
    }

    @Test("89, timeouts")
    func timeout() throws {
        let rest = try prepared(89)
        for good in ["10s", "15min", "1ms", "900000ms"] {
            #expect(try [200, 400].contains(rest.get("/scores.json?timeout=\(good)").status))
        }
        #expect(try rest.get("/scores.json?timeout=10s").status == 200)
        for bad in ["0s", "16min", "abc", "-1s", "10", "1h", "", "1.5s", "901s"] {
            #expect(try rest.get("/scores.json?timeout=\(bad)").status == 400, "\(bad)")
        }
    }

    @Test("90, a raw dollar and raw quotes")
    func raw() throws {
        let rest = try prepared(90)
        for query in ["orderBy=%22$key%22", #"orderBy="$key""#, "orderBy=%22%24key%22"] {
            #expect(try rest.get("/scores.json?\(query)&limitToLast=1").outcome == #"200 {"d":93}"#)
        }
    }

    @Test("a query that selects nothing of something is an empty object, and null of nothing")
    func nothing() throws {
        let rest = try prepared(91_091)
        #expect(try rest.get(#"/scores.json?orderBy="$value"&equalTo=1"#).outcome == "200 {}")
        #expect(try rest.get(#"/none.json?orderBy="$key"&limitToFirst=1"#).outcome == "200 null")
        #expect(try rest.get(#"/scores/a.json?orderBy="$key"&limitToFirst=1"#).outcome == "200 null")
    }
}
