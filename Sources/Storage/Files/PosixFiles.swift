import Glibc

/// The operating system's files.
package struct PosixFiles: StorageFiles {
    package init() {}

    package func open(_ path: String, create: Bool) throws(FileError) -> any StorageFile {
        let flags = O_RDWR | O_CLOEXEC | (create ? O_CREAT | O_TRUNC : 0)
        let descriptor = Glibc.open(path, flags, 0o600)
        guard descriptor >= 0 else { throw FileError(operation: "open", path: path, code: errno) }
        return PosixFile(descriptor: descriptor, path: path)
    }

    package func list(_ directory: String) throws(FileError) -> [String] {
        guard let stream = opendir(directory) else {
            throw FileError(operation: "list", path: directory, code: errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            // Names that this room gives are ASCII, so equality of strings is equality of bytes here.
            if name != "." && name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw FileError(operation: "list", path: directory, code: errno) }
        return names
    }

    package func rename(_ source: String, to target: String) throws(FileError) {
        guard Glibc.rename(source, target) == 0 else {
            throw FileError(operation: "rename", path: source, code: errno)
        }
    }

    package func remove(_ path: String) throws(FileError) {
        guard unlink(path) == 0 else { throw FileError(operation: "remove", path: path, code: errno) }
    }

    package func syncDirectory(_ directory: String) throws(FileError) {
        let descriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(operation: "open", path: directory, code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileError(operation: "sync", path: directory, code: errno) }
    }
}

/// An open descriptor.
private final class PosixFile: StorageFile {
    private let descriptor: Int32
    private let path: String

    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    func size() throws(FileError) -> Int64 {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw failure("examine") }
        return Int64(information.st_size)
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw failure("read")
            }
            done += count
        }
        return done
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                throw count == 0 ? FileError(operation: "write", path: path, code: EIO) : failure("write")
            }
            done += count
        }
    }

    func allocate(size: Int64) throws(FileError) {
        let code = posix_fallocate(descriptor, 0, off_t(size))
        guard code == 0 else { throw FileError(operation: "allocate", path: path, code: code) }
    }

    func truncate(to size: Int64) throws(FileError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw failure("truncate") }
    }

    func syncData() throws(FileError) {
        guard fdatasync(descriptor) == 0 else { throw failure("sync") }
    }

    private func failure(_ operation: String) -> FileError {
        FileError(operation: operation, path: path, code: errno)
    }
}
