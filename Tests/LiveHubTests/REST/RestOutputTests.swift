import TestSupport
import Testing

@Suite("REST: forms of the output", .blocking)
struct RestOutputTests {
    @Test("29, print=pretty is laid out as official clients expect it")
    func pretty() throws {
        let rest = try RestHub.open(29)
        _ = try rest.put("/a.json", #"{"id":1,"k":[1,2]}"#)
        #expect(try rest.get("/a.json?print=pretty").text == "{\n  \"id\" : 1,\n  \"k\" : [ 1, 2 ]\n}\n")
        _ = try rest.put("/a.json", #"[{"b":1},{"c":{"d":"é"}}]"#)
        let nested = "[ {\n  \"b\" : 1\n}, {\n  \"c\" : {\n    \"d\" : \"é\"\n  }\n} ]\n"
        #expect(try rest.get("/a.json?print=pretty").text == nested)
        #expect(try rest.get("/none.json?print=pretty").text == "null\n")
        #expect(try rest.put("/a.json?print=pretty", #"{"x":1}"#).text == "{\n  \"x\" : 1\n}\n")
        #expect(try rest.patch("/a.json?print=pretty", #"{"y":2}"#).text == "{\n  \"y\" : 2\n}\n")
    }

    @Test("30, 31, 32, print=silent answers 204 and nothing, for every method")
    func silent() throws {
        let rest = try RestHub.open(30)
        #expect(try rest.put("/a.json?print=silent", #"{"x":1}"#).outcome == "204")
        #expect(try rest.get("/a.json?print=silent").outcome == "204")
        #expect(try rest.post("/a.json?print=silent", "1").outcome == "204")
        #expect(try rest.patch("/a.json?print=silent", #"{"x":2}"#).outcome == "204")
        #expect(try rest.get("/a/x.json").outcome == "200 2")
        #expect(try rest.delete("/a.json?print=silent").outcome == "204")
        #expect(try rest.get("/a.json").outcome == "200 null")
    }

    @Test("33, errors are not silent")
    func silentError() throws {
        let answer = try RestHub.open(33).put("/a.json?print=silent", #"{"a":"#)
        #expect(
            answer.outcome == "400 error: Invalid data; couldn't parse JSON object, array, or value.")
        #expect(answer.header("content-type") == "application/json; charset=utf-8")
    }

    @Test("34, callback wraps the value for a script")
    func callback() throws {
        let rest = try RestHub.open(34)
        _ = try rest.put("/a.json", #"{"x":"é"}"#)
        let answer = try rest.get("/a.json?callback=my.cb%5B0%5D")
        #expect(answer.outcome == #"200 my.cb[0]({"x":"é"});"#)
        #expect(answer.header("content-type") == "application/javascript; charset=utf-8")
    }

    @Test("35, a callback that is no name is refused and not repeated")
    func badCallback() throws {
        let rest = try RestHub.open(35)
        for callback in ["alert(1)-", "a%20b", "%3Cscript%3E", "", String(repeating: "a", count: 129)] {
            let answer = try rest.get("/a.json?callback=\(callback)")
            #expect(answer.status == 400 && answer.error != nil)
            #expect(!answer.text.contains("alert") && !answer.text.contains("<script"))
        }
    }

    @Test("36, download names a file")
    func download() throws {
        let rest = try RestHub.open(36)
        _ = try rest.put("/a.json", "[1]")
        let answer = try rest.get("/a.json?download=x.json")
        #expect(answer.outcome == "200 [1]")
        #expect(answer.header("content-disposition") == #"attachment; filename="x.json""#)
        let hostile = try rest.get("/a.json?download=..%2F%22%0D%0AX-Evil:%201")
        #expect(hostile.header("x-evil") == nil)
        #expect(hostile.header("content-disposition")?.contains("/") == false)
    }

    @Test("37, a priority shows in an export and nowhere else")
    func export() throws {
        let rest = try RestHub.open(37)
        #expect(try rest.put("/p.json", #"{".value":"T",".priority":1}"#).outcome == #"200 "T""#)
        #expect(try rest.get("/p.json").outcome == #"200 "T""#)
        #expect(try rest.get("/p.json?format=export").outcome == #"200 {".value":"T",".priority":1}"#)
    }

    @Test("38, a priority can be read and written by itself")
    func priority() throws {
        let rest = try RestHub.open(38)
        _ = try rest.put("/p.json", #"{".value":"T",".priority":1}"#)
        #expect(try rest.get("/p/.priority.json").outcome == "200 1")
        #expect(try rest.put("/p/.priority.json", #""z""#).outcome == #"200 "z""#)
        #expect(try rest.get("/p.json?format=export").outcome == #"200 {".value":"T",".priority":"z"}"#)
        #expect(try rest.put("/p/.priority.json", "true").status == 400)
        #expect(try rest.delete("/p/.priority.json").outcome == "200 null")
        #expect(try rest.get("/p.json?format=export").outcome == #"200 "T""#)
        #expect(try rest.get("/p/.priority/x.json").status == 400)
    }

    @Test("39, the priority of an object stands at its level")
    func objectPriority() throws {
        let rest = try RestHub.open(39)
        _ = try rest.put("/p.json", #"{".priority":3,"a":{"b":{".value":1,".priority":"x"}}}"#)
        #expect(try rest.get("/p.json").outcome == #"200 {"a":{"b":1}}"#)
        let export = try rest.get("/p.json?format=export")
        #expect(export.outcome == #"200 {".priority":3,"a":{"b":{".value":1,".priority":"x"}}}"#)
    }

    @Test("40, arrays are objects with numbers for keys")
    func arrays() throws {
        let rest = try RestHub.open(40)
        _ = try rest.put("/a.json", "[1,2,3]")
        #expect(try rest.get("/a.json").outcome == "200 [1,2,3]")
        #expect(try rest.get("/a/1.json").outcome == "200 2")
        #expect(try rest.get("/a.json?format=export").outcome == #"200 {"0":1,"1":2,"2":3}"#)
    }

    @Test("41, what looks like an array is shown as one, holes as null")
    func holes() throws {
        let rest = try RestHub.open(41)
        _ = try rest.put("/a.json", #"{"0":"a","1":"b","2":"c"}"#)
        #expect(try rest.get("/a.json").outcome == #"200 ["a","b","c"]"#)
        _ = try rest.delete("/a/1.json")
        #expect(try rest.get("/a.json").outcome == #"200 ["a",null,"c"]"#)
        _ = try rest.put("/a.json", "[1,null,3]")
        #expect(try rest.get("/a.json").outcome == "200 [1,null,3]")
        _ = try rest.put("/a.json", #"{"1":"a","2":"b"}"#)
        #expect(try rest.get("/a.json").outcome == #"200 [null,"a","b"]"#)
    }

    @Test("42, too many holes make an object, however large the key")
    func sparse() throws {
        let rest = try RestHub.open(42)
        for body in [#"{"0":1,"9":2}"#, #"{"1":"a","9":"b"}"#, #"{"0":1,"100000000000001":2}"#] {
            _ = try rest.put("/a.json", body)
            #expect(try rest.get("/a.json").outcome == "200 \(body)")
            let stream = try EventStreamClient(rest, "/a.json")
            #expect(try stream.change() == #"put {"path":"/","data":\#(body)}"#)
        }
    }

    @Test("43, keys that only look like numbers make an object")
    func notCanonical() throws {
        let rest = try RestHub.open(43)
        for body in [#"{"00":1,"1":2}"#, #"{"01":1}"#, #"{"-1":1,"0":2}"#, #"{"0":1,"1a":2}"#] {
            _ = try rest.put("/a.json", body)
            #expect(try rest.get("/a/0.json?shallow=true").status == 200)
            let text = try rest.get("/a.json").text
            #expect(text.hasPrefix("{") && text.utf8.count == body.utf8.count, "\(text)")
        }
    }

    @Test("44, numbers keep their value and come in the shortest form; truth values stay truth values")
    func numbers() throws {
        let rest = try RestHub.open(44)
        let cases = [
            ("400.0", "400"), ("0.1", "0.1"), ("9007199254740991", "9007199254740991"), ("-0", "0"), ("1e3", "1000"),
            ("-9007199254740991", "-9007199254740991"), ("true", "true"), ("false", "false"), ("1", "1"),
        ]
        for (body, shown) in cases {
            #expect(try rest.put("/n.json", body).outcome == "200 \(shown)")
            #expect(try rest.get("/n.json").outcome == "200 \(shown)")
            #expect(try rest.get("/n.json?format=export").outcome == "200 \(shown)")
        }
        #expect(try rest.put("/n.json", "1e400").status == 400)
        #expect(try rest.put("/n.json", "NaN").status == 400)
    }
}
