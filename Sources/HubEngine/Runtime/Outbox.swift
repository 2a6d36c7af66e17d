import WireProtocol

/// What a batch of proposals wants sent, in order, by gateway loop.
struct Outbox {
    private(set) var outputs: [[LoopOutput]] = []
    /// What callers inside the hub are told when the rest leaves.
    private(set) var replies: [@Sendable () -> Void] = []
    /// Pushes counted for the metrics: deliveries, not frames.
    private(set) var deliveries = 0

    var isEmpty: Bool { outputs.allSatisfy(\.isEmpty) && replies.isEmpty }

    mutating func send(_ frame: Frame, to connection: ConnectionID) {
        append(.frame(frame, to: connection), loop: connection.loop)
    }

    mutating func push(_ frame: Frame, to connection: ConnectionID) {
        deliveries += 1
        append(.frame(frame, to: connection), loop: connection.loop)
    }

    mutating func push(_ frame: Frame, to list: ConnectionList, loop: UInt16) {
        deliveries += list.count
        append(.fanOut(frame, to: list), loop: loop)
    }

    mutating func stream(_ stream: any SegmentStream, to connection: ConnectionID) {
        append(.stream(stream, to: connection), loop: connection.loop)
    }

    mutating func close(_ connection: ConnectionID, _ reason: LeaveReason) {
        append(.close(connection, reason), loop: connection.loop)
    }

    mutating func answer(_ answer: CallAnswer, to connection: ConnectionID) {
        append(.answer(answer, to: connection), loop: connection.loop)
    }

    mutating func reply(_ body: @escaping @Sendable () -> Void) { replies.append(body) }

    /// Hands everything out and starts anew.
    mutating func take() -> (outputs: [[LoopOutput]], replies: [@Sendable () -> Void]) {
        let taken = (outputs, replies)
        self = Outbox()
        return taken
    }

    private mutating func append(_ output: LoopOutput, loop: UInt16) {
        // Nobody is there to hear it.
        if loop == ConnectionID.leaseLoop { return }
        while outputs.count <= Int(loop) { outputs.append([]) }
        outputs[Int(loop)].append(output)
    }
}
