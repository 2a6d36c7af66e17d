import Glibc
import Storage

/// Why a hub process did not do what a test asked of it; the text ends with what the hub logged.
package struct HubProcessError: Error, CustomStringConvertible {
    package var what: String
    package var log: String

    package var description: String { log.isEmpty ? what : "\(what); the hub said:\n\(log)" }
}

/// The real `hearth serve` in a process of its own, on a free port of the loopback interface.
///
/// The executable is the one built beside the running tests, or `HEARTH_BINARY`. The process ends with this object, and
/// with the test process however that ends.
///
/// ```swift
/// let hub = try HubProcess("--dev")
/// let device = try TestDevice(hub)
/// hub.kill()
/// try hub.restart()
/// ```
package final class HubProcess: Sendable {
    /// How a process ended.
    package enum Exit: Equatable, Sendable {
        case code(Int32)
        case signal(Int32)
    }

    private struct State {
        var arguments: [String]
        var port = 0
        var process: ChildProcess?
        var isMemory: Bool { arguments.contains("--memory") }
    }

    private let folder: TemporaryFolder
    private let state: Monitor<State>

    /// Starts a hub and waits until it is ready.
    ///
    /// - Parameters:
    ///   - arguments: those of `hearth serve` besides `--port` and `--data`. With `--memory` there is no data folder.
    ///   - dataPath: the data folder; one that ends with this object unless given.
    /// - Throws: `HubProcessError` when it ends or stays silent instead.
    package convenience init(
        _ arguments: String..., dataPath: String? = nil, within: Duration = .seconds(60)
    ) throws(HubProcessError) {
        try self.init(arguments: arguments, dataPath: dataPath, within: within)
    }

    /// The same with a list of arguments.
    package init(
        arguments: [String], dataPath: String? = nil, within: Duration = .seconds(60)
    ) throws(HubProcessError) {
        folder = TemporaryFolder()
        self.dataPath = dataPath ?? folder.path(of: "data")
        state = Monitor(State(arguments: arguments))
        try start(port: 0, within: within)
    }

    deinit { kill() }

    /// The port that it listens on.
    package var port: Int { state.with { $0.port } }

    /// The system's number for the process; 0 when none runs.
    package var processID: Int32 { state.with { $0.process?.processID ?? 0 } }

    /// The data folder; it stays over restarts.
    package let dataPath: String

    /// What the hub wrote on standard error, over all its starts.
    package var log: String { TemporaryFolder.contents(of: folder.path(of: "log")) ?? "" }

    /// Starts it again on the same data and port, after `kill` or `stop`.
    ///
    /// - Parameters:
    ///   - arguments: replace those given before.
    ///   - port: another port than before; 0 picks a free one.
    package func restart(
        _ arguments: [String]? = nil, port: Int? = nil, within: Duration = .seconds(60)
    ) throws(HubProcessError) {
        kill()
        if let arguments { state.with { $0.arguments = arguments } }
        try start(port: port ?? self.port, within: within)
    }

    /// Starts it again on the same data and sends it a signal after a while, ready or not, and waits for its end.
    @discardableResult
    package func restartAndEnd(with signal: Int32 = SIGKILL, after: Duration) throws(HubProcessError) -> Exit {
        kill()
        _ = try launch(port: 0)
        usleep(UInt32(clamping: after.microseconds))
        return try stop(signal: signal)
    }

    /// `kill -9`: the hub has no chance to do anything. Returns when it is gone.
    package func kill() {
        guard let process = state.with({ $0.process }) else { return }
        process.send(SIGKILL)
        _ = process.exit(within: .seconds(30))
        state.with { $0.process = nil }
    }

    /// Asks it to stop with `signal` and waits for its end.
    @discardableResult
    package func stop(signal: Int32 = SIGTERM, within: Duration = .seconds(30)) throws(HubProcessError) -> Exit {
        guard let process = state.with({ $0.process }) else { throw problem("no hub is running") }
        process.send(signal)
        return try waitForEnd(within: within)
    }

    /// Sends a signal that it survives, such as SIGHUP.
    package func send(signal: Int32) { state.with { $0.process }?.send(signal) }

    /// Waits until it ends by itself.
    @discardableResult
    package func waitForEnd(within: Duration = .seconds(30)) throws(HubProcessError) -> Exit {
        guard let process = state.with({ $0.process }) else { throw problem("no hub is running") }
        guard let exit = process.exit(within: within) else { throw problem("the hub did not end within \(within)") }
        state.with { $0.process = nil }
        return exit
    }

    /// Waits until the hub has logged a line with `text` in it, or so many of them.
    package func expectLog(
        _ text: String, count: Int = 1, within: Duration = .seconds(20)
    ) throws(HubProcessError) {
        let deadline = ContinuousClock.Instant.now + within
        while log.split(separator: "\n").count(where: { $0.contains(text) }) < count {
            guard ContinuousClock.Instant.now < deadline else { throw problem("the hub did not log '\(text)'") }
            usleep(2000)
        }
    }

    private func start(port: Int, within: Duration) throws(HubProcessError) {
        let process = try launch(port: port)
        guard let line = process.firstLine(within: within) else {
            let exit = process.exit(within: .milliseconds(500))
            kill()
            throw problem(exit.map { "the hub ended with \($0)" } ?? "the hub was not ready within \(within)")
        }
        let words = line.split(separator: " ")
        guard words.count == 5, words[0] == "hearth", words[1] == "ready", words[3] == "pid",
            Int32(words[4]) == process.processID, let colon = words[2].lastIndex(of: ":"),
            let port = Int(words[2][words[2].index(after: colon)...])
        else {
            kill()
            throw problem("the ready line was '\(line)'")
        }
        state.with { $0.port = port }
    }

    private func launch(port: Int) throws(HubProcessError) -> ChildProcess {
        let (arguments, isMemory) = state.with { ($0.arguments, $0.isMemory) }
        var place = isMemory ? [] : ["--data", dataPath]
        // Clients of tests answer a ping when the test comes to reading, which takes its time on a busy machine.
        if !arguments.contains("--dead-peer-seconds") { place += ["--dead-peer-seconds", "600"] }
        guard
            let process = ChildProcess(
                [HubProcess.executable, "serve", "--port", String(port)] + place + arguments,
                output: folder.path(of: "output"), errorLog: folder.path(of: "log"))
        else { throw problem("\(HubProcess.executable) could not be started") }
        state.with { $0.process = process }
        return process
    }

    private func problem(_ what: String) -> HubProcessError { HubProcessError(what: what, log: log) }

    /// Where the executable under test is.
    package static var executable: String {
        if let named = getenv("HEARTH_BINARY") { return String(cString: named) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        guard let slash = path.lastIndex(of: "/") else { return "hearth" }
        return path[...slash] + "hearth"
    }

    /// Runs `hearth` to its end.
    ///
    /// - Returns: how it ended and what it printed.
    package static func run(
        _ arguments: [String], within: Duration = .seconds(30)
    ) throws(HubProcessError) -> (exit: Exit, output: String, error: String) {
        try run(command: [executable] + arguments, within: within)
    }

    /// Runs any program, named by its path, to its end.
    package static func run(
        command: [String], within: Duration = .seconds(30)
    ) throws(HubProcessError) -> (exit: Exit, output: String, error: String) {
        let folder = TemporaryFolder()
        guard
            let process = ChildProcess(command, output: folder.path(of: "output"), errorLog: folder.path(of: "log"))
        else { throw HubProcessError(what: "\(command[0]) could not be started", log: "") }
        let exit = process.exit(within: within)
        let error = TemporaryFolder.contents(of: folder.path(of: "log")) ?? ""
        guard let exit else { throw HubProcessError(what: "\(command[0]) did not end within \(within)", log: error) }
        return (exit, process.output, error)
    }
}
