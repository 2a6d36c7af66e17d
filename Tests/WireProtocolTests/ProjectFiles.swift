import Glibc

/// Files of the project as tests see them.
enum ProjectFiles {
    struct Unreadable: Error, CustomStringConvertible {
        let path: String
        var description: String { "cannot read or write \(path): \(String(cString: strerror(errno)))" }
    }

    /// The package's folder, three levels above this file.
    static let root: String = {
        var pieces = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        pieces.removeLast(3)
        return pieces.joined(separator: "/")
    }()

    static func bytes(_ path: String) throws -> [UInt8] {
        guard let file = fopen("\(root)/\(path)", "rb") else { throw Unreadable(path: path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        if ferror(file) != 0 { throw Unreadable(path: path) }
        return bytes
    }

    static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    static func write(_ text: String, to path: String) throws {
        guard let file = fopen("\(root)/\(path)", "wb") else { throw Unreadable(path: path) }
        let bytes = Array(text.utf8)
        let written = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, written == bytes.count else { throw Unreadable(path: path) }
    }

    /// Names of the files in a folder that end in `suffix`, sorted.
    static func names(in folder: String, suffix: String) throws -> [String] {
        guard let directory = opendir("\(root)/\(folder)") else { throw Unreadable(path: folder) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(suffix) { names.append(name) }
        }
        return names.sorted()
    }
}
