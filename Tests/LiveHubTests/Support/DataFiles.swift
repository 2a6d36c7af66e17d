import Glibc
import TestSupport

/// The files of a hub that is not running, for tests that damage them.
enum DataFiles {
    /// The names in a folder, sorted.
    static func list(_ folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    static func read(_ path: String) throws -> [UInt8] {
        let descriptor = try open(path, O_RDONLY)
        defer { close(descriptor) }
        var information = stat()
        fstat(descriptor, &information)
        var bytes = [UInt8](repeating: 0, count: Int(information.st_size))
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count == bytes.count else { throw DeviceError.missing("\(path) could not be read") }
        return bytes
    }

    /// Makes a file.
    static func make(_ bytes: [UInt8], at path: String) throws {
        close(try open(path, O_WRONLY | O_CREAT))
        try write(bytes, to: path, at: 0)
    }

    /// Overwrites a part of a file.
    static func write(_ bytes: [UInt8], to path: String, at offset: Int) throws {
        let descriptor = try open(path, O_WRONLY)
        defer { close(descriptor) }
        guard pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count else {
            throw DeviceError.missing("\(path) could not be written")
        }
    }

    static func truncate(_ path: String, to size: Int) { Glibc.truncate(path, off_t(size)) }

    /// Makes a file larger, without holes when there is room for that. False when there is not.
    static func allocate(_ path: String, bytes: Int) -> Bool {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return posix_fallocate(descriptor, 0, off_t(bytes)) == 0
    }

    private static func open(_ path: String, _ flags: Int32) throws -> Int32 {
        let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DeviceError.missing("\(path) could not be opened") }
        return descriptor
    }
}
