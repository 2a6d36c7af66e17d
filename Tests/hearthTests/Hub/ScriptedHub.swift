@testable import hearth

/// A hub that answers from a list, and remembers what it was asked.
final class ScriptedHub {
    struct Request: Equatable {
        var method: String
        var url: String
        var headers: [String] = []
        var type: String?
        var body = ""
    }

    /// What a command wrote while it ran, besides its result.
    private(set) var written = ""
    private(set) var notes = ""
    private(set) var requests: [Request] = []
    var files: [String: String] = [:]
    var variables: [String: String] = [:]
    /// What a person answers; nobody is there when it is nil.
    var reply: String?
    var style = TextStyle.plain
    private var answers: [Result<(status: Int, pieces: [String]), HTTPProblem>]

    init(_ answers: (status: Int, body: String)...) { self.answers = answers.map { .success(($0.status, [$0.body])) } }

    /// Answers that come in pieces, or not at all.
    init(answers: [Result<(status: Int, pieces: [String]), HTTPProblem>]) { self.answers = answers }

    /// Runs `hearth …`, the arguments separated by spaces.
    func run(_ arguments: String) -> CommandResult { run(arguments.split(separator: " ").map(String.init)) }

    func run(_ arguments: [String]) -> CommandResult {
        guard let entry = CommandTable.entry(named: arguments[0]) else {
            return CommandResult(error: "no such command", exit: .usage)
        }
        return entry.result(of: Array(arguments.dropFirst()), in: environment)
    }

    var environment: CommandEnvironment {
        var environment = CommandEnvironment(
            read: { path throws(CommandProblem) in Array(try self.file(path).utf8) }, now: 1_700_000_000_000,
            style: style, errorStyle: style)
        environment.open = { path throws(CommandProblem) in ByteSource(try self.file(path)) }
        environment.write = { self.written += String(decoding: $0, as: UTF8.self) }
        environment.note = { self.notes += $0 }
        environment.variable = { self.variables[$0] }
        environment.ask = { question in
            self.notes += question
            return self.reply
        }
        environment.send = { request, receive throws(HTTPProblem) in try self.answer(request, receive) }
        return environment
    }

    private func file(_ path: String) throws(CommandProblem) -> String {
        guard let text = files[path] else { throw .failure("\(path) cannot be read: gone; check the path") }
        return text
    }

    private func answer(_ request: HTTPRequest, _ receive: HTTPReceiver) throws(HTTPProblem) -> HTTPAnswer {
        do throws(CommandProblem) {
            requests.append(
                Request(
                    method: request.method, url: request.url,
                    headers: request.headers.map { "\($0.name): \($0.value)" },
                    type: request.body?.type, body: try request.body.map(text) ?? ""))
            guard !answers.isEmpty else { throw .failure("the script has no more answers") }
        } catch {
            throw .stopped(error)
        }
        let (status, pieces) = try answers.removeFirst().get()
        guard 200..<300 ~= status else {
            return HTTPAnswer(status: status, refusal: Array(pieces.joined().utf8))
        }
        for piece in pieces {
            let problem: CommandProblem? = Array(piece.utf8).withUnsafeBytes { bytes in
                do throws(CommandProblem) {
                    try receive(bytes)
                    return nil
                } catch {
                    return error
                }
            }
            if let problem { throw .stopped(problem) }
        }
        return HTTPAnswer(status: status)
    }

    private func text(_ body: HTTPBody) throws(CommandProblem) -> String {
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 7, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = try body.source.read(buffer)
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
