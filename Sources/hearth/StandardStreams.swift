import Glibc

/// Whole lines to whoever started the process; the hub's events go through `Logger`.
enum StandardStreams {
    static func output(_ text: String) { write(text, to: STDOUT_FILENO) }

    static func error(_ text: String) { write(text, to: STDERR_FILENO) }

    /// Writes bytes to standard output, and says so when nobody reads them or they cannot be written.
    static func outputBytes(_ bytes: UnsafeRawBufferPointer) throws(CommandProblem) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(STDOUT_FILENO, rest.baseAddress, rest.count)
            if count < 0 {
                if errno == EINTR, !Interruption.hasCome { continue }
                if errno == EPIPE { throw .readerGone }
                if errno == EINTR { throw .failure("interrupted; the output is not complete") }
                throw .failure(
                    "standard output cannot be written: \(String(cString: strerror(errno))); check where it goes")
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0 && errno == EINTR { continue }
                // A reader that has gone away misses the text; the hub does not stop for that.
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
