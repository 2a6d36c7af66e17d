import Glibc
import TestSupport
import Testing

@Suite("REST: server values", .blocking)
struct RestServerValueTests {
    @Test("45, a timestamp is the hub's clock, the same everywhere in one write")
    func timestamp() throws {
        let rest = try RestHub.open(45)
        // A second of grace on either side: the clocks are one, but read in other units.
        let before = time(nil) - 1
        let written = try rest.put("/t.json", #"{".sv":"timestamp"}"#)
        let after = time(nil) + 1
        let stored = try #require(Int(try rest.get("/t.json").text))
        #expect((before * 1000...after * 1000).contains(stored))
        #expect(written.outcome == "200 \(stored)")
        _ = try rest.patch("/.json", #"{"a":{".sv":"timestamp"},"b/c":{".sv":"timestamp"},"d":[{".sv":"timestamp"}]}"#)
        let one = try rest.get("/a.json").text
        #expect(try rest.get("/b/c.json").text == one)
        #expect(try rest.get("/d/0.json").text == one)
    }

    @Test("46, an increment counts from nothing, and adds up")
    func increment() throws {
        let rest = try RestHub.open(46)
        #expect(try rest.patch("/q.json", #"{"n":{".sv":{"increment":2}}}"#).outcome == #"200 {"n":2}"#)
        #expect(try rest.patch("/q.json", #"{"n":{".sv":{"increment":2}}}"#).outcome == #"200 {"n":4}"#)
        #expect(try rest.get("/q/n.json").outcome == "200 4")
    }

    @Test("47, increments of doubles, on what is no number, and beyond the range of numbers")
    func incrementKinds() throws {
        let rest = try RestHub.open(47)
        let cases = [
            ("1", "1.5", "200 2.5"), (#""text""#, "3", "200 3"), (#"{"a":1}"#, "-1", "200 -1"), ("true", "1", "200 1"),
            ("9007199254740991", "1", "200 9007199254740992"), ("0.5", "0.5", "200 1"),
            ("9223372036854775807", "1", "200 9.223372036854776e+18"), ("null", "1e308", "200 1e+308"),
        ]
        for (value, delta, outcome) in cases {
            _ = try rest.put("/i.json", value)
            #expect(try rest.put("/i.json", #"{".sv":{"increment":\#(delta)}}"#).outcome == outcome)
            #expect(try rest.get("/i.json").outcome == outcome)
        }
        // Never an infinity in JSON.
        #expect(try rest.put("/i.json", #"{".sv":{"increment":1e308}}"#).status == 400)
        #expect(try rest.get("/i.json").outcome == "200 1e+308")
    }

    @Test("48, unknown server values are refused")
    func unknown() throws {
        let rest = try RestHub.open(48)
        for body in [
            #"{".sv":"nope"}"#, #"{".sv":{"increment":"x"}}"#, #"{".sv":{"increment":null}}"#, #"{".sv":5}"#,
            #"{".sv":{"decrement":1}}"#,
        ] {
            let answer = try rest.put("/i.json", body)
            #expect(answer.status == 400 && answer.error?.contains("server value") == true, "\(answer.outcome)")
        }
        #expect(try rest.get("/i.json").outcome == "200 null")
    }

    @Test("49, a priority may be a timestamp")
    func priority() throws {
        let rest = try RestHub.open(49)
        _ = try rest.put("/p.json", #"{".priority":{".sv":"timestamp"},".value":1}"#)
        #expect(Int(try rest.get("/p/.priority.json").text) ?? 0 > 1_600_000_000_000)
        #expect(try rest.get("/p.json").outcome == "200 1")
    }

    @Test("50, a hundred increments at once lose none")
    func together() throws {
        let rest = try RestHub.open(50)
        let clients = (0..<10).map { _ in rest.another(bearer: "owner") }
        let request = rest.text("PUT", "/n.json", #"{".sv":{"increment":1}}"#)
        for _ in 0..<10 {
            for client in clients { try client.send(request) }
            for client in clients { #expect(try client.receive().status == 200) }
        }
        #expect(try rest.get("/n.json").outcome == "200 100")
    }
}
