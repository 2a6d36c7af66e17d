import Glibc

/// A file of JSON to import, compressed or not, whose length is found out before anything is sent.
final class ImportFile {
    /// As it is named in messages.
    let name: String
    private let file: OpenFile
    private let isCompressed: Bool
    /// How many bytes at the beginning only say that the text is Unicode.
    private let skipped: Int
    /// The length of the JSON text.
    let length: Int

    /// `-` is standard input, which is kept in a nameless file first.
    init(_ path: String) throws(CommandProblem) {
        var file = try OpenFile(path)
        name = file.name
        if file.length == nil { file = try Self.kept(file) }
        self.file = file
        var head = [UInt8](repeating: 0, count: 2)
        let count = pread(file.descriptor, &head, 2, 0)
        isCompressed = count == 2 && head == GzipReader.mark
        let (length, first) = try Self.measure(file, isCompressed: isCompressed)
        skipped = first.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        self.length = length - skipped
        try Self.checkBeginning(first[skipped...], of: name)
    }

    /// The JSON text from its beginning.
    func source() throws(CommandProblem) -> ByteSource {
        try file.rewind()
        let plain = try Self.plain(file, isCompressed)
        if skipped > 0 { _ = try Self.fill(3, from: plain) }
        return ByteSource(length: length, read: plain.read)
    }

    private static func plain(_ file: OpenFile, _ isCompressed: Bool) throws(CommandProblem) -> ByteSource {
        guard isCompressed else { return file.source }
        let reader = try GzipReader(file.source, name: file.name)
        return ByteSource(length: nil) { buffer throws(CommandProblem) in try reader.read(into: buffer) }
    }

    /// The length of the text, and its first bytes. What is compressed has to be read once for that.
    private static func measure(
        _ file: OpenFile, isCompressed: Bool
    ) throws(CommandProblem) -> (length: Int, first: [UInt8]) {
        let plain = try plain(file, isCompressed)
        let first = try fill(4096, from: plain)
        guard isCompressed else { return (file.length ?? 0, first) }
        var length = first.count
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = try plain.read(buffer)
            if count == 0 { return (length, first) }
            length += count
            guard !Interruption.hasCome else { throw .failure("interrupted; nothing was sent") }
        }
    }

    /// The next `count` bytes, or all that are left.
    private static func fill(_ count: Int, from source: ByteSource) throws(CommandProblem) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { buffer.deallocate() }
        var filled = 0
        while filled < count {
            let more = try source.read(UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            if more == 0 { break }
            filled += more
        }
        return Array(buffer[..<filled])
    }

    /// Refuses what cannot be JSON; the rest is for the hub to judge, which says where it is wrong.
    static func checkBeginning(_ bytes: ArraySlice<UInt8>, of name: String) throws(CommandProblem) {
        let space = Array(" \t\r\n".utf8)
        guard let first = bytes.first(where: { !space.contains($0) }) else {
            throw .failure("\(name) holds nothing; give a file of JSON, as hearth export writes it")
        }
        guard Array("{[\"-0123456789tfn".utf8).contains(first) else {
            let sign = 0x21...0x7E ~= first ? "'\(Character(Unicode.Scalar(first)))'" : "byte \(first)"
            throw .failure("\(name) is no JSON, it begins with \(sign); give a file as hearth export writes it")
        }
    }

    /// Copies what can be read only once into a file without a name.
    private static func kept(_ file: OpenFile) throws(CommandProblem) -> OpenFile {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp"
        var template = Array("\(folder)/hearth.XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw .failure("no file can be made in \(folder); name another folder in TMPDIR")
        }
        unlink(template)
        var length = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = try file.read(into: buffer)
            if count == 0 { break }
            var written = 0
            while written < count {
                let more = write(descriptor, buffer.baseAddress?.advanced(by: written), count - written)
                if more < 0 && errno == EINTR && !Interruption.hasCome { continue }
                guard more > 0 else {
                    close(descriptor)
                    throw .failure("there is no room in \(folder) for \(file.name); name another folder in TMPDIR")
                }
                written += more
            }
            length += count
        }
        let kept = OpenFile(descriptor: descriptor, name: file.name, length: length)
        try kept.rewind()
        return kept
    }
}
