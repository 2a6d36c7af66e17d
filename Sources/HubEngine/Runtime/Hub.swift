import DataTree
import Storage
import WireProtocol

/// How a hub is to run.
package struct HubConfiguration: Sendable {
    package var mode: Authenticator.Mode
    /// Namespaces to make at start, beside those that are stored.
    package var namespaces: [String]
    package var defaultNamespace: String
    package var maxNamespaces: Int
    package var presencePath: Path?
    package var publicHost: String?
    package var administratorSecret: String?
    package var limits: Limits
    /// Rules of every namespace; nil leaves each with its own.
    package var rules: ConfiguredRules?
    /// How long a namespace that nobody is connected to stays in memory, in nanoseconds.
    package var idleTime: UInt64 = 60_000_000_000

    package init(
        mode: Authenticator.Mode, namespaces: [String] = [], defaultNamespace: String = "default",
        maxNamespaces: Int = 64, presencePath: Path? = nil, publicHost: String? = nil,
        administratorSecret: String? = nil, limits: Limits = Limits(), rules: ConfiguredRules? = nil
    ) {
        self.mode = mode
        self.namespaces = namespaces
        self.defaultNamespace = defaultNamespace
        self.maxNamespaces = maxNamespaces
        self.presencePath = presencePath
        self.publicHost = publicHost
        self.administratorSecret = administratorSecret
        self.limits = limits
        self.rules = rules
    }
}

