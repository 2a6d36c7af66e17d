import CSQLite
import Glibc

/// A connection to one SQLite file. Every error becomes a `StorageError` with the file's name.
final class SQLiteConnection {
    private var handle: OpaquePointer?
    let file: String

    /// Opens the file, making it (mode 0600) if it is not there.
    init(file: String) throws(StorageError) {
        self.file = file
        // SQLite would make it with the process's usual mode.
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(FileError(operation: "open", path: file, code: errno)) }
        close(descriptor)
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(file, &handle, flags, nil) == SQLITE_OK else {
            let error = failure()
            sqlite3_close_v2(handle)
            throw error
        }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 5000)
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// Runs statements that return nothing.
    func execute(_ sql: String) throws(StorageError) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    func prepare(_ sql: String) throws(StorageError) -> SQLiteStatement {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
            let statement
        else { throw failure() }
        return SQLiteStatement(statement, connection: self)
    }

    /// The first column of the only row; nil if there is none or it is NULL.
    func integer(_ sql: String) throws(StorageError) -> Int64? {
        let statement = try prepare(sql)
        guard try statement.step() else { return nil }
        return statement.integer(0)
    }

    /// Undoes an open transaction, if there is one.
    func rollBack() {
        if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    /// The last error of the connection.
    func failure() -> StorageError {
        let code = sqlite3_errcode(handle)
        let message = sqlite3_errmsg(handle).map { String(cString: $0) } ?? "no message"
        switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            return .damaged(file: file, offset: nil, detail: "SQLite says \"\(message)\"")
        case SQLITE_FULL: return .diskFull(file: file)
        case SQLITE_IOERR:
            let cause = sqlite3_system_errno(handle)
            if cause == ENOSPC || cause == EDQUOT { return .diskFull(file: file) }
        default: break
        }
        return .database(file: file, code: code, message: message)
    }
}

/// A prepared statement. Parameters count from 1, columns from 0.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: SQLiteConnection

    fileprivate init(_ handle: OpaquePointer, connection: SQLiteConnection) {
        self.handle = handle
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    func bind(_ value: Int64, at parameter: Int32) {
        sqlite3_bind_int64(handle, parameter, value)
    }

    /// Binds bytes for the time of `body`, which must step as often as it needs them.
    func withBlob<Result>(
        _ bytes: [UInt8], at parameter: Int32, _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let result = bytes.withUnsafeBytes { buffer in
            // A null pointer would bind NULL.
            if buffer.isEmpty {
                sqlite3_bind_zeroblob(handle, parameter, 0)
            } else {
                sqlite3_bind_blob64(handle, parameter, buffer.baseAddress, UInt64(buffer.count), nil)
            }
            defer { sqlite3_bind_null(handle, parameter) }
            return capture(body)
        }
        return try result.get()
    }

    /// Binds UTF-8 text for the time of `body`.
    func withText<Result>(
        _ bytes: [UInt8], at parameter: Int32, _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let result = bytes.withUnsafeBytes { buffer in
            let text = buffer.assumingMemoryBound(to: CChar.self)
            sqlite3_bind_text64(handle, parameter, text.baseAddress, UInt64(text.count), nil, UInt8(SQLITE_UTF8))
            defer { sqlite3_bind_null(handle, parameter) }
            return capture(body)
        }
        return try result.get()
    }

    private func capture<Result>(
        _ body: () throws(StorageError) -> Result
    ) -> Swift.Result<Result, StorageError> {
        do throws(StorageError) {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }

    /// - Returns: whether there is a row.
    func step() throws(StorageError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw connection.failure()
        }
    }

    /// Steps once and gets ready for the next use.
    func run() throws(StorageError) {
        defer { reset() }
        _ = try step()
    }

    func reset() {
        sqlite3_reset(handle)
    }

    func integer(_ column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
    }

    /// The bytes of a blob or text, valid until the next step.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let pointer = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: pointer, count: Int(sqlite3_column_bytes(handle, column)))
    }
}
