import TestSupport

/// Two well-behaved clients that show whether the hub serves others while it has trouble: one writes, the other one sees
/// it, again and again.
final class Witness: Sendable {
    private let stop = StopFlag()
    private let worker: Worker<Int>
    private let rounds = Counter()

    init(_ hub: HubProcess, namespace: String = "witness") {
        let (port, stop, rounds) = (hub.port, stop, rounds)
        worker = Worker {
            let writer = try TestDevice(port: port, namespace: namespace)
            let reader = try TestDevice(port: port, namespace: namespace)
            try reader.listen("/beat")
            var number = 0
            while !stop.isSet {
                number += 1
                try writer.put("/beat", "\(number)")
                try reader.expectPush("d", "beat", "\(number)")
                rounds.increment()
                _ = stop.wait(for: .milliseconds(5))
            }
            return number
        }
    }

    /// How often a write has been seen so far.
    var count: Int { rounds.value }

    /// Waits until `more` further writes have been seen: the hub serves others right now.
    func expectProgress(_ more: Int = 3) throws {
        let wanted = count + more
        let deadline = ContinuousClock.now + .seconds(60)
        while count < wanted {
            guard ContinuousClock.now < deadline else { throw DeviceError.missing("others are not served any more") }
            _ = StopFlag().wait(for: .milliseconds(2))
        }
    }

    /// Ends and throws what went wrong meanwhile.
    func finish() throws {
        stop.raise()
        _ = try worker.value()
    }
}
