import Glibc

/// The directory that holds all state of a hub:
///
///     format             "hearth-data 1"
///     lock               the process that works on it
///     admin.secret       the administrator's secret
///     namespaces/NAME/   log/ and state.sqlite of a namespace
///
/// Directories have mode 0700, files 0600.
package final class DataDirectory: Sendable {
    package let path: String
    // Held for as long as this object lives.
    private let lock: DirectoryLock

    private static let format = 1
    private static let formatName = "hearth-data"
    private static let deletedPrefix = ".deleted-"

    /// Makes the directory if it is not there, and claims it.
    /// - Throws: `StorageError.held` if a hub works on it, `.newerFormat` if a newer release wrote it.
    package convenience init(path: String) throws(StorageError) {
        try self.init(path: path, isRestoring: false)
    }

    init(path: String, isRestoring: Bool) throws(StorageError) {
        self.path = path
        try StorageError.wrapping { () throws(FileError) in try FileTree.makeDirectory(path) }
        lock = try DirectoryLock(directory: path)
        if !isRestoring, FileTree.exists(DataDirectory.mark(in: path)) { throw .unfinishedRestore(directory: path) }
        try DataDirectory.checkFormat(in: path)
        let namespaces = "\(path)/namespaces"
        try StorageError.wrapping { () throws(FileError) in
            try FileTree.makeDirectory(namespaces)
            try PosixFiles().syncDirectory(path)
            for name in try PosixFiles().list(namespaces) where name.hasPrefix(DataDirectory.deletedPrefix) {
                try FileTree.remove("\(namespaces)/\(name)")
            }
        }
    }

    /// The namespaces that have been made, reserved ones included, in order of their bytes.
    package func namespaceNames() throws(StorageError) -> [String] {
        let names = try StorageError.wrapping { () throws(FileError) in
            try PosixFiles().list("\(path)/namespaces")
        }
        return names.filter { name in
            NamespaceDirectory.isValid(name: name) && FileTree.isDirectory("\(path)/namespaces/\(name)/log")
        }.sorted()
    }

    /// The place of a namespace, whether it has been made or not. Names differ by case.
    /// - Throws: `StorageError.invalidName`.
    package func namespace(_ name: String) throws(StorageError) -> NamespaceDirectory {
        guard NamespaceDirectory.isValid(name: name) else { throw .invalidName(name) }
        return NamespaceDirectory(path: "\(path)/namespaces/\(name)")
    }

    /// Deletes a namespace that nothing works on. It is gone at once; the space follows.
    package func deleteNamespace(_ name: String) throws(StorageError) {
        let place = try namespace(name)
        guard place.exists else { return }
        let grave = "\(path)/namespaces/\(DataDirectory.deletedPrefix)\(name)"
        try StorageError.wrapping { () throws(FileError) in
            try FileTree.remove(grave)
            try PosixFiles().rename(place.path, to: grave)
            try PosixFiles().syncDirectory("\(path)/namespaces")
            try FileTree.remove(grave)
        }
    }

    /// The administrator's secret, made if there is none yet.
    package func administratorSecret(
        using random: inout some RandomNumberGenerator
    ) throws(StorageError) -> (secret: String, isNew: Bool) {
        let file = "\(path)/admin.secret"
        let contents = try StorageError.wrapping { () throws(FileError) in try FileTree.contents(of: file) }
        if let contents {
            let words = String(decoding: contents, as: UTF8.self).split { $0.isWhitespace }
            guard words.count == 1, let secret = words.first else { throw .invalidSecret(file: file) }
            return (String(secret), false)
        }
        let secret = DataDirectory.newSecret(using: &random)
        try StorageError.wrapping { () throws(FileError) in
            try FileTree.write(Array("\(secret)\n".utf8), to: file, in: path)
        }
        return (secret, true)
    }

    /// 256 random bits as text that needs no escaping anywhere (base64url).
    package static func newSecret(using random: inout some RandomNumberGenerator) -> String {
        base64URL((0..<32).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    private static func checkFormat(in path: String) throws(StorageError) {
        let file = "\(path)/format"
        let contents = try StorageError.wrapping { () throws(FileError) in
            let contents = try FileTree.contents(of: file)
            if contents == nil {
                try FileTree.write(Array("\(formatName) \(format)\n".utf8), to: file, in: path)
            }
            return contents
        }
        guard let contents else { return }
        let words = String(decoding: contents, as: UTF8.self).split { $0.isWhitespace }
        guard words.count == 2, words[0].utf8.elementsEqual(formatName.utf8), let found = Int(words[1]) else {
            throw .damaged(file: file, offset: 0, detail: "it does not name a format of hearth")
        }
        guard found <= format else { throw .newerFormat(file: file, found: found, supported: format) }
    }

    /// RFC 4648 section 5, without padding.
    private static func base64URL(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(buffer >> UInt32(bits) & 0x3F)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << UInt32(6 - bits) & 0x3F)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
