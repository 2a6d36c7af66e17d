/// The requests of one sub-command to one hub.
struct HubSession {
    let target: HubTarget
    let environment: CommandEnvironment

    init(_ arguments: CommandArguments, _ environment: CommandEnvironment) throws(CommandProblem) {
        target = try HubTarget(arguments, environment)
        self.environment = environment
    }

    /// Hands what comes with a success to `receive`; anything else is the problem.
    func receive(_ request: HTTPRequest, _ receive: @escaping HTTPReceiver) throws(CommandProblem) {
        let answer = try send(request, receive)
        guard answer.isSuccess else { throw Refusal(answer).problem(target) }
    }

    /// The whole of a short answer.
    func answer(_ request: HTTPRequest) throws(CommandProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        try receive(request) { piece throws(CommandProblem) in
            guard bytes.count + piece.count <= Self.longestAnswer else {
                throw .failure("the answer of the hub is longer than \(Self.longestAnswer >> 20) MiB; ask for less")
            }
            bytes.append(contentsOf: piece)
        }
        return bytes
    }

    /// The answer whatever its status, for who knows what to make of it.
    func send(_ request: HTTPRequest, _ receive: @escaping HTTPReceiver) throws(CommandProblem) -> HTTPAnswer {
        do throws(HTTPProblem) {
            return try environment.send(request, receive)
        } catch {
            throw error.problem
        }
    }

    private static let longestAnswer = 64 << 20
}
