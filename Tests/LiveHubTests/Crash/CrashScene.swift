import DataTree
import TestSupport

/// A hub under load that is killed again and again, with everything that it has promised.
final class CrashScene {
    static let namespace = "crash"

    let hub: HubProcess
    private var writers: [WriterJournal]
    private var sessions = SessionJournal()
    private var random: SeededRandom

    init(writers: Int, seed: UInt64) throws {
        hub = try HubProcess("--dev")
        self.writers = (0..<writers).map(WriterJournal.init)
        random = SeededRandom(seed)
    }

    /// How a hub comes to its end.
    enum End: CaseIterable {
        case killed
        /// Killed while it stops.
        case killedStopping
        /// Stopped in order, for comparison.
        case stopped
    }

    /// Puts the hub under load for a while, ends it, and starts it again, killing some starts on the way.
    func round(load: Duration, end: End, killedStarts: Int) throws {
        let stop = StopFlag()
        let port = hub.port
        let writing = writers.map { journal in
            let load = WriteLoad(journal: journal, seed: random.next())
            return Worker {
                var load = load
                load.run(port: port, until: stop)
                return load.journal
            }
        }
        let visiting = (0..<2).map { _ in
            let seed = random.next()
            return Worker {
                var load = SessionLoad(seed: seed)
                load.run(port: port, until: stop)
                return load.journal
            }
        }
        _ = stop.wait(for: load)
        switch end {
        case .killed: hub.kill()
        case .killedStopping:
            hub.send(signal: 15)
            _ = stop.wait(for: .milliseconds(Int.random(in: 0..<700, using: &random)))
            hub.kill()
        case .stopped: try hub.stop()
        }
        stop.raise()
        writers = try writing.map { try $0.value() }
        for worker in visiting { sessions.merge(try worker.value()) }
        for _ in 0..<killedStarts {
            try hub.restartAndEnd(after: .milliseconds(Int.random(in: 5..<400, using: &random)))
        }
        try hub.restart(port: 0)
    }

    /// Every promise that the hub did not keep.
    func brokenPromises() throws -> [String] {
        let device = try TestDevice(hub, namespace: Self.namespace)
        device.patience = .seconds(60)
        let tree = try Node(json: device.get("/"))
        var broken = sessions.settle(with: tree)
        for index in writers.indices { broken += writers[index].settle(with: tree) }
        // What was not answered is sent again; then every increment must have counted once.
        for index in writers.indices {
            var load = WriteLoad(journal: writers[index], seed: random.next())
            try load.resendIncrements(device)
            writers[index] = load.journal
        }
        let counters = try Node(json: device.get("/"))
        for writer in writers { broken += writer.checkCounters(in: counters) }
        return broken
    }

    /// What the rounds came to, for a look at whether they meant anything.
    var figures: (increments: Int, writes: Int, sessions: Int) {
        (writers.reduce(0) { $0 + $1.counted.count }, writers.reduce(0) { $0 + $1.last }, sessions.sessions.count)
    }
}
