import Glibc

/// Files that a sub-command is given.
enum InputFile {
    /// The whole file at `path`; `-` is standard input.
    static func read(_ path: String) throws(CommandProblem) -> [UInt8] {
        let isInput = path == "-"
        let descriptor = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { if !isInput { close(descriptor) } }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw unreadable(path)
            }
            bytes += piece[..<count]
            guard bytes.count <= longest else {
                throw .failure("\(path) is longer than \(longest >> 20) MiB; give a smaller file")
            }
        }
    }

    private static let longest = 256 << 20

    private static func unreadable(_ path: String) -> CommandProblem {
        .failure("\(path) cannot be read: \(String(cString: strerror(errno))); check the path")
    }

    /// Milliseconds since 1970.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
