import DataTree

/// A state store in one SQLite file (WAL), readable with the user's own tools.
///
/// - `tree`: a row for each leaf under its binary path (`PathCode`) with its JSON; a row `{".priority": …}` for each
///   object that has a priority. The view `readable` shows paths as text.
/// - `record`: the records.
/// - `note`: the position and the log's identity.
///
/// A pass is many small transactions; the last one holds the records and the position and is synced, and with it all
/// that was written before, because SQLite recovers a prefix of its write-ahead log.
package final class SQLiteState: StateStore, @unchecked Sendable {
    // Unchecked: the protocol promises one call at a time.
    private let connection: SQLiteConnection
    private let logIdentity: UInt64?
    private let logName: String
    private var writer: StateWriter
    /// After a pass that failed: the trees whose rows the file may hold. Nil when these are `from` of the next pass.
    private var mixture: [Node]?
    /// Rows that the load found to contradict others.
    private var stale: [[UInt8]] = []

    static let format = 1
    /// "Hrth", to tell the file from other SQLite files.
    private static let applicationID: Int64 = 0x4872_7468

    /// Opens the file, making it if it is not there.
    /// - Parameters:
    ///   - logIdentity: the identity of the log that the state follows; a state of another log is refused by `load`.
    ///   - logName: how an error names that log.
    ///   - slices: how a pass is cut into transactions.
    package init(
        file: String, logIdentity: UInt64? = nil, logName: String = "the log beside it", slices: StateSlices = .init()
    ) throws(StorageError) {
        self.logIdentity = logIdentity
        self.logName = logName
        connection = try SQLiteConnection(file: file)
        try SQLiteState.prepare(connection, logIdentity: logIdentity)
        writer = try StateWriter(connection, slices: slices)
    }

    private static func prepare(_ connection: SQLiteConnection, logIdentity: UInt64?) throws(StorageError) {
        let file = connection.file
        let application = try connection.integer("PRAGMA application_id") ?? 0
        let found = try connection.integer("PRAGMA user_version") ?? 0
        let tables = try connection.integer("SELECT count(*) FROM sqlite_master") ?? 0
        let isNew = application == 0 && found == 0 && tables == 0
        guard isNew || application == applicationID else {
            throw .damaged(file: file, offset: 68, detail: "it is an SQLite file, but not a state of hearth")
        }
        guard found <= format else { throw .newerFormat(file: file, found: Int(found), supported: format) }
        try connection.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            PRAGMA cache_size = -8192;
            PRAGMA temp_store = MEMORY;
            PRAGMA journal_size_limit = 16777216;
            """)
        guard isNew else { return }
        try connection.execute(
            """
            BEGIN IMMEDIATE;
            CREATE TABLE tree (path BLOB PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
            CREATE TABLE record (kind INTEGER, key BLOB, value BLOB NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
            CREATE TABLE note (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
            CREATE VIEW readable AS
                SELECT replace(replace(CAST(path AS TEXT), char(1), '/'), char(2), '#') AS path, value FROM tree;
            INSERT INTO note VALUES ('position', 0);
            \(logIdentity.map { "INSERT INTO note VALUES ('log', \(Int64(bitPattern: $0)));" } ?? "")
            PRAGMA application_id = \(applicationID);
            PRAGMA user_version = \(format);
            COMMIT;
            """)
    }

    package func load() throws -> LoadedState {
        try checkIdentity()
        // What a killed process wrote and did not sync counts from here on, so it must be durable.
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let (tree, orphans) = try loadTree()
        return LoadedState(
            position: try notedPosition(), tree: tree, records: try loadRecords(), orphanPriorities: orphans)
    }

    package func advance(from: Node, to: Node, records: [StateRecord], position: LogPosition) throws {
        let origins = mixture ?? [from]
        do throws(StorageError) {
            try writer.begin()
            for path in stale { try writer.deleteRow(at: path) }
            for origin in origins { try write(from: origin, to: to) }
            try writer.finish(records: records, position: position)
        } catch {
            connection.rollBack()
            switch writer.progress {
            case .nothing: break
            case .someRows: mixture = origins + [to]
            // Whether the position was noted or not. Rows of older trees must not come back: the log that would repair
            // them may count as done.
            case .allRows: mixture = [to]
            }
            throw error
        }
        mixture = nil
        stale = []
    }

    /// The file is closed when the last reference goes.
    package func close() {
        // Nothing depends on it: the next start would do it too.
        try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    // MARK: - Reading

    private func notedPosition() throws(StorageError) -> LogPosition {
        guard let position = try connection.integer("SELECT value FROM note WHERE name = 'position'") else {
            throw damaged("the position is missing")
        }
        return LogPosition(UInt64(bitPattern: position))
    }

    private func checkIdentity() throws(StorageError) {
        guard let logIdentity else { return }
        let found = try connection.integer("SELECT value FROM note WHERE name = 'log'")
        guard let found, UInt64(bitPattern: found) != logIdentity else { return }
        throw .foreignLog(state: connection.file, log: logName)
    }

    private func loadTree() throws(StorageError) -> (Node, orphans: [(path: Path, priority: Priority)]) {
        let rows = try connection.prepare("SELECT path, value FROM tree ORDER BY path")
        var assembler = TreeAssembler()
        while try rows.step() {
            let path = rows.bytes(0)
            do {
                try assembler.add(try StateRow(json: rows.bytes(1)), at: path)
            } catch {
                let name = (try? PathCode.decode(path)).map { "/\($0)" } ?? "an unreadable path"
                throw damaged("the row of \(name) cannot be read (\(error))")
            }
        }
        let tree = assembler.finish()
        stale = assembler.stale
        var orphans: [(path: Path, priority: Priority)] = []
        for (path, priority) in assembler.orphans {
            guard let path = try? path.withUnsafeBytes({ try PathCode.decode($0) }) else { continue }
            orphans.append((path, priority))
        }
        return (tree, orphans)
    }

    private func loadRecords() throws(StorageError) -> [StateRecord] {
        let rows = try connection.prepare("SELECT kind, key, value FROM record ORDER BY kind, key")
        var records: [StateRecord] = []
        while try rows.step() {
            guard let number = rows.integer(0), let kind = UInt8(exactly: number) else {
                throw damaged("a record has an impossible kind")
            }
            records.append(StateRecord(kind: kind, key: [UInt8](rows.bytes(1)), value: [UInt8](rows.bytes(2))))
        }
        return records
    }

    private func damaged(_ detail: String) -> StorageError {
        .damaged(file: connection.file, offset: nil, detail: detail)
    }

    // MARK: - Writing

    /// Replaces the rows of every place where the trees differ.
    private func write(from: Node, to: Node) throws(StorageError) {
        var failure: StorageError?
        Node.difference(from: from, to: to) { path, old, new in
            guard failure == nil else { return }
            do throws(StorageError) {
                try writer.replace(old, with: new, at: PathCode.encode(path))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
