import Glibc
import TestSupport
import Testing

@Suite("REST: event streams", .blocking)
struct RestStreamingTests {
    @Test("104, a stream of nothing begins with null, in the form that clients read")
    func absent() throws {
        let stream = try EventStreamClient(RestHub.open(104), "/none.json")
        #expect(stream.answer.status == 200)
        #expect(stream.answer.header("content-type") == "text/event-stream; charset=utf-8")
        #expect(stream.answer.header("cache-control") == "no-cache")
        #expect(stream.answer.header("access-control-allow-origin") == "*")
        #expect(stream.answer.header("x-accel-buffering") == "no")
        #expect(stream.answer.header("content-length") == nil)
        #expect(try stream.change() == #"put {"path":"/","data":null}"#)
    }

    @Test("105, writes below arrive with their path")
    func below() throws {
        let rest = try RestHub.open(105)
        let stream = try EventStreamClient(rest, "/a.json")
        #expect(try stream.change() == #"put {"path":"/","data":null}"#)
        _ = try rest.put("/a/b/c.json", #"{"x":1}"#)
        #expect(try stream.change() == #"put {"path":"/b/c","data":{"x":1}}"#)
        _ = try rest.delete("/a/b/c.json")
        #expect(try stream.change() == #"put {"path":"/b/c","data":null}"#)
        let name = try RestBasicsTests.name(try rest.post("/a.json", #""""#))
        #expect(try stream.change() == #"put {"path":"/\#(name)","data":""}"#)
        _ = try rest.put("/a.json", "[1,null,3]")
        #expect(try stream.change() == #"put {"path":"/","data":[1,null,3]}"#)
    }

    @Test("106, an update is a patch where it was sent")
    func patch() throws {
        let rest = try RestHub.open(106)
        _ = try rest.put("/a.json", #"{"x":1,"y":2}"#)
        let stream = try EventStreamClient(rest, "/a.json")
        #expect(try stream.change() == #"put {"path":"/","data":{"x":1,"y":2}}"#)
        _ = try rest.patch("/a.json", #"{"x":null,"z":{"n":1}}"#)
        #expect(try stream.change() == #"patch {"path":"/","data":{"x":null,"z":{"n":1}}}"#)
        _ = try rest.patch("/a/z.json", #"{"m":true,"o":false}"#)
        #expect(try stream.change() == #"patch {"path":"/z","data":{"m":true,"o":false}}"#)
    }

    @Test("107, what is written above shows as what it means here; a neighbour's change does not")
    func above() throws {
        let rest = try RestHub.open(107)
        let stream = try EventStreamClient(rest, "/a/b.json")
        #expect(try stream.change() == #"put {"path":"/","data":null}"#)
        _ = try rest.put("/a/c.json", "1")
        _ = try rest.put("/a.json", #"{"b":2,"c":3}"#)
        #expect(try stream.change() == #"put {"path":"/","data":2}"#)
        // The same value again, and another neighbour: nothing before the next change.
        _ = try rest.put("/a.json", #"{"b":2,"c":4}"#)
        _ = try rest.put("/a/b.json", "2")
        _ = try rest.delete("/a.json")
        #expect(try stream.change() == #"put {"path":"/","data":null}"#)
    }

    @Test("108, an idle stream is kept alive")
    func keepAlive() throws {
        let hub = try HubProcess("--dev", "--memory", "--keep-alive-seconds", "1")
        let stream = try EventStreamClient(RestClient(port: hub.port, namespace: "demo"), "/a.json")
        #expect(try stream.next() == StreamEvent("put", #"{"path":"/","data":null}"#))
        for _ in 1...2 { #expect(try stream.next(within: .seconds(60)) == StreamEvent("keep-alive", "null")) }
    }

    @Test("109, without permission there is a status and no stream; the connection serves on")
    func denied() throws {
        let rest = try RestHub.ruled(109).anonymous
        let stream = try EventStreamClient(rest, "/a.json")
        #expect(stream.answer.outcome == "401 error: Permission denied")
        try stream.socket.send(Array(rest.text("GET", "/readable.json").utf8))
        #expect(try AnswerReader(stream.socket).answer(until: .now + .seconds(20)).outcome == "200 null")
        let garbage = try EventStreamClient(rest, "/readable.json?auth=garbage")
        #expect(garbage.answer.outcome == "401 error: Could not parse auth token.")
    }

    @Test("110, rules that shut a stream out cancel it")
    func cancelled() throws {
        let folder = TemporaryFolder()
        let file = folder.write(#"{"rules": {".read": true, ".write": true}}"#, to: "rules.json")
        let hub = try HubProcess("--dev", "--memory", "--rules", file)
        let rest = RestClient(port: hub.port, namespace: "demo", bearer: nil)
        let stream = try EventStreamClient(rest, "/a.json")
        let query = try EventStreamClient(rest, #"/b.json?orderBy="$key"&limitToLast=1"#)
        #expect(try stream.change() == #"put {"path":"/","data":null}"#)
        #expect(try query.change() == #"put {"path":"/","data":null}"#)
        folder.write(#"{"rules": {".write": true}}"#, to: "rules.json")
        hub.send(signal: SIGHUP)
        for stream in [stream, query] {
            #expect(try stream.nextChange() == StreamEvent("cancel", "Permission denied."))
            #expect(try stream.ends())
        }
    }

    @Test("110, a credential that expires ends its stream")
    func expired() throws {
        let rest = try RestHub.ruled(110)
        let now = time(nil)
        let token = UnsignedTokens.token(#"{"sub":"ada","iat":\#(now),"exp":\#(now + 3)}"#)
        let stream = try EventStreamClient(rest.anonymous, "/users/ada.json?auth=\(token)")
        #expect(try stream.change() == #"put {"path":"/","data":null}"#)
        #expect(try stream.nextChange() == StreamEvent("auth_revoked", "credential is no longer valid"))
        #expect(try stream.ends())
        let late = try EventStreamClient(rest.anonymous, "/users/ada.json?auth=\(token)")
        #expect(late.answer.status == 401 && late.answer.error?.hasPrefix("Auth token is expired") == true)
    }

    @Test("111, only a GET opens a stream")
    func put() throws {
        let rest = try RestHub.open(111)
        #expect(try rest.put("/a.json", "1", ["Accept": "text/event-stream"]).outcome == "200 1")
        #expect(try rest.patch("/a.json", #"{"x":1}"#, ["Accept": "text/event-stream"]).outcome == #"200 {"x":1}"#)
        #expect(try rest.post("/a.json", "1", ["Accept": "text/event-stream"]).status == 200)
        #expect(try rest.request("HEAD", "/a.json", nil, ["Accept": "text/event-stream"]).status == 200)
        #expect(try rest.delete("/a.json", ["Accept": "text/event-stream"]).outcome == "200 null")
    }

    @Test("112, a small event comes in one piece")
    func onePiece() throws {
        let rest = try RestHub.open(112)
        let stream = try EventStreamClient(rest, "/a.json")
        _ = try stream.next()
        for number in 1...20 {
            _ = try rest.put("/a/b.json", "\(number)")
            let text = "event: put\ndata: {\"path\":\"/b\",\"data\":\(number)}\n\n"
            #expect(try stream.nextPieces() == [Array(text.utf8)])
        }
    }

    @Test("113, a thousand writes arrive, in order, from the first value on")
    func order() throws {
        let rest = try RestHub.open(113)
        let count = TestScale.pick(1000, short: 200)
        let writer = rest.another(bearer: "owner")
        let writing = Worker {
            let rest = try RestHub.open(113)
            for number in 1...count { _ = try rest.put("/n.json", "\(number)") }
        }
        var last = 0
        let stream = try EventStreamClient(writer, "/n.json")
        let first = try stream.change()
        if first != #"put {"path":"/","data":null}"# {
            last = Int(first.dropFirst(#"put {"path":"/","data":"#.count).dropLast()) ?? -1
        }
        while last < count {
            let event = try stream.change()
            guard event == #"put {"path":"/","data":\#(last + 1)}"# else {
                throw DeviceError.missing("the event after \(last): \(event)")
            }
            last += 1
        }
        _ = try writing.value()
    }

    @Test("114, other alphabets arrive as they are, and a client that leaves is forgotten")
    func unicodeAndLeaving() throws {
        let hub = try HubProcess("--dev", "--memory")
        let rest = RestClient(port: hub.port, namespace: "demo")
        _ = try rest.put("/a.json", #"{"é€😀":"é€😀 \u0000\n\"\\"}"#)
        let stream = try EventStreamClient(rest, "/a.json")
        #expect(try stream.change() == #"put {"path":"/","data":{"é€😀":"é€😀 \u0000\n\"\\"}}"#)
        let name = #"hearth_connections{transport="sse"}"#
        #expect(try HubMetrics(port: hub.port)[name] == 1)
        #expect(try HubMetrics(port: hub.port)["hearth_listens"] == 1)
        stream.close()
        let after = try HubMetrics.read(port: hub.port) { $0[name] == 0 && $0["hearth_listens"] == 0 }
        #expect(after[name] == 0 && after["hearth_listens"] == 0)
    }

    @Test("a query's stream shows what enters and leaves its window")
    func window() throws {
        let rest = try RestHub.open(115_115)
        _ = try rest.put("/q.json", #"{"a":1,"b":2,"c":3}"#)
        let stream = try EventStreamClient(rest, #"/q.json?orderBy="$value"&limitToLast=2"#)
        #expect(try stream.change() == #"put {"path":"/","data":{"b":2,"c":3}}"#)
        _ = try rest.put("/q/d.json", "4")
        var window = try [stream.change()]
        if !window[0].contains("\"b\"") || !window[0].contains("\"d\"") { window.append(try stream.change()) }
        let text = window.joined()
        #expect(text.contains("4") && text.contains("null"), "\(window)")
        _ = try rest.put("/q/a.json", "0")
        _ = try rest.put("/q/d.json", "5")
        #expect(try stream.change() == #"put {"path":"/d","data":5}"#)
    }
}
