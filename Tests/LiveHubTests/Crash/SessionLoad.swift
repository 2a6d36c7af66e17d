import DataTree
import TestSupport

/// What was registered for the ends of sessions, and how often it may have run.
struct SessionJournal: Sendable {
    /// By session: whether its operation must run. Those that were not answered may run, once.
    private(set) var sessions: [String: Expectation] = [:]
    private(set) var surprises: [String] = []

    enum Expectation: Sendable { case once, never, atMostOnce }

    mutating func expect(_ expectation: Expectation, of session: String) { sessions[session] = expectation }
    mutating func note(_ surprise: String) { surprises.append(surprise) }

    mutating func merge(_ other: SessionJournal) {
        sessions.merge(other.sessions) { _, newer in newer }
        surprises += other.surprises
    }

    /// The name of a session as a key.
    static func key(_ session: String) -> String { session.split(separator: ".").joined(separator: "-") }

    /// What a session registers: counters of its own and of all, and when it ran, in one commit.
    static func operation(of session: String) -> String {
        let increment = #"{".sv":{"increment":1}}"#
        return #"{"ends/\#(key(session))/count":\#(increment),"ends/\#(key(session))/at":{".sv":"timestamp"},"#
            + #""endCount":\#(increment)}"#
    }

    /// Every operation that did not run, ran twice, or ran though it was cancelled. All sessions must have ended.
    mutating func settle(with tree: Node) -> [String] {
        var broken = surprises
        surprises = []
        let ends = tree.node(at: Path("ends"))
        var sum = 0
        for (session, expectation) in sessions {
            let end = ends[Key(SessionJournal.key(session))]
            let count = end.node(at: Path("count")).number ?? 0
            sum += count
            let isRight =
                switch expectation {
                case .once: count == 1
                case .never: count == 0
                case .atMostOnce: count <= 1
                }
            if !isRight { broken.append("the operation of \(session) ran \(count) times, not \(expectation)") }
            if (count > 0) != (end.node(at: Path("at")).number != nil) { broken.append("\(session) is half there") }
            if case .atMostOnce = expectation { sessions[session] = count == 1 ? .once : .never }
        }
        let total = tree.node(at: Path("endCount")).number ?? 0
        if total != sum { broken.append("\(total) operations counted, \(sum) found one by one") }
        if ends.childCount > sessions.count { broken.append("more sessions ended than there were") }
        return broken
    }
}

/// A client that comes, registers something for its end and leaves, in every way there is, again and again.
struct SessionLoad {
    private(set) var journal = SessionJournal()
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed) }

    mutating func run(port: Int, until stop: StopFlag) {
        var last: TestDevice?
        while !stop.isSet {
            do {
                last = try visit(port: port, after: last)
            } catch is RawSocketError {
                return
            } catch {
                journal.note("\(error)")
                return
            }
        }
        // Those that stay are the hub's to end.
        kept = last
    }

    private var kept: TestDevice?

    private mutating func visit(port: Int, after last: TestDevice?) throws -> TestDevice? {
        let takesOver = Int.random(in: 0..<3, using: &random) == 0
        let device = try TestDevice(
            port: port, namespace: CrashScene.namespace, lastSession: takesOver ? last?.session : nil)
        device.patience = .seconds(30)
        journal.expect(.atMostOnce, of: device.session)
        try device.onDisconnectMerge("/", SessionJournal.operation(of: device.session))
        journal.expect(.once, of: device.session)
        if Int.random(in: 0..<6, using: &random) == 0 {
            journal.expect(.atMostOnce, of: device.session)
            try device.onDisconnectCancel("/")
            journal.expect(.never, of: device.session)
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: device.pullPlug()
        case 1: device.vanish()
        case 2: try device.leave()
        default: break
        }
        // Left open without a takeover it ends with the hub, or when its object goes with the next visit.
        return device
    }
}
