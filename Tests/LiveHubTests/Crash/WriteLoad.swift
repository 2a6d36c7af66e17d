import DataTree
import TestSupport

/// One client that writes as fast as it gets answers, several writes in flight, until its connection breaks.
struct WriteLoad {
    private enum Write {
        case value(Int, Int?)
        case spread(Int)
        case block(Int)
        case increment(Int)
    }

    private(set) var journal: WriterJournal
    private var random: SeededRandom
    private var inFlight: [(number: Int, write: Write)] = []

    private static let writesInFlight = 16

    init(journal: WriterJournal, seed: UInt64) {
        self.journal = journal
        random = SeededRandom(seed)
    }

    /// Writes until the hub is gone or the flag is raised. What is not answered then stays open in the journal.
    mutating func run(port: Int, until stop: StopFlag, namespace: String = CrashScene.namespace) {
        do {
            let device = try TestDevice(port: port, namespace: namespace)
            device.patience = .seconds(30)
            try resendIncrements(device)
            while !stop.isSet {
                while inFlight.count < Self.writesInFlight { try sendOne(device) }
                try settleOne(device)
            }
            while !inFlight.isEmpty { try settleOne(device) }
        } catch is RawSocketError {
            // The hub was killed.
        } catch {
            journal.surprises.append("\(error)")
        }
        inFlight = []
    }

    /// Sends every increment again that was not answered, and some that were: none may count twice.
    mutating func resendIncrements(_ device: TestDevice) throws {
        let again = journal.uncounted.sorted() + journal.counted.shuffled(using: &random).prefix(3)
        for identifier in again {
            try send(.increment(identifier), device)
            if inFlight.count >= Self.writesInFlight { try settleOne(device) }
        }
        while !inFlight.isEmpty { try settleOne(device) }
    }

    private mutating func sendOne(_ device: TestDevice) throws {
        journal.last += 1
        let number = journal.last
        let write: Write =
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<9: .value(Int.random(in: 0..<WriterJournal.valueCount, using: &random), number)
            case 9: .value(Int.random(in: 0..<WriterJournal.valueCount, using: &random), nil)
            case 10..<14: .spread(number)
            case 14: .block(number)
            default: .increment(number)
            }
        try send(write, device)
    }

    private mutating func send(_ write: Write, _ device: TestDevice) throws {
        let number: Int
        let root = journal.root
        switch write {
        case .value(let index, let value):
            journal.values[index].unanswered.append(value)
            number = try device.send(
                "p", TestDevice.put("\(root)/values/k\(index)", value.map(String.init) ?? "null"))
        case .spread(let value):
            journal.spread.unanswered.append(value)
            let own = root.dropFirst()
            let changes =
                #"{"\#(own)/spread/near":\#(value),"\#(own)/spread/far/a/b/c":\#(value),"#
                + #""mirror/w\#(journal.writer)":\#(value)}"#
            number = try device.send("m", TestDevice.put("/", changes))
        case .block(let value):
            journal.block.unanswered.append(value)
            let text = String(repeating: "x", count: WriterJournal.length(ofBlock: value))
            number = try device.send(
                "p", TestDevice.put("\(root)/block", #"{"number":\#(value),"text":"\#(text)"}"#))
        case .increment(let identifier):
            journal.uncounted.insert(identifier)
            let writeID = "w\(journal.writer).\(identifier)"
            let increment = #"{".sv":{"increment":1}}"#
            number =
                identifier % 2 == 0
                ? try device.send("p", TestDevice.put("\(root)/count/p", increment, writeID: writeID))
                : try device.send("m", TestDevice.put("\(root)/count", #"{"m":\#(increment)}"#, writeID: writeID))
        }
        inFlight.append((number, write))
    }

    /// Takes the oldest answer.
    private mutating func settleOne(_ device: TestDevice) throws {
        guard let (number, write) = inFlight.first else { return }
        let response = try device.response(to: number)
        inFlight.removeFirst()
        guard response.status == "ok" else {
            journal.surprises.append("a write was answered \(response.status): \(response.payload.prefix(200))")
            return
        }
        switch write {
        case .value(let index, let value): journal.values[index].acknowledge(value)
        case .spread(let value): journal.spread.acknowledge(value)
        case .block(let value): journal.block.acknowledge(value)
        case .increment(let identifier):
            journal.uncounted.remove(identifier)
            journal.counted.insert(identifier)
        }
    }
}

extension WriterJournal.Place {
    /// Answers come in the order of the requests, so it is the oldest that is not answered.
    mutating func acknowledge(_ content: Int?) {
        acknowledged = content
        if !unanswered.isEmpty { unanswered.removeFirst() }
    }
}
