import Glibc

/// What storage could not do, with the file and what a person can do about it.
package enum StorageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The disk, or the quota, has no room left.
    case diskFull(file: String)
    /// An operation of the system failed with an errno code.
    case system(operation: String, file: String, code: Int32)
    /// A file does not hold what was written to it.
    case damaged(file: String, offset: Int64?, detail: String)
    /// A file was written by a newer release.
    case newerFormat(file: String, found: Int, supported: Int)
    /// Another process works on the data directory.
    case held(directory: String, process: Int32?)
    /// An entry is larger than a log takes.
    case entryTooLarge(bytes: Int, limit: Int)
    /// The state was brought forward from another log than the one beside it.
    case foreignLog(state: String, log: String)
    /// The file of the administrator's secret does not hold one.
    case invalidSecret(file: String)
    /// A name that cannot be a namespace.
    case invalidName(String)
    /// A restore is to go where something is already.
    case notEmpty(directory: String)
    /// A restore into the directory was begun and not finished.
    case unfinishedRestore(directory: String)
    /// SQLite reported an error that is none of the above.
    case database(file: String, code: Int32, message: String)

    package var description: String {
        switch self {
        case .diskFull(let file):
            "no space left for \(file); free some space on its disk, or raise the quota"
        case .system(let operation, let file, let code):
            "cannot \(operation) \(file): \(StorageError.text(ofCode: code)); \(StorageError.remedy(forCode: code))"
        case .damaged(let file, let offset, let detail):
            "\(file) is damaged\(offset.map { " at byte \($0)" } ?? ""): \(detail); "
                + "check the disk, keep a copy of the file, and restore the namespace from a backup"
        case .newerFormat(let file, let found, let supported):
            "\(file) has format \(found), this release reads up to \(supported); start a newer release of hearth"
        case .held(let directory, let process):
            "\(directory) is in use by \(process.map { "process \($0)" } ?? "another process"); "
                + "stop that hub, or choose another directory with --data"
        case .entryTooLarge(let bytes, let limit):
            "a commit of \(bytes) bytes is larger than the log takes (\(limit)); split the write"
        case .foreignLog(let state, let log):
            "\(state) does not belong to the log in \(log); restore both from the same backup"
        case .invalidSecret(let file):
            "\(file) does not hold one secret; delete it, and the next start makes a new one"
        case .invalidName(let name):
            "\"\(name)\" cannot name a namespace; use up to 64 letters, digits, - and _"
        case .notEmpty(let directory):
            "\(directory) holds something already; restore into an empty directory, and move it into place afterwards"
        case .unfinishedRestore(let directory):
            "a restore into \(directory) was not finished; run it again, or delete the directory"
        case .database(let file, let code, let message):
            "SQLite error \(code) in \(file): \(message); check the disk and the permissions of the file"
        }
    }

    /// Whether trying again can succeed once there is room.
    package var isDiskFull: Bool {
        if case .diskFull = self { true } else { false }
    }

    /// Whether what was tried may succeed later without anybody repairing anything.
    package var isPassing: Bool {
        switch self {
        case .diskFull: true
        case .system(_, _, let code): [EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR, ENOSPC, EDQUOT].contains(code)
        default: false
        }
    }

    private static func text(ofCode code: Int32) -> String {
        guard let text = strerror(code) else { return "error \(code)" }
        return String(cString: text)
    }

    private static func remedy(forCode code: Int32) -> String {
        switch code {
        case EACCES, EPERM: "give the hub's user the right to read and write it"
        case EROFS: "mount the file system for writing"
        case EMFILE, ENFILE: "raise the limit of open files"
        case EIO: "check the disk and the system log"
        case ENOENT: "check that the path exists"
        default: "check the path and the disk"
        }
    }
}

/// A failed file operation: what was tried, on what, and the errno code.
package struct FileError: Error, Sendable, Equatable {
    package var operation: String
    package var path: String
    package var code: Int32

    package init(operation: String, path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// The file is not there.
    var isAbsence: Bool { code == ENOENT }
}

extension StorageError {
    package init(_ error: FileError) {
        switch error.code {
        case ENOSPC, EDQUOT: self = .diskFull(file: error.path)
        default: self = .system(operation: error.operation, file: error.path, code: error.code)
        }
    }

    /// Does file operations and throws what they throw as this type.
    static func wrapping<Result>(
        _ body: () throws(FileError) -> Result
    ) throws(StorageError) -> Result {
        do throws(FileError) {
            return try body()
        } catch {
            throw StorageError(error)
        }
    }
}
