import TestSupport
import Testing

@Suite("backups from the command line", .blocking)
struct RestoreLiveTests {
    private let folder = TemporaryFolder()

    @Test(
        "are verified by being restored, and bring a hub back as it was, compressed or not",
        arguments: ["hub", "hub.gz"])
    func restore(_ name: String) throws {
        let hub = try HubProcess("--dev")
        let rules = folder.write("{\n  // who may\n  \"rules\": {\".read\": true}\n}\n", to: "rules.json")
        try hub.expect("set", "/", #"{"a":{".value":1,".priority":"p"},"b":["é",true]}"#)
        try hub.expect("set", "/", "2", "--ns", "other")
        try hub.expect("rules", "set", rules)
        try hub.expect("backup", folder.path(of: name))
        try hub.expect("remove", "/", "--yes")
        let (exit, said, error) = try HubProcess.run(["backup", "--verify", folder.path(of: name)])
        #expect(exit == .code(0) && error.isEmpty)
        #expect(said.contains("can be restored") && said.contains("default: 3 leaves, 1 version of its rules"))
        let data = folder.path(of: "restored")
        #expect(try HubProcess.run(["restore", folder.path(of: name), "--data", data]).exit == .code(0))
        let again = try HubProcess("--dev", dataPath: data)
        #expect(
            try again.expect("get", "/", "--export") == #"{"a":{".value":1,".priority":"p"},"b":{"0":"é","1":true}}"#
                + "\n")
        #expect(try again.expect("get", "/", "--ns", "other") == "2\n")
        #expect(try again.expect("rules", "get").contains("// who may"))
        // What is there is not overwritten.
        let refused = try HubProcess.run(["restore", folder.path(of: name), "--data", data])
        #expect(refused.exit == .code(1) && refused.error.contains("holds something already"))
    }

    @Test("that are cut short or altered are refused, and leave no directory that a hub would start on")
    func damaged() throws {
        let hub = try HubProcess("--dev", "--memory")
        try hub.expect("set", "/", #"{"a":1,"b":2}"#)
        try hub.expect("backup", folder.path(of: "hub"))
        let text = try #require(TemporaryFolder.contents(of: folder.path(of: "hub")))
        let damaged = [
            text.replacing(#"{"a":1,"b":2}"#, with: #"{"a":1,"b":3}"#), text.replacing(#"{"end":true}"#, with: ""),
            String(text.dropLast(30)), "", "{}", text + "{}",
        ]
        for (index, text) in damaged.enumerated() {
            let file = folder.write(text, to: "damaged\(index)")
            let data = folder.path(of: "data\(index)")
            let (exit, _, error) = try HubProcess.run(["restore", file, "--data", data])
            #expect(exit == .code(1) && error.hasPrefix("hearth restore: "), "\(index): \(error)")
            #expect(throws: HubProcessError.self, "\(index)") { _ = try HubProcess("--dev", dataPath: data) }
        }
    }
}
