import DataTree
import HubEngine
import Storage
import WireProtocol

/// What rules cost the engine: the same writes by signed-in users, with everything open and under the to-do and the chat
/// rules of the tests.
enum RuledEngineBench {
    static func run() {
        var table = Table("engine: decode, judge, apply and encode one write of a signed-in user, CPU per message")
        for load in [Load.todos, .chat] {
            guard let rules = load.rules else {
                print("hearth-bench: cannot read \(load.file); start it in the project's folder")
                return
            }
            var open: [Double] = []
            var ruled: [Double] = []
            // In turn, so that a machine that gets slower meanwhile slows both.
            for _ in 0..<5 {
                open.append(Writers(load, rules: nil).secondsPerWrite(count: 30_000))
                ruled.append(Writers(load, rules: rules).secondsPerWrite(count: 30_000))
            }
            table.add("\(load): open to everybody", open, microseconds)
            table.add("\(load): under its rules", ruled, microseconds)
            table.add("\(load): what rules add", zip(open, ruled).map { $1 - $0 }, microseconds)
        }
    }

    private enum Load: String, CustomStringConvertible {
        case todos
        case chat

        var description: String { rawValue }

        var file: String { "Tests/SecurityRulesTests/Cases/\(rawValue).rules.json" }

        var rules: ConfiguredRules? { contents(of: file).flatMap { try? ConfiguredRules($0, author: "bench") } }

        /// The frame of the nth write.
        func request(_ number: Int, user: Int) -> String {
            switch self {
            case .todos:
                let value = #"{"title":"item \#(number)","done":false,"due":\#(number)}"#
                return
                    #"{"t":"d","d":{"r":\#(number),"a":"p","b":{"p":"/todos/user\#(user)/t\#(number)","d":\#(value)}}}"#
            case .chat:
                let value = #"{"from":"user\#(user)","text":"message \#(number)","at":{".sv":"timestamp"}}"#
                let path = "/rooms/r\(user / 10)/messages/m\(number)"
                return #"{"t":"d","d":{"r":\#(number),"a":"p","b":{"p":"\#(path)","d":\#(value)}}}"#
            }
        }
    }

    private struct Writers {
        static let users = 100

        let engine: Engine
        let load: Load
        private var connections: [ConnectionID] = []

        init(_ load: Load, rules: ConfiguredRules?) {
            self.load = load
            engine = Engine(
                configuration: EngineConfiguration(
                    namespace: "bench", authenticator: Authenticator(mode: .development, administratorSecret: nil),
                    defaultRules: .open, rules: rules))
            var setup = [#"{"t":"d","d":{"r":1,"a":"gauth","b":{"cred":"owner"}}}"#]
            for user in 0..<Self.users {
                setup.append(
                    #"{"t":"d","d":{"r":2,"a":"p","b":{"p":"/members/r\#(user / 10)/user\#(user)","d":true}}}"#)
            }
            let owner = connect(slot: 0)
            for text in setup { send(text, from: owner) }
            for user in 0..<Self.users {
                let connection = connect(slot: UInt32(user + 1))
                connections.append(connection)
                send(
                    #"{"t":"d","d":{"r":1,"a":"gauth","b":{"cred":"owner","authvar":{"uid":"user\#(user)"}}}}"#,
                    from: connection)
            }
            finishBatch(at: 1)
        }

        private func connect(slot: UInt32) -> ConnectionID {
            let connection = ConnectionID(loop: 0, slot: slot, generation: 1)
            let opening = SessionOpening(transport: .webSocket, host: "localhost")
            let id = SessionID(incarnation: 1, random: (UInt64(slot), 1))
            engine.apply(Proposal(.open(connection, opening, id), time: 1_000))
            return connection
        }

        private func send(_ text: String, from connection: ConnectionID) {
            let message = Array(text.utf8).withUnsafeBytes { try? RequestDecoder.decode($0) }
            guard case .request(let request) = message else { return }
            engine.apply(Proposal(.request(connection, request), time: 2_000))
        }

        private func finishBatch(at position: UInt64) {
            blackHole(engine.takeBatch())
            engine.submitted(at: LogPosition(position))
            engine.settled(through: LogPosition(position))
        }

        func secondsPerWrite(count: Int) -> Double {
            let texts = (0..<count).map { load.request($0, user: $0 % Self.users) }
            let batch = 16
            var position: UInt64 = 1
            let time = seconds {
                for start in stride(from: 0, to: count, by: batch) {
                    for number in start..<min(start + batch, count) {
                        send(texts[number], from: connections[number % Self.users])
                    }
                    position += 1
                    finishBatch(at: position)
                }
            }
            let key = Path(load == .todos ? "todos" : "rooms")
            guard engine.content(at: key).leafCount == 3 * count else {
                print("hearth-bench: writes were denied, the figure is of no use")
                return time / Double(count)
            }
            return time / Double(count)
        }
    }
}
