import TestSupport

/// A client that polls, and can go on with a WebSocket as the JavaScript SDK does (`Connection.proceedWithUpgrade_`). Confined to
/// one thread.
final class PollingDevice {
    /// Everything that came, control messages aside, in the order in which an SDK hands it to its user.
    private(set) var texts: [String] = []
    /// Numbers of the requests that were answered.
    private(set) var answers: [Int] = []
    /// Numbers that were pushed.
    private(set) var pushed: [Int] = []
    /// The hub has said its last on the polls.
    private(set) var isSwitched = false

    private let port: Int
    private let polls: LongPollClient
    private let session: String
    private var socket: RawWebSocketClient?
    private var sendsOnSocket = false
    /// Came on the socket before the polls had ended.
    private var early: [String] = []
    private var lastNumber = 0

    init(port: Int) throws {
        self.port = port
        polls = try LongPollClient(port: port)
        guard case .message(let hello) = try polls.receive(within: .seconds(20)),
            let session = try ConversationJSON(hello)["d"]?["d"]?["s"]?.text
        else { throw DeviceError.missing("the greeting") }
        self.session = session
    }

    /// Sends a request.
    func send(_ action: String, _ body: String) throws {
        lastNumber += 1
        let text = #"{"t":"d","d":{"r":\#(lastNumber),"a":"\#(action)","b":\#(body)}}"#
        if sendsOnSocket { try socket?.send(text: text) } else { try polls.send(text: text) }
    }

    /// Sends a request and waits for its answer.
    func ask(_ action: String, _ body: String, within: Duration = .seconds(20)) throws {
        try send(action, body)
        let number = lastNumber
        try wait(within: within) { self.answers.contains(number) }
    }

    /// Opens the WebSocket and tries it: two pings, as many pongs.
    func offerSocket() throws {
        let socket = try RawWebSocketClient(port: port, path: "/.ws?v=5&ns=demo&s=\(session)")
        self.socket = socket
        guard try socket.receiveText() == #"{"t":"c","d":{"t":"a","d":{}}}"# else { throw DeviceError.missing("a") }
        for _ in 0..<2 {
            try socket.send(text: #"{"t":"c","d":{"t":"p","d":{}}}"#)
            guard try socket.receiveText() == #"{"t":"c","d":{"t":"o","d":{}}}"# else { throw DeviceError.missing("o") }
        }
    }

    /// Sends on the WebSocket from now on.
    func switchToSocket() throws {
        try socket?.send(text: #"{"t":"c","d":{"t":"a","d":{}}}"#)
        try polls.send(text: #"{"t":"c","d":{"t":"n","d":{}}}"#)
        sendsOnSocket = true
    }

    /// Takes in what comes until the condition holds.
    func wait(within: Duration = .seconds(20), until condition: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + within
        while try !condition() {
            guard ContinuousClock.now < deadline else {
                throw DeviceError.missing("\(answers.count) answers, \(pushed.count) pushes")
            }
            if !isSwitched, case .message(let text) = try polls.receive(within: .milliseconds(2)) { try take(text) }
            guard let socket, let text = try? socket.receiveMessage(within: .milliseconds(isSwitched ? 200 : 2)) else {
                continue
            }
            if isSwitched { try take(text) } else { early.append(text) }
        }
    }

    func goSilent() { polls.isPolling = false }

    func leave() throws {
        if let socket { try socket.sendClose() } else { try polls.disconnect() }
    }

    private func take(_ text: String) throws {
        let message = try ConversationJSON(text)
        if message["t"]?.text == "c" {
            guard message["d"]?["t"]?.text == "n" else { return }
            isSwitched = true
            for text in early { try take(text) }
            return
        }
        texts.append(text)
        if let number = message["d"]?["r"]?.integer { answers.append(number) }
        if message["d"]?["a"] != nil, let number = message["d"]?["b"]?["d"]?.integer { pushed.append(number) }
    }
}