/// All namespaces of one process.
///
/// ```swift
/// let hub = Hub(configuration: configuration, storage: storage)
/// try hub.start()                                // recovers every namespace, runs what a crash left
/// hub.attach(outlet, loop: 0)                    // the gateway's loops
/// try hub.route(namespace: "demo").get().post([.opened(connection, opening)])
/// hub.stop()                                     // ends all sessions and stores everything
/// ```
package final class Hub: SessionRouter, Sendable {
    struct State {
        var databases: [String: Database] = [:]
        /// Namespaces that are being deleted.
        var leaving: Set<String> = []
        var isStopping = false
    }

    private let configuration: HubConfiguration
    let storage: any HubStorage
    private let clock: HubClock
    /// Tells who asks, in every namespace.
    package let authenticator: Authenticator
    /// The hub's clock, milliseconds since 1970.
    package var now: Int64 { clock.milliseconds() }
    let state = Monitor(State())
    /// The rules of the configuration, as last read.
    private let configuredRules: Monitor<ConfiguredRules?>
    private let outlets = Outlets()
    let work = WorkQueue()
    private let keeper: StateKeeper
    private let timer = HubTimer()
    private let fail: @Sendable (StorageError) -> Void
    package let metrics: Metrics
    package let log: Logger

    /// - Parameter fail: called when the log cannot vouch for what is durable any more: the process must end.
    package init(
        configuration: HubConfiguration, storage: any HubStorage, clock: HubClock = .system,
        metrics: Metrics = Metrics(),
        log: Logger, fail: @escaping @Sendable (StorageError) -> Void
    ) {
        self.configuration = configuration
        self.storage = storage
        self.clock = clock
        authenticator = Authenticator(
            mode: configuration.mode, administratorSecret: configuration.administratorSecret)
        self.metrics = metrics
        self.log = log
        self.fail = fail
        keeper = StateKeeper(log: log)
        configuredRules = Monitor(configuration.rules)
    }

    /// Opens every namespace that is stored or configured, one after the other, so that nothing a crash left is waiting when
    /// the first client connects.
    package func start() throws {
        var names = try storage.existing()
        for name in configuration.namespaces where !names.contains(name) { names.append(name) }
        for name in names.sorted() {
            if let refusal = Self.refusal(of: name) { throw refusal }
            let database = makeDatabase(name)
            try database.openNow()
            state.with { $0.databases[name] = database }
        }
    }

    /// Tells where the outputs for a gateway loop's connections go. Before the loop opens its first connection.
    package func attach(_ outlet: any LoopOutlet, loop: UInt16) { outlets.attach(outlet, loop: loop) }

    package func route(namespace: String) -> Result<any SessionEventSink, NamespaceRefusal> {
        if let refusal = Self.refusal(of: namespace) { return .failure(refusal) }
        return state.with { state in
            if state.isStopping { return .failure(.stopping) }
            if let database = state.databases[namespace] { return .success(database) }
            if state.leaving.contains(namespace) { return .failure(.leaving(namespace)) }
            guard configuration.mode == .development else { return .failure(.unknown(namespace)) }
            return add(namespace, to: &state).map { $0 }
        }
    }

    /// Adds a namespace to those that are there, if there is room.
    func add(_ name: String, to state: inout State) -> Result<Database, NamespaceRefusal> {
        if state.databases.count >= configuration.maxNamespaces {
            state.databases = state.databases.filter { !$0.value.isForgettable }
        }
        guard state.databases.count < configuration.maxNamespaces else {
            return .failure(.tooMany(limit: configuration.maxNamespaces))
        }
        let database = makeDatabase(name)
        state.databases[name] = database
        return .success(database)
    }

    /// Asks a namespace something; the answer is of one moment, and leaves when what it shows is durable.
    /// - Parameters:
    ///   - otherwise: what is replied when the namespace goes away before it has answered.
    ///   - reply: called once, unless this throws; it must not wait.
    ///   - answer: must be quick; it holds the namespace up.
    package func ask<Answer: Sendable>(
        _ namespace: String, otherwise: Answer, _ reply: @escaping @Sendable (Answer) -> Void,
        _ answer: @escaping @Sendable (Engine) -> Answer
    ) throws(NamespaceRefusal) {
        let database = try database(namespace)
        // Not before it is sure to be handed on: the last one who lets go of it replies.
        database.post([.administer(.inquire(Inquiry(OneReply(otherwise: otherwise, reply), answer)))])
    }

    /// Names of the namespaces that are there, in order.
    package var namespaces: [String] { state.with { $0.databases.keys.sorted() } }

    /// Names of the namespaces that are in memory, or on their way there, in order.
    package var loadedNames: [String] { loadedDatabases().map(\.name) }

    /// The databases that are in memory, by name; those of one namespace, if it is given.
    func loadedDatabases(_ namespace: String? = nil) -> [Database] {
        state.with { state in
            state.databases.values.filter { database in
                database.isInMemory && namespace.map { $0 == database.name } ?? true
            }
        }.sorted { $0.name < $1.name }
    }

    /// Ends every session, runs what they registered, stores everything. Connections are refused from here on.
    /// - Returns: false when a thread is still at work that nothing durable depends on: the process must end without waiting.
    @discardableResult
    package func stop() -> Bool {
        let databases = state.with { state in
            state.isStopping = true
            return state.databases.values.sorted { $0.name < $1.name }
        }
        for database in databases { database.beginStop() }
        for database in databases { database.waitUntilStopped() }
        // What is not removed by then goes at the next start.
        _ = state.wait(until: monotonicNanoseconds() + Self.removalTime) { $0.leaving.isEmpty ? true : nil }
        timer.stop()
        let isKept = keeper.stop()
        return work.stop() && isKept
    }

    /// How long the end waits for namespaces that are being deleted, in nanoseconds.
    private static let removalTime: UInt64 = 3_000_000_000

    // MARK: - Rules

    /// Takes over the rules of a configuration that was read again, in every namespace. One that cannot store them now tries
    /// again until it can.
    package func configure(_ rules: ConfiguredRules) {
        configuredRules.update { $0 = rules }
        let databases = state.with { $0.databases.values.sorted { $0.name < $1.name } }
        for database in databases { database.post([.configureRules(rules)]) }
    }

    /// Proposes new rules for a namespace; `change.reply` is told what became of it.
    package func changeRules(of namespace: String, _ change: RulesChange) throws(NamespaceRefusal) {
        try database(namespace).post([.changeRules(change)])
    }

    /// Tells all versions of a namespace's rules that are kept, oldest first, the last one being in force.
    package func readRules(
        of namespace: String, _ reply: @escaping @Sendable (RulesHistory) -> Void
    ) throws(NamespaceRefusal) {
        try database(namespace).post([.readRules(reply)])
    }

    /// Puts an earlier version in force again, as a new version.
    package func rollBackRules(
        of namespace: String, to number: UInt32, author: String,
        _ reply: @escaping @Sendable (Result<RulesVersion, RulesChangeFailure>) -> Void
    ) throws(NamespaceRefusal) {
        let database = try database(namespace)
        let work = work
        database.post([
            .readRules { history in
                guard let version = history[number] else {
                    return reply(.failure(.unknownVersion(number, kept: history.versions.map(\.number))))
                }
                work.add { [weak database] in
                    do {
                        let change = try RulesChange(
                            Array(version.text.utf8), author: "\(author), back to version \(number)", reply: reply)
                        database?.post([.changeRules(change)])
                    } catch {
                        reply(.failure(.unavailable("Version \(number) is not understood any more: \(error)")))
                    }
                }
            }
        ])
    }

    func database(_ namespace: String) throws(NamespaceRefusal) -> Database {
        guard let database = try route(namespace: namespace).get() as? Database else { throw .unknown(namespace) }
        return database
    }

    /// Whether a client may use the name, and why not: `[A-Za-z0-9][A-Za-z0-9_-]{0,63}`.
    static func refusal(of name: String) -> NamespaceRefusal? {
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        let bytes = Array(name.utf8)
        guard let first = bytes.first, isAlphanumeric(first), bytes.count <= 64,
            bytes.allSatisfy({ isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") })
        else { return .invalidName(name) }
        return nil
    }

    /// Whether a namespace comes into being when somebody uses it.
    var mayAppearByItself: Bool { configuration.mode == .development }

    func makeDatabase(_ name: String) -> Database {
        let engine = EngineConfiguration(
            namespace: name, authenticator: authenticator,
            defaultRules: configuration.mode == .development ? .open : .locked,
            presencePath: configuration.presencePath, limits: configuration.limits, publicHost: configuration.publicHost
        )
        return Database(
            environment: Database.Environment(
                configuration: engine, rules: configuredRules, storage: storage.namespace(name), clock: clock,
                outlets: outlets, work: work,
                keeper: keeper, timer: timer, metrics: metrics, log: log, fail: fail, idleTime: configuration.idleTime))
    }
}
