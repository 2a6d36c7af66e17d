import Glibc

/// Operations on directories and small files that need no seam for tests.
package enum FileTree {
    static func isDirectory(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether anything is there.
    static func exists(_ path: String) -> Bool {
        var information = stat()
        return lstat(path, &information) == 0
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes a directory (mode 0700) and those above it that are missing.
    static func makeDirectory(_ path: String) throws(FileError) {
        if path.isEmpty || isDirectory(path) { return }
        if mkdir(path, 0o700) == 0 { return }
        let code = errno
        let above = parent(of: path)
        guard code == ENOENT, !isDirectory(above), above.utf8.count < path.utf8.count else {
            if code == EEXIST, isDirectory(path) { return }
            throw FileError(operation: "make directory", path: path, code: code)
        }
        try makeDirectory(above)
        guard mkdir(path, 0o700) == 0 else {
            throw FileError(operation: "make directory", path: path, code: errno)
        }
    }

    /// Removes a file, or a directory with all in it. Nothing there is no error. Links are removed, not followed.
    package static func remove(_ path: String) throws(FileError) {
        var information = stat()
        guard lstat(path, &information) == 0 else {
            if errno == ENOENT { return }
            throw FileError(operation: "examine", path: path, code: errno)
        }
        guard information.st_mode & S_IFMT == S_IFDIR else {
            try PosixFiles().remove(path)
            return
        }
        for name in try PosixFiles().list(path) { try remove("\(path)/\(name)") }
        guard rmdir(path) == 0 else { throw FileError(operation: "remove", path: path, code: errno) }
    }

    /// The bytes of a small file (up to 64 KiB); nil if it does not exist.
    static func contents(of path: String) throws(FileError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw FileError(operation: "open", path: path, code: errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw FileError(operation: "read", path: path, code: errno) }
        return Array(bytes[..<count])
    }

    /// Writes a small file (mode 0600) durably: it is there as a whole or not at all.
    static func write(_ bytes: [UInt8], to path: String, in directory: String) throws(FileError) {
        let unfinished = path + ".new"
        let files = PosixFiles()
        // Left over from a crash; an existing file would keep its mode.
        try remove(unfinished)
        let file = try files.open(unfinished, create: true)
        try Storage.write(bytes[...], to: file, at: 0)
        try file.syncData()
        try files.rename(unfinished, to: path)
        try files.syncDirectory(directory)
    }
}
