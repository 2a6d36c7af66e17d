import DataTree
import HubEngine
import Storage
import TestSupport
import Testing

@Suite("Backup and restore", .blocking)
struct RestorerTests {
    private let folder = TemporaryFolder()
    private static let rules = #"{"rules":{".read":true,".write":true}}"#

    private func hub(_ directory: DataDirectory, idleTime: UInt64 = 60_000_000_000) throws -> Hub {
        var configuration = HubConfiguration(mode: .production)
        configuration.idleTime = idleTime
        let hub = Hub(
            configuration: configuration, storage: FileHubStorage(directory: directory), log: .silent, fail: { _ in })
        try hub.start()
        return hub
    }

    private func load(_ hub: Hub, _ namespace: String, _ json: String) throws {
        let made = AwaitedReply<NamespaceFailure?>()
        hub.createNamespace(namespace) { made.set($0) }
        #expect(made.wait() == .some(nil))
        let reply = AwaitedReply<Result<ImportReport, ImportFailure>>()
        try hub.importData(
            DataImport(
                path: .root, node: try Node(json: json),
                rules: try ConfiguredRules(Array(Self.rules.utf8), author: "tests"), mode: .empty, author: "tests",
                reply: reply.reply(otherwise: .failure(.gone))), into: namespace)
        _ = try #require(reply.wait()).get()
        let changed = AwaitedReply<SettingFailure?>()
        try hub.changeSetting(of: namespace, name: "s", text: #""\#(namespace)""#, author: "tests") { changed.set($0) }
        #expect(changed.wait() == .some(nil))
    }

    private func backup(_ hub: Hub) throws -> [UInt8] {
        let reply = AwaitedReply<[NamespaceBackup]?>()
        hub.backup { reply.set($0) }
        let answer = try #require(reply.wait())
        var writer = BackupWriter(time: 1, version: "0", try #require(answer))
        var bytes: [UInt8] = []
        while writer.next(upTo: 1000, into: &bytes) {}
        return bytes
    }

    private func restore(_ bytes: [UInt8], into path: String) throws -> [Restorer.Restored] {
        let restorer = try Restorer(directory: path)
        let reader = BackupReader { try restorer.add($0) }
        try bytes.withUnsafeBytes { try reader.feed($0) }
        try reader.finish()
        try restorer.finish(verifying: true)
        return restorer.restored
    }

    @Test("bring back data, rules with their numbers and settings, and the restored hub gives the same backup")
    func roundTrip() throws {
        let hub = try hub(try DataDirectory(path: folder.path(of: "one")))
        try load(hub, "a", #"{"x":{".priority":1,"y":[1,2]}}"#)
        try load(hub, "b", "true")
        let bytes = try backup(hub)
        hub.stop()
        let restored = try restore(bytes, into: folder.path(of: "two"))
        #expect(restored.map(\.name) == ["a", "b"])
        #expect(restored.map(\.leaves) == [2, 1])
        let again = try self.hub(try DataDirectory(path: folder.path(of: "two")))
        let export = AwaitedReply<NamespaceExport?>()
        try again.export("a", path: Path("x")) { export.set($0) }
        let answer = try #require(export.wait())
        let moment = try #require(answer)
        #expect(moment.node == (try Node(json: #"{".priority":1,"y":[1,2]}"#)))
        #expect(moment.rules == Self.rules)
        let setting = AwaitedReply<String?>()
        try again.readSetting(of: "b", name: "s") { setting.set($0) }
        #expect(setting.wait() == #""b""#)
        let history = AwaitedReply<RulesHistory>()
        try again.readRules(of: "a") { history.set($0) }
        #expect(history.wait()?.versions.map(\.number) == [1])
        again.stop()
    }

    @Test("of namespaces that are not in memory are taken too")
    func unloaded() throws {
        let hub = try hub(try DataDirectory(path: folder.path(of: "one")), idleTime: 10_000_000)
        try load(hub, "a", "1")
        let deadline = monotonicNanoseconds() + 20_000_000_000
        while !hub.loadedNames.isEmpty && monotonicNanoseconds() < deadline {
            sleepUntil(monotonicNanoseconds() + 1_000_000)
        }
        #expect(hub.loadedNames.isEmpty)
        var names: [String] = []
        let reader = BackupReader { names.append("\($0.name) \($0.tree.json)") }
        try (try backup(hub)).withUnsafeBytes { try reader.feed($0) }
        try reader.finish()
        #expect(names == ["a 1"])
        hub.stop()
    }

    @Test("a directory that holds something is refused and left as it is")
    func notEmpty() throws {
        folder.write("mine", to: "file")
        #expect(throws: StorageError.notEmpty(directory: folder.path)) { try Restorer(directory: folder.path) }
        #expect(TemporaryFolder.contents(of: folder.path(of: "file")) == "mine")
    }

    @Test("no hub starts on half of a restore, and it can be begun again")
    func unfinished() throws {
        let path = folder.path(of: "data")
        do {
            let restorer = try Restorer(directory: path)
            try restorer.add(try sampleBackup("a", #"{"x":1}"#))
        }
        #expect(throws: StorageError.unfinishedRestore(directory: path)) { try DataDirectory(path: path) }
        do {
            let restorer = try Restorer(directory: path)
            try restorer.add(try sampleBackup("b", #"{"x":2}"#))
            #expect(throws: BackupError.self) { try restorer.add(try sampleBackup("b", "1")) }
            try restorer.finish(verifying: true)
            #expect(restorer.restored.map(\.name) == ["b"])
        }
        let directory = try DataDirectory(path: path)
        #expect(try directory.namespaceNames() == ["b"])
    }

    @Test("a restore that does not read back as it was written is not finished")
    func verification() throws {
        let path = folder.path(of: "data")
        let restorer = try Restorer(directory: path)
        try restorer.add(try sampleBackup("a", #"{"x":1}"#))
        do {
            let state = try SQLiteState(file: "\(path)/namespaces/a/state.sqlite")
            let loaded = try state.load()
            try state.advance(from: loaded.tree, to: try Node(json: #"{"x":2}"#), records: [], position: .none)
            state.close()
        }
        #expect(throws: BackupError.self) { try restorer.finish(verifying: true) }
        #expect(throws: StorageError.self) { try DataDirectory(path: path) }
    }
}
