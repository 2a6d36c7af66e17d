import DataTree
import HubEngine
import Storage
import WireProtocol

/// What the engine costs per message, without sockets and disks: decoding, applying, fan-out to ten listeners of a room.
enum EngineBench {
    static func run() {
        var table = Table("engine: a 200-byte put into one of 500 rooms of 10 listeners, CPU per message")
        for batch in [1, 16] {
            let runs = (0..<5).map { _ in Rooms().secondsPerPut(count: 20_000, batch: batch) }
            table.add("apply and encode, \(batch) to a batch", runs.map(\.apply), microseconds)
            table.add("decode the request, \(batch) to a batch", runs.map(\.decode), microseconds)
        }
    }

    private struct Rooms {
        let engine = Engine(
            configuration: EngineConfiguration(
                namespace: "bench", authenticator: Authenticator(mode: .development, administratorSecret: nil),
                defaultRules: .open))
        var connections: [ConnectionID] = []
        let body = String(repeating: "x", count: 160)

        init() {
            for index in 0..<5_000 {
                let connection = ConnectionID(loop: UInt16(index % 2), slot: UInt32(index), generation: 1)
                connections.append(connection)
                let opening = SessionOpening(transport: .webSocket, host: "localhost")
                let id = SessionID(incarnation: 1, random: (UInt64(index), 1))
                engine.apply(Proposal(.open(connection, opening, id), time: 1_000))
                let listen = Listen(path: Path("room/\(index / 10)"))
                engine.apply(
                    Proposal(.request(connection, Request(number: 1, action: .listen(listen))), time: 1_000))
            }
            _ = engine.takeBatch()
        }

        func secondsPerPut(count: Int, batch: Int) -> (apply: Double, decode: Double) {
            var texts: [[UInt8]] = []
            for index in 0..<count {
                let sender = index &* 7919 % 5_000
                let path = "/room/\(sender / 10)/m\(sender)"
                texts.append(
                    Array(
                        #"{"t":"d","d":{"r":\#(index + 2),"a":"p","b":{"p":"\#(path)","d":{"at":\#(index),"x":"\#(body)"}}}}"#
                            .utf8))
            }
            var decode = 0.0
            var apply = 0.0
            var position: UInt64 = 0
            for start in stride(from: 0, to: count, by: batch) {
                var requests: [(ConnectionID, Request)] = []
                decode += seconds {
                    for index in start..<min(start + batch, count) {
                        let message = texts[index].withUnsafeBytes { try? RequestDecoder.decode($0) }
                        guard case .request(let request) = message else { continue }
                        requests.append((connections[index &* 7919 % 5_000], request))
                    }
                }
                apply += seconds {
                    for (connection, request) in requests {
                        engine.apply(Proposal(.request(connection, request), time: 2_000))
                    }
                    blackHole(engine.takeBatch())
                    position += 1
                    engine.submitted(at: LogPosition(position))
                    engine.settled(through: LogPosition(position))
                }
            }
            return (apply / Double(count), decode / Double(count))
        }
    }
}
