import DataTree
import Glibc
import TestSupport
import Testing

@testable import Storage

/// What is special about a state in SQLite: crashes within a pass, damage, formats, what a person sees.
@Suite struct SQLiteStateTests {
    private let directory = TemporaryFolder()
    private var file: String { "\(directory.path)/state.sqlite" }

    /// Runs SQL behind the store's back.
    private func tamper(_ sql: String) throws {
        try SQLiteConnection(file: file).execute(sql)
    }

    private func fill(_ json: String, position: UInt64 = 1) throws {
        let state = try SQLiteState(file: file)
        let loaded = try state.load()
        try state.advance(
            from: loaded.tree, to: try Node(json: json), records: [], position: LogPosition(position))
        state.close()
    }

    private func loadError(logIdentity: UInt64? = nil) -> StorageError? {
        do {
            _ = try SQLiteState(file: file, logIdentity: logIdentity).load()
            return nil
        } catch {
            return error as? StorageError
        }
    }

    @Test("after a crash between any two transactions, redoing the log gives the right tree", arguments: 0..<24)
    func redoRepairsCutPasses(seed: Int) throws {
        var model = StateModel(seed: seed)
        let cutter = PassCutter()
        var state = try SQLiteState(file: file, slices: cutter.slices(rows: 2))
        var known = try state.load().tree
        var noted = 0
        // Where a pass was cut behind its last transaction, the position was noted already.
        var cut: Set<UInt64> = []
        for pass in 0..<10 {
            for _ in 0..<Int.random(in: 1...10, using: &model.random) { model.mutate() }
            cutter.cut(after: Int.random(in: 0...12, using: &model.random))
            do {
                try state.advance(
                    from: known, to: model.tree, records: [], position: LogPosition(UInt64(model.log.count)))
                noted = model.log.count
                known = model.tree
            } catch {
                #expect(error as? StorageError == PassCutter.cut)
                cutter.cut(after: .max)
                cut.insert(UInt64(model.log.count))
                // Sometimes the hub goes on and tries again later, sometimes it crashed.
                if Bool.random(using: &model.random) { continue }
                state = try SQLiteState(file: file, slices: cutter.slices(rows: 2))
                let loaded = try state.load()
                #expect(loaded.position.value == UInt64(noted) || cut.contains(loaded.position.value))
                noted = Int(loaded.position.value)
                known = loaded.tree
                #expect(model.redone(known, after: noted) == model.tree, "seed \(seed) pass \(pass)")
            }
        }
        cutter.cut(after: .max)
        try state.advance(from: known, to: model.tree, records: [], position: LogPosition(UInt64(model.log.count)))
        state.close()
        #expect(try SQLiteState(file: file).load().tree == model.tree, "seed \(seed)")
        #expect(try SQLiteConnection(file: file).integer("SELECT count(*) FROM tree") == rowCount(model.tree))
    }

    /// Leaves, and objects with a priority.
    private func rowCount(_ node: Node) -> Int64 {
        if node.isLeaf { return 1 }
        var count: Int64 = node.priority == .none ? 0 : 1
        node.forEachChild { _, child in
            count += rowCount(child)
            return true
        }
        return count
    }

