import Glibc

/// A folder that lasts as long as this object.
package final class TemporaryFolder: Sendable {
    /// Absolute, without a slash at the end.
    package let path: String

    package init() {
        var template = Array("/tmp/hearth-test-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, let made = mkdtemp(start) else { return "" }
            return String(cString: made)
        }
        precondition(!path.isEmpty, "no temporary folder could be made in /tmp")
    }

    deinit { TemporaryFolder.remove(path) }

    /// The path of something in the folder.
    package func path(of name: String) -> String { path + "/" + name }

    /// Makes a file in the folder.
    @discardableResult
    package func write(_ text: String, to name: String) -> String {
        let target = path(of: name)
        let descriptor = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        precondition(descriptor >= 0, "\(target) could not be written")
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count, "\(target) could not be written")
        return target
    }

    /// What a file holds; invalid UTF-8 becomes U+FFFD; nil when there is none.
    package static func contents(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece[..<count]
        }
    }

    /// What lies in a folder, sorted.
    package static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func remove(_ path: String) {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name == "." || name == ".." { continue }
                let child = path + "/" + name
                // A link to a folder is removed, not followed.
                if unlink(child) != 0 { remove(child) }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}
