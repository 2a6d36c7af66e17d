/// Where one namespace keeps its log and its state.
package struct NamespaceDirectory: Sendable {
    package let path: String

    init(path: String) {
        self.path = path
    }

    /// `[A-Za-z0-9_][A-Za-z0-9_-]{0,63}`; clients cannot name those that begin with `_`.
    package static func isValid(name: String) -> Bool {
        let bytes = name.utf8
        guard (1...64).contains(bytes.count), bytes.first != UInt8(ascii: "-") else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }

    /// Whether the namespace has been made.
    package var exists: Bool { FileTree.isDirectory("\(path)/log") }

    /// The state's file.
    package var stateFile: String { "\(path)/state.sqlite" }

    /// Opens log and state, making them if they are not there. Both are for one user at a time.
    package func open(
        configuration: LogConfiguration = .init(), newIdentity: UInt64 = .random(in: 1...UInt64.max)
    ) throws(StorageError) -> (log: FileLog, state: SQLiteState) {
        try StorageError.wrapping { () throws(FileError) in try FileTree.makeDirectory("\(path)/log") }
        let log = try FileLog(directory: "\(path)/log", configuration: configuration, newIdentity: newIdentity)
        let state = try SQLiteState(file: stateFile, logIdentity: log.identity, logName: "\(path)/log")
        // Names are durable before the first commit is acknowledged, whatever an earlier process had time for.
        try StorageError.wrapping { () throws(FileError) in
            try PosixFiles().syncDirectory(path)
            try PosixFiles().syncDirectory(FileTree.parent(of: path))
        }
        return (log, state)
    }
}
