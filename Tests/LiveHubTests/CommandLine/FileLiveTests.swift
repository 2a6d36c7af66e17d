import Glibc
import TestSupport
import Testing

@Suite("files from the command line", .blocking)
struct FileLiveTests {
    private let folder = TemporaryFolder()

    private func contents(_ name: String) -> String? { TemporaryFolder.contents(of: folder.path(of: name)) }

    @Test("an export under writes is one moment")
    func oneMoment() throws {
        let hub = try HubProcess("--dev", "--memory")
        let filler = "{" + (0..<50_000).map { "\"k\(100_000 + $0)\":\($0)" }.joined(separator: ",") + "}"
        try hub.expect("set", "/filler", "@" + folder.write(filler, to: "filler.json"), "--quiet")
        let stop = StopFlag()
        let count = Counter()
        let port = hub.port
        // One write changes two places far from each other; they are never seen apart.
        let writer = Worker {
            let device = try TestDevice(port: port, namespace: "default")
            var number = 0
            while !stop.isSet {
                number += 1
                try device.merge("/", #"{"a":\#(number),"z":\#(number)}"#)
                count.increment()
                _ = stop.wait(for: .milliseconds(5))
            }
        }
        var seen: Set<String> = []
        for round in 0..<5 {
            let before = count.value
            while count.value < before + 10 { _ = StopFlag().wait(for: .milliseconds(2)) }
            try hub.expect("export", folder.path(of: "\(round).json"))
            let text = try #require(contents("\(round).json"))
            let first = try #require(text.split(separator: ",").first?.split(separator: ":").last)
            let last = try #require(text.dropLast().split(separator: ":").last)
            #expect(first == last && text.utf8.count > filler.utf8.count)
            seen.insert(String(first))
        }
        #expect(seen.count == 5)
        stop.raise()
        try writer.value()
    }

    @Test("an export and its import give the same bytes, priorities and rules among them")
    func roundTrip() throws {
        let hub = try HubProcess("--dev", "--memory")
        let data =
            #"{"0":"zero","a":{".priority":"p","x":{".value":-0.5,".priority":3}},"é k":[],"list":{"1":1,"10":10},"#
            + #""text":"\"\\\u0001 😀","true":false}"#
        let rules = "// Mine.\n{\"rules\": {\".read\": true, \".write\": \"auth != null\"}}\n"
        let source = folder.write(data, to: "source.json")
        folder.write(rules, to: "source.rules.json")
        let said = try hub.expect("import", source)
        #expect(
            said.hasPrefix("/ in default: 6 leaves, ") && said.contains("; rules of \(folder.path)/source.rules.json"))
        #expect(try hub.expect("rules", "get") == rules)
        for name in ["one.json", "two.json.gz"] { try hub.expect("export", folder.path(of: name)) }
        try hub.expect("import", folder.path(of: "two.json.gz"), "--ns", "other")
        try hub.expect("export", folder.path(of: "three.json"), "--ns", "other")
        #expect(contents("one.json") == contents("three.json"))
        #expect(contents("one.json") == data.replacingEmptyList)
        for name in ["one", "two", "three"] { #expect(contents("\(name).rules.json") == rules) }
    }

    @Test("an import refuses where data is, replaces when told to, and is all or nothing")
    func careful() throws {
        let hub = try HubProcess("--dev", "--memory")
        let file = folder.write(#"{"new":1}"#, to: "new.json")
        let broken = folder.write("{\"new\":\n  {\"\":1}}", to: "broken.json")
        try hub.expect("set", "/old", "1")
        try hub.expectRefusal(
            "import", file,
            error: "hearth import: there is data at / in default already; add --replace to overwrite it, "
                + "or choose another --path or --ns")
        let (exit, _, error) = try hub.command(["import", broken, "--replace", "--auth", "owner"])
        #expect(exit == .code(1) && error.hasPrefix("hearth import: \(broken):2:4: "))
        #expect(try hub.expect("get", "/") == "{\"old\":1}\n")
        try hub.expect("import", file, "--path", "/part")
        #expect(try hub.expect("get", "/") == "{\"old\":1,\"part\":{\"new\":1}}\n")
        try hub.expect("import", file, "--replace")
        #expect(try hub.expect("get", "/") == "{\"new\":1}\n")
        try hub.expect("export", folder.path(of: "part.json"), "--path", "/new")
        #expect(contents("part.json") == "1" && contents("part.rules.json") == nil)
    }

    @Test("files of any size pass in little memory")
    func memory() throws {
        let hub = try HubProcess("--dev", "--memory")
        let count = TestScale.pick(100_000, short: 5000)
        let value = String(repeating: "x", count: 200)
        let data = "{" + (0..<count).map { "\"k\(1_000_000 + $0)\":\"\(value)\"" }.joined(separator: ",") + "}"
        let source = folder.write(data, to: "source.json")
        // The limit is on memory of the process's own; sanitizers need far more.
        let limit = TestScale.pick("ulimit -d 20000 || exit 9\n", short: "")
        let hearth = "'\(HubProcess.executable)'"
        let script = """
            \(limit)set -e
            export HEARTH_URL=http://127.0.0.1:\(hub.port) HEARTH_AUTH=owner
            cd '\(folder.path)'
            \(hearth) import '\(source)'
            \(hearth) export one.json.gz
            \(hearth) import one.json.gz --ns other
            \(hearth) export two.json --ns other
            \(hearth) get / --ns other > three.json
            cmp '\(source)' two.json
            """
        let (exit, _, error) = try HubProcess.run(command: ["/bin/bash", "-c", script], within: .seconds(120))
        #expect(exit == .code(0) && error.isEmpty, "\(error)")
        #expect(contents("three.json") == data + "\n")
    }

    @Test("a backup holds every namespace and ends as it should")
    func backup() throws {
        let hub = try HubProcess("--dev", "--memory")
        try hub.expect("set", "/a", "1")
        try hub.expect("set", "/b", "2", "--ns", "shop")
        let said = try hub.expect("backup", folder.path(of: "hub"))
        #expect(said.hasPrefix("\(folder.path(of: "hub")): 2 namespaces, "))
        let lines = try #require(contents("hub")).split(separator: "\n")
        #expect(lines.count == 6 && lines.contains(#"{"a":1}"#) && lines.contains(#"{"b":2}"#))
    }
}

extension String {
    /// Nothing is stored of what has no children.
    fileprivate var replacingEmptyList: String {
        let parts = split(separator: #""é k":[],"#, omittingEmptySubsequences: false)
        return parts.joined()
    }
}
