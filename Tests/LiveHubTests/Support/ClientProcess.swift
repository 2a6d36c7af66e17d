import Glibc
import TestSupport

/// A client in a process of its own, to be stopped and killed: a shell that connects, sends requests, and then reads on
/// without ever answering.
final class ClientProcess {
    private let processID: pid_t
    private let folder = TemporaryFolder()

    /// Returns when the hub has answered all requests.
    init(port: Int, namespace: String = "demo", requests: [(action: String, body: String)]) throws {
        let upgrade = folder.write(
            RawWebSocketClient.upgradeRequest(path: "/.ws?v=5&ns=\(namespace)", host: "127.0.0.1:\(port)"),
            to: "upgrade")
        var bytes: [UInt8] = []
        for (index, request) in requests.enumerated() {
            let text = #"{"t":"d","d":{"r":\#(index + 1),"a":"\#(request.action)","b":\#(request.body)}}"#
            bytes += RawFrame(.text, Array(text.utf8)).bytes()
        }
        let input = folder.write("", to: "input")
        let descriptor = open(input, O_WRONLY)
        guard write(descriptor, bytes, bytes.count) == bytes.count else { throw DeviceError.missing("a full disk") }
        close(descriptor)
        let output = folder.path(of: "output")
        // A client sends nothing before the answer to its upgrade, which ends with an empty line.
        let script = """
            exec 3<>/dev/tcp/127.0.0.1/\(port)
            cat '\(upgrade)' >&3
            while IFS= read -r line <&3 && [ "$line" != $'\\r' ]; do :; done
            cat '\(input)' >&3
            exec cat <&3 >'\(output)'
            """
        let command = ["/bin/bash", "-c", script]
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        guard posix_spawn(&process, "/bin/bash", nil, nil, &arguments, environ) == 0 else {
            throw DeviceError.missing("bash could not be started")
        }
        processID = process
        let deadline = ContinuousClock.now + .seconds(20)
        let last = #"{"r":\#(requests.count),"b":{"s":"ok""#
        while !(TemporaryFolder.contents(of: output) ?? "").contains(last) {
            guard ContinuousClock.now < deadline else {
                throw DeviceError.missing(
                    "no answer to a client process: \(TemporaryFolder.contents(of: output) ?? "")")
            }
            usleep(5000)
        }
    }

    func send(_ signal: Int32) { kill(processID, signal) }

    deinit {
        kill(processID, SIGKILL)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
    }
}