    @Test("a row that contradicts rows below it gives way, and goes with the next pass")
    func removesStaleRows() throws {
        try fill(#"{"a":{"b":1},"c":{"d":{"e":true}}}"#)
        try tamper(
            """
            INSERT INTO tree VALUES (CAST('a' AS BLOB), '5');
            INSERT INTO tree VALUES (CAST('x' AS BLOB), '{".priority":5}');
            INSERT INTO tree VALUES (X'780179', '{".priority":6}');
            INSERT INTO tree VALUES (X'', '7');
            """)
        let state = try SQLiteState(file: file)
        let loaded = try state.load()
        #expect(loaded.tree.json == #"{"a":{"b":1},"c":{"d":{"e":true}}}"#)
        try state.advance(from: loaded.tree, to: loaded.tree, records: [], position: LogPosition(2))
        #expect(try SQLiteConnection(file: file).integer("SELECT count(*) FROM tree") == 2)
    }

    @Test("deleting a large subtree takes several transactions, and its neighbours stay")
    func deletesInSlices() throws {
        let wide = (0..<5000).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
        try fill(#"{"a":1,"big":{\#(wide)},"big ":2,"bigger":3}"#)
        let cutter = PassCutter()
        let state = try SQLiteState(file: file, slices: cutter.slices(rows: 500))
        let loaded = try state.load()
        #expect(loaded.tree.leafCount == 5003)
        cutter.cut(after: 4)
        var smaller = loaded.tree
        smaller.set(.empty, at: "big")
        #expect(throws: PassCutter.cut) {
            try state.advance(from: loaded.tree, to: smaller, records: [], position: LogPosition(2))
        }
        let left = try SQLiteConnection(file: file).integer("SELECT count(*) FROM tree") ?? 0
        #expect(left > 500 && left < 5000)
        cutter.cut(after: .max)
        try state.advance(from: loaded.tree, to: smaller, records: [], position: LogPosition(2))
        #expect(try SQLiteState(file: file).load().tree.json == #"{"a":1,"big ":2,"bigger":3}"#)
    }

    @Test("a person can read paths and values in SQL")
    func isReadable() throws {
        try fill(#"{"users":{"ada":{"name":"Ada","age":36}},"list":[true,false]}"#)
        let connection = try SQLiteConnection(file: file)
        let rows = try connection.prepare("SELECT path || ' ' || value FROM readable ORDER BY path")
        var texts: [String] = []
        while try rows.step() { texts.append(String(decoding: rows.bytes(0), as: UTF8.self)) }
        #expect(texts == ["list/#a0 true", "list/#a1 false", "users/ada/age 36", "users/ada/name \"Ada\""])
    }

    @Test("the file, its journal and its index are for the owner alone")
    func keepsModes() throws {
        let state = try SQLiteState(file: file)
        _ = try state.load()
        try state.advance(from: .empty, to: Node(leaf: .bool(true)), records: [], position: LogPosition(1))
        for suffix in ["", "-wal", "-shm"] {
            var information = stat()
            #expect(stat(file + suffix, &information) == 0)
            #expect(information.st_mode & 0o777 == 0o600, "\(suffix)")
        }
        state.close()
    }

    @Test("a state that follows another log is refused with a sentence")
    func refusesForeignLog() throws {
        _ = try SQLiteState(file: file, logIdentity: 7).load()
        #expect(loadError(logIdentity: 7) == nil)
        #expect(
            loadError(logIdentity: 8)?.description
                == "\(file) does not belong to the log in the log beside it; restore both from the same backup")
    }

    @Test("a newer format is refused with a sentence")
    func refusesNewerFormat() throws {
        try fill("1")
        try tamper("PRAGMA user_version = 9")
        #expect(
            loadError()?.description
                == "\(file) has format 9, this release reads up to 1; start a newer release of hearth")
    }

    @Test(
        "a row that cannot be read is damage, with its place",
        arguments: [
            ("UPDATE tree SET value = '{' WHERE path = CAST('b' AS BLOB)", "the row of /b"),
            ("UPDATE tree SET value = '1 2'", "the row of /a"),
            ("UPDATE tree SET value = 'null'", "the row of /a"),
            ("UPDATE tree SET value = ''", "the row of /a"),
            ("UPDATE tree SET value = '{\"x\":1}'", "the row of /a"),
            ("UPDATE tree SET value = '{\".sv\":\"timestamp\"}'", "the row of /a"),
            ("UPDATE tree SET path = X'6101'  WHERE path = CAST('a' AS BLOB)", "the row of an unreadable path"),
            ("DELETE FROM note", "the position is missing"),
        ])
    func reportsBadRows(sql: String, text: String) throws {
        try fill(#"{"a":1,"b":2}"#)
        try tamper(sql)
        let error = try #require(loadError())
        #expect("\(error)".hasPrefix("\(file) is damaged: "))
        #expect("\(error)".contains(text))
        #expect("\(error)".hasSuffix("restore the namespace from a backup"))
    }

    @Test("a file that is no state is refused and left alone", arguments: ["text", "sqlite", "cut"])
    func refusesOtherFiles(kind: String) throws {
        switch kind {
        case "text": try write(Array(repeating: UInt8(ascii: "x"), count: 5000))
        case "sqlite": try tamper("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)")
        default:
            let wide = (0..<5000).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
            try fill("{\(wide)}")
            #expect(truncate(file, 20_000) == 0)
        }
        let error = try #require(loadError())
        guard case .damaged(file, _, _) = error else {
            Issue.record("\(error)")
            return
        }
        if kind == "sqlite" {
            #expect(try SQLiteConnection(file: file).integer("SELECT x FROM mine") == 1)
        }
    }

    @Test("changed bytes anywhere in the file never trap", arguments: 0..<4)
    func survivesChangedBytes(seed: Int) throws {
        var random = SeededRandom(UInt64(seed))
        let wide = (0..<800).map { #""k\#($0)":{"n":\#($0),"t":"text"}"# }.joined(separator: ",")
        try fill("{\(wide)}")
        let intact = try #require(try FileTree.contents(of: file))
        for _ in 0..<60 {
            var bytes = intact
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try write(bytes)
            if let state = try? SQLiteState(file: file), let loaded = try? state.load() {
                try? state.advance(from: loaded.tree, to: .empty, records: [], position: LogPosition(2))
            }
            for suffix in ["-wal", "-shm", "-journal"] { unlink(file + suffix) }
        }
    }

    private func write(_ bytes: [UInt8]) throws {
        try Storage.write(bytes[...], to: try PosixFiles().open(file, create: true), at: 0)
    }
}
