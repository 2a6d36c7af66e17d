import TestSupport
import Testing

@Suite("data from the command line", .blocking)
struct DataLiveTests {
    @Test("is written and read, whatever keys look like")
    func roundTrip() throws {
        let hub = try HubProcess("--dev", "--memory")
        #expect(try hub.expect("set", "/a b/é%+", #"{"x": [1, 2]}"#) == "{\"x\":[1,2]}\n")
        #expect(try hub.expect("get", "a b/é%+/x") == "[1,2]\n")
        #expect(try hub.expect("update", "/", #"{"n/1": -5, "n/2": true}"#) == "{\"n/1\":-5,\"n/2\":true}\n")
        #expect(try hub.expect("set", "/n/3", "-7", "--quiet").isEmpty)
        #expect(try hub.expect("get", "/n", "--order-by", "$key", "--start-at", "2") == "[null,null,true,-7]\n")
        #expect(try hub.expect("get", "/", "--shallow", "--json") == "{\"a b\":true,\"n\":true}\n")
        let key = try hub.expect("push", "/l", "\"tea\"").dropLast()
        #expect(key.count == 20 && key.hasPrefix("-"))
        #expect(try hub.expect("get", "/l/\(key)") == "\"tea\"\n")
        #expect(try hub.expect("remove", "/l").isEmpty)
        #expect(try hub.expect("get", "/l") == "null\n")
        #expect(try hub.expect("get", "/n", "--ns", "other") == "null\n")
    }

    @Test("keeps its priorities on request")
    func priorities() throws {
        let hub = try HubProcess("--dev", "--memory")
        try hub.expect("set", "/p", #"{".value": "T", ".priority": 1}"#)
        #expect(try hub.expect("set", "/p/.priority", "\"z\"") == "\"z\"\n")
        #expect(try hub.expect("get", "/p", "--export") == #"{".value":"T",".priority":"z"}"# + "\n")
        #expect(try hub.expect("get", "/p", "--pretty") == "\"T\"\n")
    }

    @Test("of a large file passes through")
    func large() throws {
        let hub = try HubProcess("--dev", "--memory")
        let folder = TemporaryFolder()
        let text =
            "{"
            + (0..<20_000).map { "\"k\(100_000 + $0)\":\"\(String(repeating: "x", count: 50))\"" }
            .joined(separator: ",") + "}"
        let file = folder.write(text, to: "large.json")
        try hub.expect("set", "/large", "@\(file)", "--quiet")
        #expect(try hub.expect("get", "/large") == text + "\n")
    }

    @Test("needs a secret in production, which no message shows")
    func production() throws {
        let hub = try HubProcess("--namespace", "default")
        let refused = try hub.command(["get", "/"])
        #expect(refused.exit == .code(1) && refused.output.isEmpty)
        #expect(refused.error == "hearth get: Permission denied; say who you are with --auth\n")
        let wrong = try hub.command(["set", "/a", "1", "--auth", "hush.hush.hush"])
        #expect(wrong.exit == .code(1) && !wrong.error.contains("hush"))
        let secret = ["--auth", "@" + hub.dataPath + "/admin.secret"]
        #expect(try hub.command(["set", "/a", "1"] + secret).output == "1\n")
        #expect(try hub.command(["get", "/a"] + secret).output == "1\n")
        let missing = try hub.command(["get", "/a", "--ns", "shed"] + secret)
        #expect(missing.exit == .code(1) && !missing.error.isEmpty)
        hub.kill()
        let gone = try hub.command(["get", "/"])
        #expect(gone.exit == .code(1))
        #expect(
            gone.error == "hearth get: no hub answers at http://127.0.0.1:\(hub.port); start one with hearth serve, "
                + "or name another with --url\n")
    }
}

@Suite("hearth watch and a hub", .blocking)
struct WatchLiveTests {
    @Test("follows writes, comes back after a crash of the hub, and ends when interrupted")
    func follows() throws {
        let hub = try HubProcess("--dev")
        let watch = WatchProcess(hub, "/a")
        let first = [#"{"event":"put","path":"/","data":null}"#]
        watch.expect(first[0])
        try hub.expect("set", "/a/x", "1")
        try hub.expect("update", "/a", #"{"y": 2, "z": 3}"#)
        let second =
            first + [
                #"{"event":"put","path":"/x","data":1}"#, #"{"event":"patch","path":"/","data":{"y":2,"z":3}}"#,
            ]
        watch.expect(second[0], second[1], second[2])
        hub.kill()
        try hub.restart()
        watch.expect(second[0], second[1], second[2], #"{"event":"put","path":"/","data":{"x":1,"y":2,"z":3}}"#)
        let (exit, error) = try watch.end()
        #expect(exit == .code(0))
        #expect(error.contains("; connecting again in "))
    }

    @Test("ends when rules shut it out, before and after it began")
    func shutOut() throws {
        let hub = try HubProcess("--dev", "--memory")
        let watch = WatchProcess(hub, "/a")
        watch.expect(#"{"event":"put","path":"/","data":null}"#)
        let folder = TemporaryFolder()
        let rules = folder.write(#"{"rules": {}}"#, to: "closed.json")
        try hub.expect("rules", "set", rules)
        let (exit, error) = try watch.wait()
        #expect(exit == .code(1))
        #expect(error.hasPrefix("hearth watch: the hub ended the stream: ") && !error.contains("again"))
        let (refused, reason) = try WatchProcess(hub, "/a").wait()
        #expect(refused == .code(1))
        #expect(reason == "hearth watch: Permission denied; say who you are with --auth\n")
    }
}
