import DataTree

/// Writes rows in small transactions, so that no step of a pass takes long and its journal stays small.
struct StateWriter {
    private let connection: SQLiteConnection
    private let upsert: SQLiteStatement
    private let delete: SQLiteStatement
    private let deleteRange: SQLiteStatement
    private let boundary: SQLiteStatement
    private let putRecord: SQLiteStatement
    private let deleteRecord: SQLiteStatement
    private let putNote: SQLiteStatement

    private var json = JSONWriter(reserving: 256)
    private var pendingRows = 0
    private var pendingBytes = 0
    /// What of the current pass may be in the file.
    private(set) var progress = Progress.nothing

    enum Progress {
        case nothing
        case someRows
        case allRows
    }

    private let slices: StateSlices

    init(_ connection: SQLiteConnection, slices: StateSlices) throws(StorageError) {
        self.connection = connection
        self.slices = slices
        upsert = try connection.prepare("INSERT OR REPLACE INTO tree VALUES (?1, ?2)")
        delete = try connection.prepare("DELETE FROM tree WHERE path = ?1")
        deleteRange = try connection.prepare("DELETE FROM tree WHERE path >= ?1 AND path < ?2")
        boundary = try connection.prepare(
            """
            SELECT path FROM tree WHERE path >= ?1 AND path < ?2
            ORDER BY path LIMIT 1 OFFSET \(slices.rows)
            """)
        putRecord = try connection.prepare("INSERT OR REPLACE INTO record VALUES (?1, ?2, ?3)")
        deleteRecord = try connection.prepare("DELETE FROM record WHERE kind = ?1 AND key = ?2")
        putNote = try connection.prepare("INSERT OR REPLACE INTO note VALUES (?1, ?2)")
    }

    /// Begins a pass.
    mutating func begin() throws(StorageError) {
        progress = .nothing
        pendingRows = 0
        pendingBytes = 0
        try connection.execute("BEGIN IMMEDIATE")
    }

    /// Ends a pass: the records and the position, synced together with all that came before.
    mutating func finish(records: [StateRecord], position: LogPosition) throws(StorageError) {
        try commit()
        progress = .allRows
        try connection.execute("PRAGMA synchronous = FULL")
        // Failing to set it back costs time, no safety.
        defer { try? connection.execute("PRAGMA synchronous = NORMAL") }
        try connection.execute("BEGIN IMMEDIATE")
        for record in records { try write(record) }
        putNote.bind(Int64(bitPattern: position.value), at: 2)
        try putNote.withText(Array("position".utf8), at: 1) { () throws(StorageError) in try putNote.run() }
        try commit()
    }

    /// Makes the rows at and below an encoded path those of `new`.
    ///
    /// When both are objects only their priority differs there (`Node.difference`). Otherwise everything below is
    /// deleted even if `old` is empty: a pass that failed may have left rows.
    mutating func replace(_ old: Node, with new: Node, at path: [UInt8]) throws(StorageError) {
        let isObject = !new.isEmpty && !new.isLeaf
        if isObject, !old.isEmpty, !old.isLeaf {
            try putRow(new, at: path)
            return
        }
        if !(old.isLeaf && new.isLeaf) { try deleteSubtree(at: path) }
        var path = path
        try insert(new, at: &path)
    }

    mutating func deleteRow(at path: [UInt8]) throws(StorageError) {
        try delete.withBlob(path, at: 1) { () throws(StorageError) in try delete.run() }
        try didWrite(bytes: path.count)
    }

    // MARK: - Rows

    private mutating func insert(_ node: Node, at path: inout [UInt8]) throws(StorageError) {
        guard !node.isEmpty else { return }
        if node.isLeaf || node.priority != .none { try putRow(node, at: path) }
        let count = path.count
        var failure: StorageError?
        node.forEachChild { key, child in
            PathCode.append(key, to: &path)
            defer { path.removeLast(path.count - count) }
            do throws(StorageError) {
                try insert(child, at: &path)
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    /// Writes the row of a leaf or of an object's priority, or deletes it when the object has none.
    private mutating func putRow(_ node: Node, at path: [UInt8]) throws(StorageError) {
        json.bytes.removeAll(keepingCapacity: true)
        guard StateRow.write(node, to: &json) else {
            try deleteRow(at: path)
            return
        }
        let upsert = upsert
        let value = json.bytes
        try upsert.withBlob(path, at: 1) { () throws(StorageError) in
            try upsert.withText(value, at: 2) { () throws(StorageError) in try upsert.run() }
        }
        try didWrite(bytes: path.count + value.count)
    }

    private mutating func deleteSubtree(at path: [UInt8]) throws(StorageError) {
        // The root has no separator behind it; no path begins with FF.
        let end = path.isEmpty ? [0xFF] : path + [PathCode.separator + 1]
        var start = path
        while let next = try rowBehindChunk(from: start, to: end) {
            try delete(from: start, to: next)
            try commit()
            try connection.execute("BEGIN IMMEDIATE")
            start = next
        }
        try delete(from: start, to: end)
    }

    private mutating func delete(from start: [UInt8], to end: [UInt8]) throws(StorageError) {
        let deleteRange = deleteRange
        try deleteRange.withBlob(start, at: 1) { () throws(StorageError) in
            try deleteRange.withBlob(end, at: 2) { () throws(StorageError) in try deleteRange.run() }
        }
        try didWrite(bytes: start.count)
    }

    /// The first row that does not go with this transaction's share of a range; nil if all of the range goes.
    private func rowBehindChunk(from start: [UInt8], to end: [UInt8]) throws(StorageError) -> [UInt8]? {
        try boundary.withBlob(start, at: 1) { () throws(StorageError) in
            try boundary.withBlob(end, at: 2) { () throws(StorageError) in
                defer { boundary.reset() }
                return try boundary.step() ? [UInt8](boundary.bytes(0)) : nil
            }
        }
    }

    private func write(_ record: StateRecord) throws(StorageError) {
        guard let value = record.value else {
            deleteRecord.bind(Int64(record.kind), at: 1)
            try deleteRecord.withBlob(record.key, at: 2) { () throws(StorageError) in try deleteRecord.run() }
            return
        }
        putRecord.bind(Int64(record.kind), at: 1)
        try putRecord.withBlob(record.key, at: 2) { () throws(StorageError) in
            try putRecord.withBlob(value, at: 3) { () throws(StorageError) in try putRecord.run() }
        }
    }

    // MARK: - Transactions

    private mutating func didWrite(bytes: Int) throws(StorageError) {
        pendingRows += 1
        pendingBytes += bytes
        guard pendingRows >= slices.rows || pendingBytes >= slices.bytes else { return }
        try commit()
        try connection.execute("BEGIN IMMEDIATE")
    }

    private mutating func didCommit() {
        if case .nothing = progress { progress = .someRows }
    }

    private mutating func commit() throws(StorageError) {
        do throws(StorageError) {
            try connection.execute("COMMIT")
        } catch {
            // On a full disk SQLite has rolled back; after other errors nobody knows.
            if !error.isDiskFull { didCommit() }
            throw error
        }
        didCommit()
        pendingRows = 0
        pendingBytes = 0
        try slices.afterTransaction?()
    }
}

/// How a pass is cut into transactions.
package struct StateSlices: Sendable {
    /// The most rows in one transaction.
    package var rows = 2000
    /// About the most bytes in one transaction, unless a single row has more.
    package var bytes = 1 << 20
    /// Called after each transaction: a place to wait, for passes that should be gentle, or to end a pass by throwing.
    package var afterTransaction: (@Sendable () throws(StorageError) -> Void)?

    package init() {}
}
