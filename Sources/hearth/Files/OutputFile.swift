import Glibc

/// A file that is there whole or not at all: it is written beside its place, synced, and renamed.
///
/// What is no ordinary file, such as a pipe or a device, is written to directly.
final class OutputFile {
    /// As it is named in messages.
    let path: String
    /// How many bytes went into the file, compressed or not.
    private(set) var fileBytes = 0
    private let descriptor: Int32
    /// Where it is written and where it goes; nil when it is written to directly.
    private var temporary: (path: String, target: String)?
    private let gzip: GzipWriter?

    /// Whether it has a place of its own in a folder, where others can lie beside it.
    var isOrdinary: Bool { temporary != nil }

    init(_ path: String, isCompressed: Bool = false) throws(CommandProblem) {
        self.path = path
        gzip = isCompressed ? try GzipWriter() : nil
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR { throw .failure("\(path) is a folder; name a file in it") }
        if exists, status.st_mode & S_IFMT != S_IFREG {
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw OutputFile.unwritable(path) }
            return
        }
        // A link stays a link: what it points to is replaced.
        var target = path
        if exists, let real = realpath(path, nil) {
            target = String(cString: real)
            free(real)
        }
        let slash = target.lastIndex(of: "/")
        let folder = slash.map { String(target[...$0]) } ?? ""
        let name = slash.map { target[target.index(after: $0)...] } ?? target[...]
        guard !name.isEmpty else { throw .usage("'\(shown(path))' names no file; give a name behind the slash") }
        var template = Array("\(folder).\(name.prefix(200)).XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw OutputFile.unwritable(path) }
        temporary = (String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self), target)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if let temporary { unlink(temporary.path) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(CommandProblem) {
        guard let gzip else { return try append(bytes) }
        try gzip.write(bytes) { piece throws(CommandProblem) in try append(piece) }
    }

    func write(_ bytes: [UInt8]) throws(CommandProblem) { try append(bytes[...]) }

    /// Puts it in its place, durably. Without this call there is no file.
    func finish() throws(CommandProblem) {
        try gzip?.finish { piece throws(CommandProblem) in try append(piece) }
        guard let temporary else { return }
        guard fsync(descriptor) == 0, rename(temporary.path, temporary.target) == 0 else {
            throw OutputFile.unwritable(path)
        }
        self.temporary = nil
        let folder = temporary.target.lastIndex(of: "/").map { String(temporary.target[...$0]) } ?? "."
        let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // Some file systems cannot sync a folder; the file is there all the same.
        if opened >= 0 {
            fsync(opened)
            close(opened)
        }
    }

    private func append(_ piece: ArraySlice<UInt8>) throws(CommandProblem) {
        let problem: CommandProblem? = piece.withUnsafeBytes { bytes in
            do throws(CommandProblem) {
                try append(bytes)
                return nil
            } catch {
                return error
            }
        }
        if let problem { throw problem }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) throws(CommandProblem) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0 {
                if errno == EINTR, !Interruption.hasCome { continue }
                throw OutputFile.unwritable(path)
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        fileBytes += bytes.count
    }

    private static func unwritable(_ path: String) -> CommandProblem {
        let remedy = errno == ENOSPC || errno == EDQUOT ? "make room, or choose another place" : "check the path"
        return .failure("\(path) cannot be written: \(String(cString: strerror(errno))); \(remedy)")
    }
}
