import Glibc
import TestSupport
import Testing

extension HubProcess {
    /// Runs `hearth …` against this hub to its end.
    func command(
        _ arguments: [String], within: Duration = .seconds(120)
    ) throws -> (exit: Exit, output: String, error: String) {
        try HubProcess.run(arguments + ["--url", "http://127.0.0.1:\(port)"], within: within)
    }

    /// Runs it as the administrator of a hub in `--dev`, expects that it goes well, and gives what it printed.
    @discardableResult
    func expect(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        let (exit, output, error) = try command(arguments + ["--auth", "owner"])
        #expect(exit == .code(0) && error.isEmpty, "\(arguments): \(error)", sourceLocation: sourceLocation)
        return output
    }

    /// Expects that it ends with 1 and says why.
    func expectRefusal(
        _ arguments: String..., error text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (exit, output, error) = try command(arguments + ["--auth", "owner"])
        #expect(exit == .code(1) && output.isEmpty, sourceLocation: sourceLocation)
        #expect(error == text + "\n", sourceLocation: sourceLocation)
    }
}

/// `hearth watch` in a process of its own, until it is told to end.
final class WatchProcess: Sendable {
    private let folder = TemporaryFolder()
    private let worker: Worker<HubProcess.Exit>

    init(_ hub: HubProcess, _ path: String, _ options: String = "") {
        let folder = folder
        let script = """
            cd '\(folder.path)' || exit 99
            '\(HubProcess.executable)' watch '\(path)' --url http://127.0.0.1:\(hub.port) \(options) >out 2>err &
            while kill -0 $! 2>/dev/null && [ ! -e stop ]; do sleep 0.02; done
            kill -INT $! 2>/dev/null
            wait $!
            """
        worker = Worker {
            try HubProcess.run(command: ["/bin/bash", "-c", script], within: .seconds(110)).exit
        }
    }

    deinit { folder.write("", to: "stop") }

    /// Waits until it has printed these lines and no others.
    func expect(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        let wanted = lines.map { $0 + "\n" }.joined()
        let deadline = ContinuousClock.now + .seconds(30)
        while output("out") != wanted, ContinuousClock.now < deadline { usleep(5000) }
        #expect(output("out") == wanted, "\(output("err"))", sourceLocation: sourceLocation)
    }

    /// Interrupts it and waits for its end.
    func end() throws -> (exit: HubProcess.Exit, error: String) {
        folder.write("", to: "stop")
        return (try worker.value(), output("err"))
    }

    /// Waits for its end.
    func wait() throws -> (exit: HubProcess.Exit, error: String) { (try worker.value(), output("err")) }

    private func output(_ name: String) -> String { TemporaryFolder.contents(of: folder.path(of: name)) ?? "" }
}
