import Glibc

/// Bytes that are read once, from their first to their last, a piece at a time.
struct ByteSource {
    /// How many there are, if that is known beforehand.
    let length: Int?
    /// Fills the buffer as far as it likes; 0 is the end.
    let read: (UnsafeMutableRawBufferPointer) throws(CommandProblem) -> Int

    init(length: Int?, read: @escaping (UnsafeMutableRawBufferPointer) throws(CommandProblem) -> Int) {
        self.length = length
        self.read = read
    }

    /// Bytes in memory.
    init(_ bytes: [UInt8]) {
        var offset = 0
        self.init(length: bytes.count) { buffer throws(CommandProblem) in
            let count = min(buffer.count, bytes.count - offset)
            buffer.copyBytes(from: bytes[offset..<offset + count])
            offset += count
            return count
        }
    }

    init(_ text: String) { self.init(Array(text.utf8)) }
}

/// A file that is read, closed when nobody needs it any more.
final class OpenFile {
    /// As it is named in messages.
    let name: String
    let descriptor: Int32
    /// In bytes; nil for a pipe, a terminal and the like.
    let length: Int?

    /// Opens `path`; `-` is standard input.
    init(_ path: String) throws(CommandProblem) {
        let isInput = path == "-"
        name = isInput ? "standard input" : path
        descriptor = isInput ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw OpenFile.unreadable(name) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw OpenFile.unreadable(name) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw .failure("\(name) is a folder; name a file") }
        length = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    /// Takes over a descriptor.
    init(descriptor: Int32, name: String, length: Int) {
        self.descriptor = descriptor
        self.name = name
        self.length = length
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Its bytes from where it stands.
    var source: ByteSource {
        ByteSource(length: length) { buffer throws(CommandProblem) in try self.read(into: buffer) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CommandProblem) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR, !Interruption.hasCome else { throw OpenFile.unreadable(name) }
        }
    }

    /// Goes back to the first byte of a file that has a length.
    func rewind() throws(CommandProblem) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw OpenFile.unreadable(name) }
    }

    private static func unreadable(_ name: String) -> CommandProblem {
        .failure("\(name) cannot be read: \(String(cString: strerror(errno))); check the path")
    }
}
