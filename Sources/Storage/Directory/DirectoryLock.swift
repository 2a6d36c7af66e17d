import Glibc

/// The claim of one process on a data directory: an advisory lock on the file `lock`, which holds the process id.
/// It ends with this object or with the process, however that ends.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `StorageError.held` with the holder's process id.
    init(directory: String) throws(StorageError) {
        let path = "\(directory)/lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(FileError(operation: "open", path: path, code: errno)) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let holder = DirectoryLock.processID(in: descriptor)
            close(descriptor)
            if code == EWOULDBLOCK { throw .held(directory: directory, process: holder) }
            throw StorageError(FileError(operation: "lock", path: path, code: code))
        }
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count else {
            let code = errno
            close(descriptor)
            throw StorageError(FileError(operation: "write", path: path, code: code))
        }
    }

    deinit {
        close(descriptor)
    }

    /// Nil while the holder has not written it yet.
    private static func processID(in descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self))
    }
}
