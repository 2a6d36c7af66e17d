import Glibc
import Storage

/// A process that ends with this object, and with the test process however that ends.
///
/// A thread of its own starts it and waits for its end: the kernel's parent-death signal follows the *thread* that
/// started a process, so that thread must live as long as the process does.
package final class ChildProcess: Sendable {
    private let keeper: Keeper
    private let outputPath: String

    /// Starts `command`. Its standard output goes to a new file at `output`, its standard error is appended to the one
    /// at `errorLog`. nil when it cannot be started.
    package init?(_ command: [String], output: String, errorLog: String) {
        // A program of util-linux asks for the parent-death signal and then becomes the command.
        let launcher = ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--"]
        keeper = Keeper(command: launcher + command, output: output, errorLog: errorLog)
        outputPath = output
        guard keeper.start() else { return nil }
    }

    deinit { send(SIGKILL) }

    package var processID: Int32 { keeper.life.with { $0.processID } }

    /// Does nothing once the process has ended: its number may be another's by then.
    package func send(_ signal: Int32) {
        keeper.life.with { life in
            if case .running(let processID) = life { kill(processID, signal) }
        }
    }

    /// How it ended, once it has.
    package func exit(within: Duration) -> HubProcess.Exit? {
        let deadline = ContinuousClock.Instant.now + within
        while true {
            if case .ended(_, let exit) = keeper.life.with({ $0 }) { return exit }
            guard ContinuousClock.Instant.now < deadline else { return nil }
            usleep(2000)
        }
    }

    /// The first line of its standard output; nil when it ends or time is up without one.
    func firstLine(within: Duration) -> String? {
        let deadline = ContinuousClock.Instant.now + within
        while true {
            let hasEnded = exit(within: .zero) != nil
            let text = output
            if let end = text.firstIndex(of: "\n") { return String(text[..<end]) }
            guard !hasEnded, ContinuousClock.Instant.now < deadline else { return nil }
            usleep(2000)
        }
    }

    /// Its standard output so far.
    var output: String { TemporaryFolder.contents(of: outputPath) ?? "" }
}

extension ChildProcess {
    fileprivate enum Life {
        case starting
        case failed
        case running(Int32)
        case ended(Int32, HubProcess.Exit)

        var processID: Int32 {
            switch self {
            case .starting, .failed: 0
            case .running(let processID), .ended(let processID, _): processID
            }
        }
    }

    /// The thread that starts the process and waits for it.
    fileprivate final class Keeper: Sendable {
        let life = Monitor(Life.starting)
        private let command: [String]
        private let output: String
        private let errorLog: String

        init(command: [String], output: String, errorLog: String) {
            self.command = command
            self.output = output
            self.errorLog = errorLog
        }

        /// Returns when the process runs, or cannot.
        func start() -> Bool {
            var thread = pthread_t()
            let body = Unmanaged.passRetained(self)
            let code = pthread_create(
                &thread, nil,
                { argument in
                    if let argument { Unmanaged<Keeper>.fromOpaque(argument).takeRetainedValue().run() }
                    return nil
                }, body.toOpaque())
            guard code == 0 else {
                body.release()
                return false
            }
            pthread_detach(thread)
            while true {
                switch life.with({ $0 }) {
                case .starting: usleep(500)
                case .failed: return false
                case .running, .ended: return true
                }
            }
        }

        private func run() {
            guard let processID = spawn() else {
                life.with { $0 = .failed }
                return
            }
            life.with { $0 = .running(processID) }
            var information = siginfo_t()
            // The process is reaped under the lock, so that nobody signals a number that is free again.
            while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
            life.with { life in
                var status: Int32 = 0
                while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
                let signal = status & 0x7f
                life = .ended(processID, signal == 0 ? .code(status >> 8 & 0xff) : .signal(signal))
            }
        }

        private func spawn() -> Int32? {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errorLog, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            var signals = sigset_t()
            sigemptyset(&signals)
            posix_spawnattr_setsigmask(&attributes, &signals)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
            var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
            defer { for argument in arguments { free(argument) } }
            var processID: pid_t = 0
            guard posix_spawn(&processID, command[0], &actions, &attributes, &arguments, environ) == 0 else {
                return nil
            }
            return processID
        }
    }
}
