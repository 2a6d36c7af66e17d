import DataTree
import WireProtocol

/// The protocol: decoding requests, encoding answers and pushes, long messages both ways.
enum WireBench {
    static func run() {
        decoding()
        encoding()
        longMessages()
    }

    private static func decoding() {
        var table = Table("decode a request")
        let fields = (0..<4).map { #""field\#($0)":"\#(String(repeating: "v", count: 18))""# }.joined(separator: ",")
        let record = "{\(fields),\"at\":{\".sv\":\"timestamp\"}}"
        let put = #"{"t":"d","d":{"r":4711,"a":"p","b":{"p":"/rooms/r1/messages/-NkkkkkkkAAAA1","d":\#(record)}}}"#
        let reordered = #"{"t":"d","d":{"b":{"d":\#(record),"p":"rooms/r1/messages/-NkkkkkkkAAAA1"},"a":"p","r":4711}}"#
        let cases = [
            ("put of \(put.utf8.count) bytes", put),
            ("the same, body before action", reordered),
            (
                "put of a text, 200 bytes",
                #"{"t":"d","d":{"r":12,"a":"p","b":{"p":"/load/d17","d":"\#(String(repeating: "v", count: 146))"}}}"#
            ),
            ("put of a number", #"{"t":"d","d":{"r":12,"a":"p","b":{"p":"/load/d17","d":1767225600123}}}"#),
            ("listen", #"{"t":"d","d":{"r":3,"a":"q","b":{"p":"/rooms/r1","h":""}}}"#),
            (
                "tagged listen",
                #"{"t":"d","d":{"r":7,"a":"q","b":{"p":"/log","q":{"l":2,"vf":"r","i":".key"},"t":1,"h":""}}}"#
            ),
            (
                "update of three paths",
                #"{"t":"d","d":{"r":5,"a":"m","b":{"p":"/r","d":{"a":1,"b/c":true,"d":"text"}}}}"#
            ),
            ("transaction", #"{"t":"d","d":{"r":9,"a":"p","b":{"p":"/n","d":6,"h":"w28swksk9+tXf5jEdS9R5oSFAv8="}}}"#),
            ("ping", #"{"t":"c","d":{"t":"p","d":{}}}"#),
        ]
        for (name, text) in cases {
            let bytes = Array(text.utf8)
            let count = 200_000
            let times = (0..<TreeBench.runs).map { _ in
                seconds {
                    for _ in 0..<count {
                        bytes.withUnsafeBytes { if let message = try? RequestDecoder.decode($0) { blackHole(message) } }
                    }
                } / Double(count)
            }
            table.add(name, times, microseconds)
        }
    }

    private static func encoding() {
        var table = Table("encode and frame")
        let count = 200_000
        func measure(_ name: String, _ make: () -> Frame) {
            let times = (0..<TreeBench.runs).map { _ in
                seconds { for _ in 0..<count { blackHole(make()) } } / Double(count)
            }
            table.add(name, times, microseconds)
        }
        let path = Path("rooms/r1/messages/-NkkkkkkkAAAA1")
        let record = Node(
            children: (0..<5).map { (Key("field\($0)"), Node(leaf: .string(Text(String(repeating: "v", count: 18))))) })
        measure("acknowledgement") { ServerMessage.ok(4711) }
        measure("push of a record, 200 bytes") { ServerMessage.data(path: path, node: record) }
        measure("push of a number") { ServerMessage.data(path: path, node: Node(leaf: .integer(1_767_225_600_123))) }
    }

    private static func longMessages() {
        var table = Table("long messages")
        let ascii = [UInt8](repeating: UInt8(ascii: "x"), count: 16_000_000)
        let emoji = Array(String(repeating: "\u{1F600}", count: 4_000_000).utf8)
        for (name, text) in [("frame 16 MB of ASCII", ascii), ("frame 16 MB of emoji", emoji)] {
            let times = (0..<TreeBench.runs).map { _ in seconds { blackHole(Frame(text: text)) } }
            table.add(name, times.map { Double(text.count) / $0 }, megabytesPerSecond)
        }
        let segment = [UInt8](repeating: UInt8(ascii: "x"), count: 16_384)
        let announcement = Array("976".utf8)
        let times = (0..<TreeBench.runs).map { _ in
            seconds {
                var assembler = SegmentAssembler()
                _ = announcement.withUnsafeBytes { try? assembler.receive($0) }
                for _ in 0..<976 {
                    segment.withUnsafeBytes { if let part = try? assembler.receive($0) { blackHole(part) } }
                }
            }
        }
        table.add("assemble 976 segments", times.map { Double(976 * 16_384) / $0 }, megabytesPerSecond)
    }
}
