import TestSupport
import Testing

@Suite("a hub that cannot start", .blocking, .serialized)
struct StartTests {
    /// Starts a second hub and expects that it ends with 1 and one line.
    private func expectRefusal(_ arguments: [String], _ fragments: [String]) throws {
        let (exit, output, error) = try HubProcess.run(["serve", "--dev", "--log-level", "error"] + arguments)
        #expect(exit == .code(1) && output.isEmpty)
        let complaints = error.split(separator: "\n").filter { $0.hasPrefix("hearth serve: ") }
        #expect(complaints.count == 1, "\(error)")
        for fragment in fragments { #expect(complaints.first?.contains(fragment) == true, "\(error)") }
    }

    @Test("says which process works on its directory, until that one ends")
    func lock() throws {
        let hub = try HubProcess("--dev")
        try TestDevice(hub).put("/a", "1")
        try expectRefusal(
            ["--port", "0", "--data", hub.dataPath],
            [hub.dataPath, "process \(hub.processID)", "choose another directory with --data"])
        #expect(try TestDevice(hub).get("/a") == "1")
        hub.kill()
        try hub.restart(port: 0)
        #expect(try TestDevice(hub).get("/a") == "1")
    }

    @Test("says that its port is in use, and the one who has it goes on")
    func port() throws {
        let hub = try HubProcess("--dev", "--memory")
        let device = try TestDevice(hub)
        try expectRefusal(["--port", "\(hub.port)", "--memory"], ["port \(hub.port)", "in use", "--port"])
        try device.ping()
    }

    /// Damage to a directory with acknowledged writes of a killed hub, and what the next start says.
    struct Damage: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Told of the namespace's folder; names the file that the complaint must name.
        var inflict: @Sendable (_ folder: String) throws -> String
        var fragments: [String]
        /// Whether the hub stops in order first, so that its state file holds everything.
        var afterStop = false
    }

    private static let remedy = "restore the namespace from a backup"

    static let damages = [
        Damage(
            testDescription: "a byte of the log's first entries",
            inflict: { folder in
                let file = try #require(DataFiles.list("\(folder)/log").first { $0.hasSuffix(".log") })
                return try flip("\(folder)/log/\(file)", at: 4096 + 60)
            }, fragments: ["is damaged at byte", remedy]),
        Damage(
            testDescription: "a byte of the log's header",
            inflict: { folder in
                let file = try #require(DataFiles.list("\(folder)/log").first { $0.hasSuffix(".log") })
                return try flip("\(folder)/log/\(file)", at: 100)
            }, fragments: ["is damaged at byte", remedy]),
        Damage(
            testDescription: "a log that is gone",
            inflict: { folder in
                for name in DataFiles.list("\(folder)/log") { try delete("\(folder)/log/\(name)") }
                return "\(folder)/state.sqlite"
            }, fragments: ["does not belong to the log", "restore both from the same backup"], afterStop: true),
        Damage(
            testDescription: "pages of the state file", inflict: { try overwrite("\($0)/state.sqlite", from: 4096) },
            fragments: ["is damaged", remedy], afterStop: true),
        Damage(
            testDescription: "the head of the state file", inflict: { try overwrite("\($0)/state.sqlite", from: 0) },
            fragments: ["is damaged", remedy], afterStop: true),
        Damage(
            testDescription: "a state file of a newer release",
            inflict: { folder in
                // SQLite's header: the user version, which is the format of the state.
                try DataFiles.write([0, 0, 0, 99], to: "\(folder)/state.sqlite", at: 60)
                return "\(folder)/state.sqlite"
            }, fragments: ["has format 99", "start a newer release"], afterStop: true),
        Damage(
            testDescription: "a directory of a newer release",
            inflict: { folder in
                let file = folder.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/format"
                try DataFiles.write(Array("hearth-data 2\n".utf8), to: file, at: 0)
                return file
            }, fragments: ["has format 2", "start a newer release"]),
    ]

    @Test("names the damaged file and what to do, changes nothing, and works once it is mended", arguments: damages)
    func damage(damage: Damage) throws {
        let hub = try HubProcess("--dev")
        do {
            let writer = try TestDevice(hub)
            for number in 0..<50 { try writer.put("/a/n\(number)", "\(number)") }
            try writer.leave()
        }
        if damage.afterStop { try hub.stop() } else { hub.kill() }
        let folder = hub.dataPath + "/namespaces/demo"
        // Without a copy a test could not tell what the refused start changed.
        let whole = TemporaryFolder()
        try copy(hub.dataPath, to: whole.path(of: "copy"))
        let file = try damage.inflict(folder)
        let damaged = TemporaryFolder()
        try copy(hub.dataPath, to: damaged.path(of: "copy"))
        try expectRefusal(["--port", "0", "--data", hub.dataPath], [file] + damage.fragments)
        try expectRefusal(["--port", "0", "--data", hub.dataPath], [file] + damage.fragments)
        if !damage.testDescription.contains("gone") {
            #expect(
                try DataFiles.read(file)
                    == DataFiles.read(damaged.path(of: "copy") + file.dropFirst(hub.dataPath.count)))
        }
        try run(["/bin/rm", "-rf", hub.dataPath])
        try copy(whole.path(of: "copy"), to: hub.dataPath)
        try hub.restart(port: 0)
        #expect(try TestDevice(hub).get("/a/n49") == "49")
    }

    @Test("takes a log that ends in an unfinished group for one that was never acknowledged")
    func tornEnd() throws {
        let hub = try HubProcess("--dev")
        try TestDevice(hub).put("/a", "1")
        hub.kill()
        let log = hub.dataPath + "/namespaces/demo/log"
        let file = log + "/" + (try #require(DataFiles.list(log).last { $0.hasSuffix(".log") }))
        var bytes = try DataFiles.read(file)
        let end = (try #require(bytes.lastIndex { $0 != 0 }) + 8) & ~7
        // The beginning of a group as the last one began, without its end.
        let start = try #require((4096..<end).last { Array(bytes[$0..<($0 + 8)]) == Array(bytes[16..<24]) })
        bytes.replaceSubrange(end..<(end + 60), with: bytes[start..<(start + 60)])
        try DataFiles.write(Array(bytes[end..<(end + 60)]), to: file, at: end)
        try hub.restart(port: 0)
        let device = try TestDevice(hub)
        #expect(try device.get("/a") == "1")
        try device.put("/b", "2")
        hub.kill()
        try hub.restart(port: 0)
        #expect(try TestDevice(hub).get("/") == #"{"a":1,"b":2}"#)
    }

    private static func flip(_ file: String, at offset: Int) throws -> String {
        let byte = try DataFiles.read(file)[offset]
        try DataFiles.write([byte ^ 0x10], to: file, at: offset)
        return file
    }

    private static func overwrite(_ file: String, from offset: Int) throws -> String {
        let count = try DataFiles.read(file).count
        try DataFiles.write([UInt8](repeating: 0x5A, count: count - offset), to: file, at: offset)
        return file
    }

    private static func delete(_ path: String) throws { try run(["/bin/rm", path]) }
    private func copy(_ source: String, to target: String) throws { try run(["/bin/cp", "-a", source, target]) }
    private func run(_ command: [String]) throws { try Self.run(command) }

    private static func run(_ command: [String]) throws {
        let (exit, _, error) = try HubProcess.run(command: command)
        guard exit == .code(0) else { throw DeviceError.missing("\(command) failed: \(error)") }
    }
}
