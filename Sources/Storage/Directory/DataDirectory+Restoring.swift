import Glibc

/// Filling a data directory from a backup. A file marks it until all is there: no hub starts on half of a restore.
extension DataDirectory {
    static func mark(in path: String) -> String { "\(path)/restoring" }

    /// Claims a directory that is empty or missing, or that holds what a restore left that was cut short; that goes.
    /// - Throws: `StorageError.notEmpty`, `.held`.
    package convenience init(restoringInto path: String) throws(StorageError) {
        try StorageError.wrapping { () throws(FileError) in try FileTree.makeDirectory(path) }
        let mark = Self.mark(in: path)
        if FileTree.exists(mark) {
            try Self.clear(path)
        } else {
            let names = try StorageError.wrapping { () throws(FileError) in try PosixFiles().list(path) }
            // File systems have that in their topmost directory.
            guard names.allSatisfy({ $0 == "lost+found" }) else { throw .notEmpty(directory: path) }
            try StorageError.wrapping { () throws(FileError) in
                try FileTree.write(Array("see the other files when this one is gone\n".utf8), to: mark, in: path)
            }
        }
        try self.init(path: path, isRestoring: true)
    }

    /// Removes what an earlier restore wrote, while nobody else is at it.
    private static func clear(_ path: String) throws(StorageError) {
        // Held until the end of this function, not longer: the claim that follows is another one.
        let claim = try DirectoryLock(directory: path)
        try StorageError.wrapping { () throws(FileError) in try FileTree.remove("\(path)/namespaces") }
        withExtendedLifetime(claim) {}
    }

    /// All is there: makes it a hub's data directory.
    package func finishRestoring() throws(StorageError) {
        try StorageError.wrapping { () throws(FileError) in
            try PosixFiles().syncDirectory("\(path)/namespaces")
            try FileTree.remove(Self.mark(in: path))
            try PosixFiles().syncDirectory(path)
        }
    }
}
