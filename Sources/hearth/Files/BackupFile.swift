import Glibc
import HubEngine
import Storage

/// A backup in a file, compressed or not, and putting it into a data directory.
struct BackupFile {
    let path: String

    /// What came of it.
    struct Report {
        var namespaces: [Restorer.Restored]
        var header: BackupHeader?
        var bytes: Int

        var leaves: Int { namespaces.reduce(0) { $0 + $1.leaves } }
    }

    /// Restores everything, reads it back and compares it; the directory is a hub's data directory then.
    ///
    /// - Throws: what is wrong with the backup or the directory. The directory then is not one that a hub would start on.
    func restore(into directory: String, _ environment: CommandEnvironment) throws(CommandProblem) -> Report {
        let source = try plain(environment)
        let meter = TransferMeter(environment)
        defer { meter.clear() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 1)
        defer { buffer.deallocate() }
        do {
            let restorer = try Restorer(directory: directory)
            let reader = BackupReader { try restorer.add($0) }
            while true {
                let count = try source.read(buffer)
                if count == 0 { break }
                try reader.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                meter.add(count)
                guard !Interruption.hasCome else { throw CommandProblem.failure("interrupted; nothing is restored") }
            }
            try reader.finish()
            try restorer.finish(verifying: true)
            return Report(namespaces: restorer.restored, header: reader.header, bytes: meter.bytes)
        } catch let problem as CommandProblem {
            throw problem
        } catch {
            throw .failure("\(error)")
        }
    }

    private func plain(_ environment: CommandEnvironment) throws(CommandProblem) -> ByteSource {
        let source = try environment.open(path)
        // What was read to look at it comes first again.
        let head = UnsafeMutableRawBufferPointer.allocate(byteCount: 2, alignment: 1)
        defer { head.deallocate() }
        var count = 0
        while count < head.count {
            let more = try source.read(UnsafeMutableRawBufferPointer(rebasing: head[count...]))
            if more == 0 { break }
            count += more
        }
        var first = Array(head[..<count])[...]
        let whole = ByteSource(length: nil) { buffer throws(CommandProblem) in
            guard !first.isEmpty else { return try source.read(buffer) }
            let taken = min(first.count, buffer.count)
            buffer.copyBytes(from: first.prefix(taken))
            first = first.dropFirst(taken)
            return taken
        }
        guard first.elementsEqual(GzipReader.mark) else { return whole }
        let reader = try GzipReader(whole, name: shown(path))
        return ByteSource(length: nil) { buffer throws(CommandProblem) in try reader.read(into: buffer) }
    }
}

/// A folder that is gone when nobody needs it any more.
final class ScratchFolder {
    let path: String

    init() throws(CommandProblem) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp"
        var template = Array("\(parent)/hearth.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .failure("no folder can be made in \(parent); name another one in TMPDIR")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        // Of a folder that stays behind nobody would profit from hearing.
        try? FileTree.remove(path)
    }
}
