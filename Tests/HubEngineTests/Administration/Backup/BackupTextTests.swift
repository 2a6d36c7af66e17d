import DataTree
import TestSupport
import Testing

@testable import HubEngine

/// A backup of one namespace with something of everything.
func sampleBackup(_ name: String, _ json: String) throws -> NamespaceBackup {
    var backup = NamespaceBackup(name: name, time: 1_767_225_600_000, tree: try Node(json: json))
    for number: UInt32 in 3...5 {
        backup.rules.add(
            RulesVersion(
                number: number, time: 7, author: "ada", text: "{\n  // \(number) é\n  \"rules\": {\".read\": true}\n}"))
    }
    backup.settings["a"] = #"{"x": "line\n"}"#
    backup.settings["b"] = "1"
    backup.lastSeen.set("bob", LastSeenTable.Entry(at: 9, reason: "timed out"))
    backup.lastSeen.set("ada", LastSeenTable.Entry(at: 5, reason: "closed by client"))
    return backup
}

@Suite("The text of a backup")
struct BackupTextTests {
    private static let data = #"{"a":{".priority":"p","x":1.5,"y":"two\nlines"},"list":[1,2,{"n":true}],"é":"\ud800"}"#

    private func text(_ backups: [NamespaceBackup], slice: Int = 100) -> [UInt8] {
        var writer = BackupWriter(time: 5, version: "0.1", backups)
        var bytes: [UInt8] = []
        while writer.next(upTo: slice, into: &bytes) {}
        return bytes
    }

    private func read(_ bytes: [UInt8], cuts: Int? = nil) throws -> (BackupHeader?, [NamespaceBackup]) {
        var found: [NamespaceBackup] = []
        let reader = BackupReader { found.append($0) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(cuts ?? rest.count)
            try piece.withUnsafeBytes { try reader.feed($0) }
            rest = rest.dropFirst(piece.count)
        }
        try reader.finish()
        return (reader.header, found)
    }

    @Test("reads back as it was, however it is sliced and cut", arguments: [1, 2, 7, 64, 100_000])
    func roundTrip(size: Int) throws {
        let backups = [
            try sampleBackup("a", Self.data), NamespaceBackup(name: "b", time: 1, tree: .empty),
            try sampleBackup("c", "7"),
        ]
        let bytes = text(backups, slice: size)
        #expect(bytes == text(backups, slice: 1 << 20))
        let (header, found) = try read(bytes, cuts: size)
        #expect(header == BackupHeader(time: 5, version: "0.1", namespaces: ["a", "b", "c"]))
        #expect(found.count == 3)
        for (left, right) in zip(backups, found) {
            #expect(left.name == right.name)
            #expect(left.time == right.time)
            #expect(left.tree.json == right.tree.json)
            #expect(left.rules == right.rules)
            #expect(left.settings == right.settings)
            #expect(left.lastSeen == right.lastSeen)
        }
        #expect(text(found) == bytes)
    }

    @Test("has one line about it, two for each namespace, and one at the end")
    func lines() throws {
        let lines = String(decoding: text([try sampleBackup("a", #"{"x":1}"#)]), as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 5)
        #expect(lines.first == #"{"hearth-backup":1,"time":5,"version":"0.1","namespaces":["a"]}"#)
        #expect(lines[1].hasPrefix(#"{"name":"a","time":1767225600000,"hash":""#))
        #expect(lines[2...] == [#"{"x":1}"#, #"{"end":true}"#, ""])
    }

    @Test("that ends anywhere too early is cut short")
    func cutShort() throws {
        let bytes = text([try sampleBackup("a", #"{"x":"y"}"#)])
        for count in 0..<bytes.count {
            #expect(throws: BackupError.self, "\(count) of \(bytes.count) bytes") { try read(Array(bytes[..<count])) }
        }
    }

    @Test("whose data were changed is damaged")
    func changed() throws {
        let text = String(decoding: text([try sampleBackup("a", #"{"x":"good","z":1}"#)]), as: UTF8.self)
        for (old, new) in [("good", "evil"), (#","z":1"#, ""), (#""z":1"#, #""z":"1""#)] {
            let bytes = Array(text.replacing(old, with: new).utf8)
            let error = #expect(throws: BackupError.self) { try read(bytes) }
            guard case .differs(namespace: "a", _)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("says what is wrong with it")
    func errors() throws {
        #expect(throws: BackupError.notABackup) { try read(Array(#"{"a":1}"#.utf8) + [10]) }
        #expect(throws: BackupError.notABackup) { try read(Array("PK\u{3}\u{4}\n".utf8)) }
        #expect(throws: BackupError.newerFormat(2)) { try read(Array("{\"hearth-backup\":2}\n".utf8)) }
        #expect(throws: BackupError.trailingBytes) { try read(text([]) + [10]) }
        let other = String(decoding: text([try sampleBackup("a", "1")]), as: UTF8.self)
            .replacing(#""namespaces":["a"]"#, with: #""namespaces":["b"]"#)
        #expect(throws: BackupError.malformed(line: 2, "it is not about namespace b")) { try read(Array(other.utf8)) }
    }
}
