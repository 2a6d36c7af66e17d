import Glibc
import TestSupport

/// A TLS connection: an `openssl s_client` in between, so that tests speak plain bytes and the hub does not.
final class TLSPipe {
    /// What is sent here arrives at the hub over TLS, and the other way round.
    let socket: RawSocket

    init(port: Int) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw DeviceError.missing("no socket pair: errno \(errno)")
        }
        socket = RawSocket(descriptor: ends[0])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        let command = ["/usr/bin/openssl", "s_client", "-quiet", "-connect", "127.0.0.1:\(port)", "-alpn", "http/1.1"]
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, command[0], &actions, nil, &arguments, environ)
        close(ends[1])
        guard code == 0 else { throw DeviceError.missing("openssl could not be started: errno \(code)") }
        processID = process
    }

    private let processID: pid_t

    deinit {
        kill(processID, SIGKILL)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
    }
}
