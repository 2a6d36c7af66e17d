import TestSupport
import Testing

@Suite("REST: settings and inspection", .blocking)
struct RestManagementTests {
    private static let commented = """
        { // Who may do what.
          "rules": {
            /* Everybody. */
            ".read": true,
            ".write": true
          }
        }
        """

    @Test("122, rules come back as they were sent, and without comments when they shall be JSON")
    func rules() throws {
        let rest = try RestHub.open(122)
        let answer = try rest.put("/.settings/rules.json", RestManagementTests.commented)
        #expect(answer.status == 200)
        #expect(try rest.get("/.settings/rules.json").text == RestManagementTests.commented)
        let strict = try rest.get("/.settings/rules.json?format=strict")
        #expect(strict.status == 200 && !strict.text.contains("//") && !strict.text.contains("/*"))
        // What is strict is JSON, which the hub itself can say.
        #expect(
            try rest.put(
                "/strict.json",
                #"{"text":\#(strict.text.replacing(".read", with: "r").replacing(".write", with: "w"))}"#
            ).status == 200)
    }

    @Test("123, what has no rules is no rules")
    func noRules() throws {
        let rest = try RestHub.open(123)
        for body in ["{}", "\"text\""] {
            let answer = try rest.put("/.settings/rules.json", body)
            #expect(
                answer.status == 400 && answer.text.contains("1:2: Expected 'rules' property.\\n"), "\(answer.text)")
        }
    }

    @Test("124, an error has its line and column")
    func ruleError() throws {
        let rest = try RestHub.open(124)
        let answer = try rest.put("/.settings/rules.json", "{\"rules\": {\n  \".write\": \"newData.isArray()\"}}")
        #expect(answer.status == 400)
        #expect(answer.error?.hasPrefix("2:") == true, "\(answer.text)")
        #expect(answer.error?.contains("No such method/property 'isArray'.") == true, "\(answer.text)")
    }

    @Test("125, a dry run changes nothing")
    func dryRun() throws {
        let rest = try RestHub.open(125)
        _ = try rest.put("/.settings/rules.json", RestManagementTests.commented)
        #expect(try rest.put("/.settings/rules.json?dryRun=true", #"{"rules": {".read": "x"}}"#).status == 400)
        #expect(try rest.put("/.settings/rules.json?dryRun=true", #"{"rules": {".read": false}}"#).status == 200)
        #expect(try rest.get("/.settings/rules.json").text == RestManagementTests.commented)
        #expect(try rest.anonymous.get("/a.json").status == 200)
        #expect(try rest.put("/.settings/rules.json", #"{"rules": {".read": false}}"#).status == 200)
        #expect(try rest.anonymous.get("/a.json").status == 401)
    }

    @Test("126, settings are the administrator's")
    func administrator() throws {
        let rest = try RestHub.open(126).anonymous
        for target in [
            "/.settings/rules.json", "/.settings/defaultWriteSizeLimit.json", "/.inspect/databases.json",
            "/.settings/rules.json?auth=\(UnsignedTokens.user("ada"))",
        ] {
            let answer = try rest.get(target)
            #expect(answer.status == 401 && answer.text.contains("\"error\""), "\(target): \(answer.outcome)")
        }
        #expect(try rest.put("/.settings/rules.json", RestManagementTests.commented).status == 401)
    }

    @Test("127, the databases can be listed")
    func databases() throws {
        let rest = try RestHub.open(127)
        _ = try rest.put("/a.json", "1")
        let answer = try rest.get("/.inspect/databases.json")
        #expect(answer.status == 200 && answer.text.hasPrefix("["))
        #expect(answer.text.contains(#"{"name":"check-127""#), "\(answer.text)")
    }

    @Test("128, what the official emulator exports and imports comes through whole, priorities too")
    func roundTrip() throws {
        let (from, to) = (try RestHub.open(128), try RestHub.open(128_128))
        let data = #"{".priority":1,"a":{".value":"x",".priority":"p"},"l":{"0":1,"1":2},"é":{"b":true}}"#
        _ = try from.put("/.json?disableTriggers=true&writeSizeLimit=unlimited", data)
        #expect(try from.get("/.json?shallow=true&limitToFirst=1").outcome == #"200 {"a":true}"#)
        let export = try from.get("/.json?format=export")
        let head = to.text(
            "PUT", "/.json?disableTriggers=true&writeSizeLimit=unlimited", nil, ["Transfer-Encoding": "chunked"])
        let size = String(export.bytes.count, radix: 16)
        try to.send(Array((head + size + "\r\n").utf8) + export.bytes + Array("\r\n0\r\n\r\n".utf8))
        #expect(try to.receive().status == 200)
        #expect(try to.get("/.json?format=export").text == export.text)
        #expect(export.text.contains(#""a":{".value":"x",".priority":"p"}"#), "\(export.text)")
        let tags = try [from, to].map { try $0.get("/.json", ["X-Firebase-ETag": "true"]).header("etag") }
        #expect(tags[0] == tags[1])
    }

    @Test("129, the size that writes may have by themselves")
    func defaultSize() throws {
        let rest = try RestHub.open(129)
        #expect(try rest.get("/.settings/defaultWriteSizeLimit.json").outcome == "200 \"large\"")
        #expect(try rest.put("/.settings/defaultWriteSizeLimit.json", "\"small\"").status == 200)
        #expect(try rest.get("/.settings/defaultWriteSizeLimit.json").outcome == "200 \"small\"")
        #expect(try rest.put("/.settings/defaultWriteSizeLimit.json", "\"huge\"").status == 400)
    }
}
